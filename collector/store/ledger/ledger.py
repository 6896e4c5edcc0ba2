"""Implements `evaluators.ports.Ledger` on the store: targets that are due for evaluators, and their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from weakref import WeakValueDictionary

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.passes.sampling import hash_selection, key_columns
from tracegrade.evaluators.ports import Due, Evaluated, EvaluationPass
from tracegrade.queries.catalog import statement

from ...clock import utc_now
from ...metrics import counters
from ...metrics.score_counts import count_scores
from ...records.arrow_batch import Batch, table
from ...records.row_mapping import score_row
from ..engines.arrow import listed, registered
from ..engines.database import Database
from ..results import outcomes, sessions
from ..results.touched import Touched
from ..results.writer import Results
from . import deferred
from .deferred import Deferral
from .due import Claim, DueTargets
from .targets import members_by_session

__all__ = ["StoreLedger"]

_MAX_SKIPPED: Final = 20
"""How often one call of `due` skips targets, because none of them is selected."""

_CHANGED: Final = "the session changed while it was evaluated"
"""The reason for deferring a session that is due again at once."""


class StoreLedger:
    """Reads on cursors of its own and writes through the connection for results. For one thread."""

    def __init__(
        self,
        database: Database,
        results: Results,
        due_targets: DueTargets,
        *,
        has_outbox: bool,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self._database = database
        self._results = results
        self._due_targets = due_targets
        self._has_outbox = has_outbox
        self._now = now or utc_now
        self._loaded: WeakValueDictionary[Claim, Batch[Any]] = WeakValueDictionary()

    def enrol(self, evaluators: Sequence[Configured]) -> None:
        """Store a cursor for each new evaluator, and since when each selects targets by its present options.

        A new evaluator begins with the targets that arrive from now on; with a `backfill`, that period is due, too.
        """
        now = self._now()
        for evaluator in evaluators:
            parameters = {**key_columns(evaluator), "now": now, "selected_by": hash_selection(evaluator)}
            of_scope = {**parameters, "scope": evaluator.scope}
            with self._results.transaction() as connection:
                new = connection.execute(statement("enrol_evaluator"), of_scope).fetchall()
                connection.execute(statement("change_selection"), parameters)
                if new and evaluator.backfill_s and evaluator.scope != "tool":  # which begins with all tools anyway
                    past = _select_past(now, now - timedelta(seconds=evaluator.backfill_s))
                    deferred.request_past(connection, evaluator, past)

    def release(self, evaluators: Iterable[Configured]) -> None:
        """Make all deferred targets of `evaluators` due, since what they wait for may be available now.

        Targets that still cannot be evaluated are deferred again.
        """
        if names := [evaluator.name for evaluator in evaluators]:
            with self._results.transaction() as connection:
                connection.execute(
                    statement("release_deferred_targets"), {"evaluators": listed(names), "now": self._now()}
                )

    def paused(self) -> frozenset[str]:
        """Return the names of the paused evaluators."""
        with self._database.cursor() as connection:
            return frozenset(name for (name,) in connection.execute(statement("paused_evaluators")).fetchall())

    def last_passes(self) -> Mapping[str, datetime]:
        """Return by evaluator when its last pass began, or else when it was enrolled (UTC)."""
        with self._database.cursor() as connection:
            return dict(connection.execute(statement("last_passes")).fetchall())

    def next_at(self, evaluators: Iterable[str]) -> datetime | None:
        """Return when the first deferred target of these evaluators is due (UTC); None if none is deferred."""
        with self._database.cursor() as connection:
            row = connection.execute(statement("next_due_time"), {"evaluators": listed(evaluators)}).fetchone()
        return row[0] if row else None

    def pause(self, evaluator: str) -> None:
        """Store that the evaluator of this name is paused."""
        with self._results.transaction() as connection:
            connection.execute(statement("pause_evaluator"), {"evaluator": evaluator, "now": self._now()})

    def resume(self, evaluator: str) -> None:
        """Store that the evaluator of this name is not paused any more."""
        with self._results.transaction() as connection:
            connection.execute(statement("resume_evaluator"), {"evaluator": evaluator})

    def last_assembled(self) -> int:
        """Return the position of the run that was assembled last."""
        with self._database.cursor() as connection:
            [(seq,)] = connection.execute(statement("last_assembled_seq")).fetchall()
            return int(seq)

    def due(self, evaluator: Configured, limit: int, *, through: int | None = None) -> Due[Claim, Batch[Any]]:
        """Claim the next `limit` targets of `evaluator`, and load them. The targets of equal claims are loaded once."""
        for _ in range(_MAX_SKIPPED):
            next_targets = self._due_targets.find_next(evaluator, limit, through=through)
            claim = next_targets.claim
            if next_targets.deferred:
                self._defer(evaluator, next_targets.deferred)
            if claim.selected or not (claim.target_ids or claim.through):
                break
            self._skip(evaluator, claim)
        return Due(claim, self._load(claim), is_full=next_targets.is_full)

    def activate(self, evaluation_pass: EvaluationPass, scores: Sequence[ScoreRecord]) -> None:
        """Store `scores` as active before their pass ends; `record` receives them again."""
        rows = self._score_rows(scores)
        with self._results.transaction() as connection, registered(connection, "arriving_scores", rows):
            self._insert_scores(connection, evaluation_pass, rows)
            outcomes.write(connection, _touched(rows))

    def record(
        self,
        evaluation_pass: EvaluationPass,
        evaluators: Sequence[Configured],
        due: Due[Claim, Batch[Any]],
        evaluated: Evaluated,
    ) -> None:
        """Store scores, cursors, deferred targets, outbox and the pass, and supersede scores, in one transaction."""
        claim, targets = due.claim, due.targets
        rows = self._score_rows(evaluated.scores)
        now = self._now()
        touched = _touched(rows)
        with (
            self._results.transaction() as connection,
            registered(connection, "arriving_scores", rows),
        ):
            self._insert_scores(connection, evaluation_pass, rows)
            changed = self._find_changed_sessions(connection, claim, targets.tables)
            passes = []
            for evaluator in evaluators:
                touched |= self._advance(connection, evaluator, claim)
                later = {
                    item.target_id: Deferral(item.until, item.reason, item.kind)
                    for item in evaluated.deferred
                    if item.evaluator == evaluator.name
                }
                unscored = _runs_without_score(evaluator, claim, later, rows)
                touched |= self._supersede(connection, evaluator, unscored, "no_reference")
                deferred.insert(connection, evaluator, {**changed, **later})
                counts = {"due": len(targets), "deferred": len(later)}
                passes.append({**_pass_columns(evaluation_pass, evaluator, ended_at=now), **counts})
            connection.executemany(statement("insert_pass"), passes)  # the statement is planned once
            outcomes.write(connection, touched)
        self._loaded.clear()
        for status, count in Counter(rows.column("status").to_pylist()).items():
            counters.evaluations.labels(status=status).inc(count)
        count_scores(rows, targets.tables)

    def backfill(
        self,
        evaluator: Configured,
        *,
        since: datetime,
        until: datetime | None = None,
        agent_trace_ids: Iterable[str] | None = None,
        again: bool = False,
    ) -> int:
        """Make past runs due that began between `since` and `until` (UTC; None: now); return the number of targets.

        `agent_trace_ids` restricts them; None: all. For scope session, their sessions become due. A target that the
        evaluator has evaluated in its present configuration is due only if its score is an error, or with `again`.
        Deferred targets among them are due now.
        """
        with self._results.transaction() as connection:
            past = _select_past(self._now(), since, until=until, agent_trace_ids=agent_trace_ids)
            return deferred.request_past(connection, evaluator, past, again=again)

    def _load(self, claim: Claim) -> Batch[Any]:
        """Return the selected targets of `claim`, the same ones for equal claims until the next `record`."""
        if not claim.selected:
            return Batch({"none": pa.table({"target_id": []})}, lambda _: [], key="target_id")
        targets = self._loaded.get(claim)
        if targets is None:
            targets = self._loaded[claim] = self._due_targets.load(claim)
        return targets

    def _skip(self, evaluator: Configured, claim: Claim) -> None:
        """Advance past the targets of a claim without selected ones."""
        with self._results.transaction() as connection:
            touched = self._advance(connection, evaluator, claim)
            changed = self._find_changed_sessions(connection, claim, {})
            deferred.insert(connection, evaluator, changed)
            outcomes.write(connection, touched)

    def _defer(self, evaluator: Configured, later: Mapping[str, Deferral]) -> None:
        """Defer targets, in place of earlier deferrals of the same ones."""
        with self._results.transaction() as connection:
            deferred.delete(connection, evaluator, later)
            deferred.insert(connection, evaluator, later)

    def _advance(self, connection: duckdb.DuckDBPyConnection, evaluator: Configured, claim: Claim) -> Touched:
        """Move the cursor of `evaluator` past the targets of `claim`, and delete these from the deferred ones.

        Supersede its scores on earlier revisions of runs that it no longer selects, and return these runs.
        """
        connection.execute(statement("advance_cursor"), {**key_columns(evaluator), "seq": claim.through})
        deferred.delete(connection, evaluator, claim.target_ids)
        unselected = claim.revised.intersection(claim.target_ids).difference(claim.selected)
        return self._supersede(connection, evaluator, unselected, "not_selected")

    def _supersede(
        self, connection: duckdb.DuckDBPyConnection, evaluator: Configured, runs: Collection[str], reason: str
    ) -> Touched:
        """Supersede the scores of `evaluator` on earlier revisions of these runs; return the runs that had some."""
        touched = Touched()
        if runs:
            about = {"evaluator": evaluator.name, "kind": evaluator.kind, "reason": reason, "now": self._now()}
            superseded = connection.execute(
                statement("supersede_unselected_scores"), {**about, "agent_trace_ids": listed(sorted(runs))}
            )
            for agent_trace_id, target_time in superseded.fetchall():
                touched.add((agent_trace_id,), (target_time,))
        return touched

    def _find_changed_sessions(
        self, connection: duckdb.DuckDBPyConnection, claim: Claim, tables: Mapping[str, pa.Table]
    ) -> Mapping[str, Deferral]:
        """Find sessions that are due again because their runs are not those that were loaded into `tables`.

        The cursor, once it has moved, does not show that a run has left a session.
        """
        seen: dict[str, Collection[sessions.Member]] = dict.fromkeys(claim.ended, ())
        if claim.scope == "session" and tables:
            seen |= {**dict.fromkeys(claim.selected, ()), **members_by_session(tables)}
        return dict.fromkeys(sessions.changed(connection, seen), Deferral(self._now(), _CHANGED, "session_changed"))

    def _insert_scores(
        self, connection: duckdb.DuckDBPyConnection, evaluation_pass: EvaluationPass, scores: pa.Table
    ) -> None:
        """Insert the registered `scores`, which supersede older ones on the same targets."""
        if not scores.num_rows:
            return
        now = self._now()
        connection.execute(statement("delete_failed_scores"))
        for earliest, latest in connection.execute(statement("replaceable_periods")).fetchall():
            period = {"now": now, "earliest": earliest, "latest": latest}
            connection.execute(statement("supersede_scores"), period)
            connection.execute(statement("supersede_scores_of_calls"), period)
        connection.execute(statement("restore_scores"))
        if self._has_outbox:
            row = connection.execute(statement("last_outbox_position")).fetchone()
            connection.execute(statement("insert_outbox"), {"last_position": row[0] if row else 0})
        connection.execute(statement("insert_scores"), {"pass_id": evaluation_pass.id, "now": now})

    def _score_rows(self, scores: Sequence[ScoreRecord]) -> pa.Table:
        if isinstance(scores, Batch):
            return scores.tables["scores"]
        return table(map(score_row, scores), self._results.schemas["scores"])


def _touched(scores: pa.Table) -> Touched:
    """Return the runs that these scores are on, or on whose calls they are."""
    touched = Touched()
    on_runs = scores.filter(pc.is_in(scores.column("scope"), value_set=pa.array(["trace", "tool_call"])))
    times = pc.min_max(on_runs.column("target_time")).as_py()
    touched.add(on_runs.column("agent_trace_id").to_pylist(), times.values())
    return touched


def _runs_without_score(
    evaluator: Configured, claim: Claim, later: Collection[str], scores: pa.Table
) -> Collection[str]:
    """Return the revised runs that have no score of `evaluator` because they have no reference any more."""
    if not evaluator.only_with_reference:
        return ()
    revised = claim.revised.intersection(claim.selected).difference(later)
    if not revised:
        return ()
    rows = scores.select(["evaluator", "agent_trace_id"]).to_pylist()
    return revised.difference(row["agent_trace_id"] for row in rows if row["evaluator"] == evaluator.name)


def _pass_columns(evaluation_pass: EvaluationPass, evaluator: Configured, *, ended_at: datetime) -> Mapping[str, Any]:
    return {
        "pass_id": evaluation_pass.id,
        "evaluator": evaluator.name,
        "started_at": evaluation_pass.started_at,
        "ended_at": ended_at,
    }


def _select_past(
    now: datetime, since: datetime, *, until: datetime | None = None, agent_trace_ids: Iterable[str] | None = None
) -> dict[str, Any]:
    """Return the parameters by which the statements of a backfill select past runs."""
    return {
        "now": now,
        "earliest": since,
        "latest": until or now,
        "every": agent_trace_ids is None,
        "agent_trace_ids": listed(agent_trace_ids or ()),
    }
