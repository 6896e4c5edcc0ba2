"""What has been judged, and what is to be: fulfils `evaluators.ports.Ledger` on the store."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakValueDictionary

import duckdb
import pyarrow as pa

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target
from tracegrade.evaluators.passes.sampling import identity, selection
from tracegrade.evaluators.ports import Due, Pass, Postponed
from tracegrade.queries.catalog import statement

from ...clock import utc_now
from ...metrics import counters
from ...metrics.score_counts import count_scores
from ...records.arrow_batch import Batch, table
from ...records.row_mapping import score_row
from ..engines.arrow import listed, registered
from ..engines.database import Database
from ..priority import PUT_OFF
from ..results import sessions
from ..results.writer import Results
from . import deferred
from .due import Looked, Sessions, Waiting
from .sql_evaluators import judged_by_query

__all__ = ["StoreLedger"]

_WINDOWS = 20
"""How many windows of targets that it does not want an evaluator passes over in one call."""

_CHANGED: Final = "the session changed while it was evaluated"
"""Why a session is due again at once."""


class StoreLedger:
    """Reads what is due on cursors of its own and records through the connection for results. For one thread.

    Once `cancelled`, a query of an evaluator is cut off.
    """

    def __init__(
        self,
        database: Database,
        results: Results,
        waiting: Waiting,
        *,
        has_outbox: bool,
        now: Callable[[], datetime] | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        self._database = database
        self._results = results
        self._waiting = waiting
        self._has_outbox = has_outbox
        self._cancelled = cancelled or threading.Event()
        self._now = now or utc_now
        self._loaded: WeakValueDictionary[tuple[str, ...], Batch[Any]] = WeakValueDictionary()
        self._looked: WeakKeyDictionary[Batch[Any], Looked] = WeakKeyDictionary()

    def enrol(self, evaluators: Sequence[Configured]) -> None:
        """Gives each evaluator that has none a cursor, at now, or as far back as it says; remembers since when it
        selects as it does."""
        now = self._now()
        for evaluator in evaluators:
            asked = {**identity(evaluator), "now": now, "selected_by": selection(evaluator)}
            with self._results.transaction() as connection:
                new = connection.execute(statement("enrol_evaluator"), {**asked, "scope": evaluator.scope}).fetchall()
                connection.execute(statement("change_selection"), asked)
                if new and evaluator.backfill_s and evaluator.scope != "tool":  # which begins with all tools anyway
                    deferred.ask(connection, evaluator, _meant(now, now - timedelta(seconds=evaluator.backfill_s)))

    def release(self, evaluators: Iterable[Configured]) -> None:
        """Makes due what `evaluators` put off: a key, a server or a time that it waits for may be there now. What still
        cannot be judged is put off again."""
        if names := [one.name for one in evaluators]:
            with self._results.transaction() as connection:
                connection.execute(
                    statement("release_deferred_targets"), {"evaluators": listed(names), "now": self._now()}
                )

    def paused(self) -> frozenset[str]:
        with self._database.cursor() as connection:
            return frozenset(name for (name,) in connection.execute(statement("paused_evaluators")).fetchall())

    def last_passes(self) -> Mapping[str, datetime]:
        with self._database.cursor() as connection:
            return dict(connection.execute(statement("last_passes")).fetchall())

    def next_at(self, evaluators: Iterable[str]) -> datetime | None:
        """When the first of what these evaluators put off is due (UTC)."""
        with self._database.cursor() as connection:
            row = connection.execute(statement("next_due_time"), {"evaluators": listed(evaluators)}).fetchone()
        return row[0] if row else None

    def pause(self, evaluator: str) -> None:
        with self._results.transaction() as connection:
            connection.execute(statement("pause_evaluator"), {"evaluator": evaluator, "now": self._now()})

    def resume(self, evaluator: str) -> None:
        with self._results.transaction() as connection:
            connection.execute(statement("resume_evaluator"), {"evaluator": evaluator})

    def last_assembled(self) -> int:
        with self._database.cursor() as connection:
            [(seq,)] = connection.execute(statement("last_assembled_seq")).fetchall()
            return int(seq)

    def due(self, evaluator: Configured, limit: int, *, through: int | None = None) -> Due:
        """The next targets of `evaluator`. Evaluators that are equally far get the very same batch, loaded once."""
        for _ in range(_WINDOWS):
            looked = self._waiting.look(evaluator, limit, through=through)
            if looked.put_off:
                self._put_off(evaluator, looked.put_off, priority=PUT_OFF)
            if looked.wanted or not (looked.target_ids or looked.through):
                break
            self._pass_over(evaluator, looked)
        return Due(self._once(evaluator, looked), is_full=looked.is_full)

    def due_by_sql(self, evaluator: Configured, targets: Sequence[Target]) -> Batch[ScoreRecord]:
        """A score on each of `targets`, as the evaluator's query says."""
        due = _batch(targets).main
        return judged_by_query(self._database, evaluator, due, now=self._now(), cancelled=self._cancelled)

    def keep(self, this: Pass, scores: Sequence[ScoreRecord]) -> None:
        """Makes `scores` active while their pass goes on; `record` is told them again."""
        rows = self._rows(scores)
        with self._results.transaction() as connection, registered(connection, "arriving_scores", rows):
            self._keep(connection, this, rows)

    def record(
        self,
        this: Pass,
        evaluators: Sequence[Configured],
        targets: Sequence[Target],
        scores: Sequence[ScoreRecord],
        postponed: Sequence[Postponed] = (),
    ) -> None:
        """Scores, what they supersede, cursors, what is put off, outbox and the pass itself, in one transaction."""
        looked = self._looked_at(targets)
        rows = self._rows(scores)
        now = self._now()
        with (
            self._results.transaction() as connection,
            registered(connection, "arriving_scores", rows),
        ):
            self._keep(connection, this, rows)
            again = self._changed(connection, looked, targets)
            notes = []
            for evaluator in evaluators:
                self._move_on(connection, evaluator, looked)
                waiting = {
                    one.target_id: (one.until, one.reason) for one in postponed if one.evaluator == evaluator.name
                }
                self._supersede(connection, evaluator, _silent(evaluator, looked, waiting, rows), "no_reference")
                deferred.insert(connection, evaluator, {**again, **waiting}, priority=PUT_OFF)
                notes.append(_note(this, evaluator, ended_at=now, due=len(targets), deferred=len(waiting)))
            connection.executemany(statement("insert_pass"), notes)  # planned once
        self._loaded.clear()
        for status, count in Counter(rows.column("status").to_pylist()).items():
            counters.evaluations.labels(status=status).inc(count)
        count_scores(rows, _batch(targets).tables)

    def defer(
        self, evaluator: Configured, targets: Sequence[Target], *, until: datetime, reason: str, priority: int = PUT_OFF
    ) -> None:
        """Puts `targets` off; until then `evaluator` goes on with others."""
        looked = self._looked_at(targets)
        self._put_off(evaluator, dict.fromkeys(_batch(targets).keys, (until, reason)), priority=priority, looked=looked)
        self._loaded.clear()

    def backfill(
        self,
        evaluator: Configured,
        *,
        since: datetime,
        until: datetime | None = None,
        agent_trace_ids: Iterable[str] | None = None,
        again: bool = False,
    ) -> int:
        """Asks for scores on runs of the past that began between `since` and `until` (UTC); gives their number.

        Of those the evaluator has judged in this form only errors are asked for, unless `again`. What it put off of
        these runs is due now.
        """
        with self._results.transaction() as connection:
            meant = _meant(self._now(), since, until=until, agent_trace_ids=agent_trace_ids)
            return deferred.ask(connection, evaluator, meant, again=again)

    def _once(self, evaluator: Configured, looked: Looked) -> Batch[Any]:
        if not looked.wanted:
            return Batch({"none": pa.table({"target_id": []})}, lambda _: [], key="target_id")
        key = (
            evaluator.scope,
            evaluator.name if evaluator.kind == "sql" else "",
            *looked.target_ids,
            "",
            *looked.wanted,
        )
        batch = self._loaded.get(key)
        if batch is None:
            batch = self._loaded[key] = self._waiting.load(evaluator, looked.wanted)
            self._looked[batch] = looked
        return batch

    def _pass_over(self, evaluator: Configured, looked: Looked) -> None:
        with self._results.transaction() as connection:
            self._move_on(connection, evaluator, looked)
            deferred.insert(connection, evaluator, self._changed(connection, looked), priority=PUT_OFF)

    def _put_off(
        self,
        evaluator: Configured,
        waiting: Mapping[str, tuple[datetime, str]],
        *,
        priority: int,
        looked: Looked | None = None,
    ) -> None:
        with self._results.transaction() as connection:
            if looked is not None:
                self._move_on(connection, evaluator, looked)
            else:
                deferred.delete(connection, evaluator, waiting)
            deferred.insert(connection, evaluator, waiting, priority=priority)

    def _move_on(self, connection: duckdb.DuckDBPyConnection, evaluator: Configured, looked: Looked) -> None:
        """`evaluator` is through with what it looked at, new targets and such as were put off.

        Its scores on earlier revisions of what it does not select any more are superseded.
        """
        connection.execute(statement("advance_cursor"), {**identity(evaluator), "seq": looked.through})
        deferred.delete(connection, evaluator, looked.target_ids)
        passed_over = looked.revised.intersection(looked.target_ids).difference(looked.wanted)
        self._supersede(connection, evaluator, passed_over, "not_selected")

    def _supersede(
        self, connection: duckdb.DuckDBPyConnection, evaluator: Configured, runs: Collection[str], reason: str
    ) -> None:
        """Supersedes the scores of `evaluator` on earlier revisions of these runs."""
        if runs:
            about = {"evaluator": evaluator.name, "kind": evaluator.kind, "reason": reason, "now": self._now()}
            connection.execute(
                statement("supersede_unselected_scores"), {**about, "agent_trace_ids": listed(sorted(runs))}
            )

    def _changed(
        self, connection: duckdb.DuckDBPyConnection, looked: Looked, targets: Sequence[Target] = ()
    ) -> Mapping[str, tuple[datetime, str]]:
        """Sessions that are due again because other runs are in them now than when they were looked at: the move of
        the cursor would hide that a run has left one."""
        seen: dict[str, Collection[sessions.Member]] = dict.fromkeys(looked.ended, ())
        if isinstance(targets, Sessions):
            seen |= {**dict.fromkeys(looked.wanted, ()), **targets.runs}
        return dict.fromkeys(sessions.changed(connection, seen), (self._now(), _CHANGED))

    def _looked_at(self, targets: Sequence[Target]) -> Looked:
        return self._looked[_batch(targets)]

    def _keep(self, connection: duckdb.DuckDBPyConnection, this: Pass, scores: pa.Table) -> None:
        """Inserts the registered `scores`, in place of the older ones on the same things."""
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
        connection.execute(statement("insert_scores"), {"pass_id": this.id, "now": now})

    def _rows(self, scores: Sequence[ScoreRecord]) -> pa.Table:
        if isinstance(scores, Batch):
            return scores.tables["scores"]
        return table(map(score_row, scores), self._results.schemas["scores"])


def _silent(evaluator: Configured, looked: Looked, waiting: Collection[str], scores: pa.Table) -> Collection[str]:
    """The revised runs on which `evaluator` says nothing, for nothing is expected of them."""
    if not evaluator.only_with_reference:
        return ()
    wanted = looked.revised.intersection(looked.wanted).difference(waiting)
    if not wanted:
        return ()
    told = scores.select(["evaluator", "agent_trace_id"]).to_pylist()
    return wanted.difference(row["agent_trace_id"] for row in told if row["evaluator"] == evaluator.name)


def _note(this: Pass, evaluator: Configured, *, ended_at: datetime, due: int, deferred: int) -> Mapping[str, Any]:
    """What `evaluator` did in this pass, for the statement that counts what it found from the registered scores."""
    return {
        "pass_id": this.id,
        "evaluator": evaluator.name,
        "started_at": this.started_at,
        "ended_at": ended_at,
        "due": due,
        "deferred": deferred,
    }


def _meant(
    now: datetime, since: datetime, *, until: datetime | None = None, agent_trace_ids: Iterable[str] | None = None
) -> dict[str, Any]:
    """Runs of the past, as the statements of a backfill are told which."""
    return {
        "now": now,
        "earliest": since,
        "latest": until or now,
        "every": agent_trace_ids is None,
        "agent_trace_ids": listed(agent_trace_ids or ()),
    }


def _batch(targets: Sequence[Target]) -> Batch[Any]:
    if not isinstance(targets, Batch):
        raise TypeError("the ledger takes back only what `due` handed out")
    return targets
