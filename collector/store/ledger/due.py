"""Finds the targets that are due for an evaluator: new ones, and those that were deferred until now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

import duckdb

from tracegrade.evaluators.definition.registry import Configured, Scope
from tracegrade.evaluators.passes.sampling import is_in_else_sample, is_in_sample, key_columns
from tracegrade.queries.catalog import statement

from ...records.arrow_batch import Batch
from ..engines.arrow import listed
from ..engines.database import Database
from .conditions import Conditions
from .deferred import Deferral
from .references import ReferenceLookup
from .targets import load_runs, load_runs_without_content, load_sessions, load_tools

__all__ = ["Claim", "DueTargets", "NextTargets", "RevisionLimits"]

_NOT_IDLE: Final = "the session is not idle"

_AGAIN: Final = timedelta(minutes=5)
"""For how long a target is deferred if its condition could not be decided."""

_NOT_ITS_TURN: Final = "runs of other services come first"

_FIRST_RUNS: Final = 10_000
"""The number of new runs among which services take turns."""

_DAY: Final = timedelta(days=1)

_LAST_POSITION: Final = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Targets that an evaluator considers at once. Evaluators with equal claims evaluate the same targets together.

    `target_ids` are all that it considers, in order; `selected` are those that it evaluates. `through` is the position
    to which its cursor moves afterwards. `revised` are runs with an earlier revision, `ended` sessions without a turn.
    """

    scope: Scope
    has_content: bool
    target_ids: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    through: int = 0
    revised: frozenset[str] = frozenset()
    ended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NextTargets:
    """A claim, and the further targets that cannot be evaluated yet: by target_id until when (UTC) and why.

    `is_full`: more targets may come after these.
    """

    claim: Claim
    deferred: Mapping[str, Deferral] = field(default_factory=dict)
    is_full: bool = False


@dataclass(frozen=True, slots=True)
class RevisionLimits:
    """Limits on evaluating runs that still change, for evaluators with a judge, whose calls cost money.

    `settle` is for how long a run must not have changed, `max_revisions` how many late revisions of it are evaluated
    per day (UTC); None: any number.
    """

    settle: timedelta = timedelta(seconds=30)
    max_revisions: int | None = None


_DEFAULT_REVISION_LIMITS: Final = RevisionLimits()


class DueTargets:
    """Reads targets that are due on cursors of its own.

    `evaluators` are those that an `after` may name; `revision_limits` applies to evaluators of kind llm.
    """

    def __init__(
        self,
        database: Database,
        references: ReferenceLookup,
        *,
        revision_limits: RevisionLimits = _DEFAULT_REVISION_LIMITS,
        session_idle: timedelta = timedelta(minutes=5),
        evaluators: Sequence[Configured] = (),
        now: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._references = references
        self._conditions = Conditions(database)
        self._revision_limits = revision_limits
        self._session_idle = session_idle
        self._evaluators = {evaluator.name: evaluator for evaluator in evaluators}
        self._now = now

    def find_next(self, evaluator: Configured, limit: int, *, through: int | None = None) -> NextTargets:
        """Find the next `limit` targets of `evaluator`, runs and sessions up to the position `through` (None: all)."""
        parameters: dict[str, Any] = {**key_columns(evaluator), "limit": limit, "now": self._now()}
        if evaluator.scope == "tool":
            return self._find_tools(parameters, evaluator)
        parameters["through"] = _LAST_POSITION if through is None else through
        if evaluator.scope == "session":
            return self._find_sessions(parameters, evaluator)
        return self._find_runs({**parameters, "window": max(limit, _FIRST_RUNS)}, evaluator)

    def load(self, claim: Claim) -> Batch[Any]:
        """Load the selected targets of `claim`; runs without their content unless it `has_content`."""
        with self._database.cursor() as connection:
            if claim.scope == "tool":
                return load_tools(connection, claim.selected)
            if claim.scope == "session":
                return load_sessions(connection, self._references, claim.selected)
            if not claim.has_content:
                return load_runs_without_content(connection, claim.selected)
            return load_runs(connection, self._references, claim.selected)

    def _find_tools(self, parameters: Mapping[str, Any], evaluator: Configured) -> NextTargets:
        with self._database.cursor() as connection:
            rows = connection.execute(statement("due_tools"), parameters).fetchall()
        through = max((seq for _, seq, _ in rows), default=0)
        next_targets = self._select(evaluator, [target_id for target_id, *_ in rows], through=through)
        return replace(next_targets, is_full=len(rows) >= parameters["limit"])

    def _find_runs(self, parameters: Mapping[str, Any], evaluator: Configured) -> NextTargets:
        """Find runs that the evaluators in `after` have evaluated; runs that these have deferred are deferred, too.

        Their reach is read first and their deferrals last: a run that they defer in between is beyond the one, or
        among the other.
        """
        with self._database.cursor() as connection:
            bounds = {
                "through": min(parameters["through"], self._read_settled(connection, evaluator)),
                "reach": self._read_reach(connection, evaluator),
            }
            due_after = {**parameters, **bounds, "after": list(evaluator.after)}
            rows = connection.execute(statement("due_runs"), due_after).fetchall()
            blocked = _read_blocked(connection, evaluator, [target_id for target_id, *_ in rows])
        next_targets = self._select(
            evaluator,
            [target_id for target_id, _, _, is_chosen in rows if is_chosen and target_id not in blocked],
            later=[target_id for target_id, _, _, is_chosen in rows if not is_chosen and target_id not in blocked],
            through=max((seq for _, seq, *_ in rows), default=0),
            revised=_revised_runs((target_id, revision) for target_id, _, revision, _ in rows),
        )
        is_full = _count_chosen(rows) >= parameters["limit"]
        next_targets = replace(next_targets, deferred={**next_targets.deferred, **blocked}, is_full=is_full)
        return self._defer_restless(evaluator, next_targets)

    def _read_settled(self, connection: duckdb.DuckDBPyConnection, evaluator: Configured) -> int:
        """Return the position up to which runs have not changed for long enough to be evaluated at a cost."""
        if evaluator.kind != "llm":
            return _LAST_POSITION
        now = self._now()
        about = {**key_columns(evaluator), "settled_by": now - self._revision_limits.settle, "now": now}
        ((through,),) = connection.execute(statement("settled_runs_through"), about).fetchall()
        return 0 if through is None else int(through)

    def _read_reach(self, connection: duckdb.DuckDBPyConnection, evaluator: Configured) -> int:
        """Return the position up to which the evaluators in `after` have considered runs, in their present form."""
        if not evaluator.after:
            return _LAST_POSITION
        predecessors = [self._evaluators[name] for name in evaluator.after]
        keys = {
            "after": [predecessor.name for predecessor in predecessors],
            "after_versions": [predecessor.version for predecessor in predecessors],
            "after_hashes": [predecessor.config_hash for predecessor in predecessors],
        }
        ((reach,),) = connection.execute(statement("reach_of_predecessors"), keys).fetchall()
        return int(reach)

    def _find_sessions(self, parameters: Mapping[str, Any], evaluator: Configured) -> NextTargets:
        """Find idle sessions: none of their runs has been assembled for `session_idle`. Others are deferred.

        A session without a turn is considered, but not selected.
        """
        with self._database.cursor() as connection:
            rows = connection.execute(statement("due_sessions"), parameters).fetchall()
        now, over_by = self._now(), self._now() - self._session_idle
        last_times = {target_id: last_at for target_id, _, last_at, _ in rows if last_at is not None}
        ended = tuple(target_id for target_id, *_ in rows if target_id is not None and target_id not in last_times)
        # An assembly in the future, after the clock was set back, counts as past.
        idle = [target_id for target_id, last_at in last_times.items() if last_at <= over_by or last_at > now]
        next_targets = self._select(evaluator, idle, through=max((seq for _, seq, *_ in rows), default=0))
        settled = set(idle)
        busy = {
            id_: Deferral(at + self._session_idle, _NOT_IDLE, "session_active")
            for id_, at in last_times.items()
            if id_ not in settled
        }
        return NextTargets(
            replace(next_targets.claim, target_ids=(*ended, *next_targets.claim.target_ids), ended=ended),
            deferred={**next_targets.deferred, **busy},
            is_full=any(is_full for *_, is_full in rows),
        )

    def _select(
        self,
        evaluator: Configured,
        target_ids: Sequence[str],
        *,
        through: int,
        later: Sequence[str] = (),
        revised: frozenset[str] = frozenset(),
    ) -> NextTargets:
        """Select the targets for which `when` holds by `sample`, the others by `else_sample`.

        A target is deferred if its `when` cannot be decided, so that nothing is lost. The targets in `later`, after
        those of other services, are deferred if they may be selected.
        """
        likely = [target_id for target_id in target_ids if _is_likely(evaluator, target_id)]
        selected, undecided = self._apply_condition(evaluator, likely)
        at_once = Deferral(self._now(), _NOT_ITS_TURN, "service_turn")
        deferred = {id_: at_once for id_ in later if _is_likely(evaluator, id_)}
        excluded = [target_id for target_id in later if target_id not in deferred]
        deferred |= {id_: self._defer_undecided(cause) for id_, cause in undecided.items()}
        claim = Claim(
            scope=evaluator.scope,
            has_content=evaluator.kind != "sql",
            target_ids=(*(target_id for target_id in target_ids if target_id not in undecided), *excluded),
            selected=tuple(selected),
            through=through,
            revised=revised,
        )
        return NextTargets(claim, deferred)

    def _defer_undecided(self, cause: str) -> Deferral:
        return Deferral(self._now() + _AGAIN, f"its `when` cannot be decided: {cause}", "condition_failed")

    def _apply_condition(
        self, evaluator: Configured, target_ids: Sequence[str]
    ) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return the targets that `when` and the samples select, and by target_id why `when` cannot be decided."""
        if evaluator.when is None or not target_ids:
            return target_ids, {}
        decisions = self._conditions.decide(evaluator.when, target_ids, after=evaluator.after)
        samples = {id_: is_in_sample if id_ in decisions.met else is_in_else_sample for id_ in target_ids}
        decided = [id_ for id_ in target_ids if id_ not in decisions.undecided]
        return [id_ for id_ in decided if samples[id_](evaluator, id_)], decisions.undecided

    def _defer_restless(self, evaluator: Configured, next_targets: NextTargets) -> NextTargets:
        """Defer until tomorrow the runs of which more than `max_revisions` revisions were scored today.

        Their scores stay active.
        """
        claim, most = next_targets.claim, self._revision_limits.max_revisions
        revised = claim.revised.intersection(claim.selected)
        if most is None or evaluator.kind != "llm" or not revised:
            return next_targets
        today = self._now().replace(hour=0, minute=0, second=0, microsecond=0)
        parameters = {"evaluator": evaluator.name, "agent_trace_ids": listed(revised), "since": today}
        with self._database.cursor() as connection:
            rows = connection.execute(statement("scored_revisions"), parameters).fetchall()
        reason = f"its judge has seen {most} late revisions of it today; resumes at 00:00 UTC"
        tomorrow = Deferral(today + _DAY, reason, "revision_limit")
        restless = {target_id: tomorrow for target_id, revisions in rows if revisions > most}
        claim = replace(
            claim,
            target_ids=tuple(target_id for target_id in claim.target_ids if target_id not in restless),
            selected=tuple(target_id for target_id in claim.selected if target_id not in restless),
        )
        return replace(next_targets, claim=claim, deferred={**next_targets.deferred, **restless})


def _is_likely(evaluator: Configured, target_id: str) -> bool:
    """Return whether a target may be selected, depending on its `when`."""
    return is_in_sample(evaluator, target_id) or is_in_else_sample(evaluator, target_id)


def _read_blocked(
    connection: duckdb.DuckDBPyConnection, evaluator: Configured, target_ids: Sequence[str]
) -> Mapping[str, Deferral]:
    """Return the targets that evaluators in `after` have deferred, each until they may be done with it."""
    if not evaluator.after or not target_ids:
        return {}
    parameters = {"after": list(evaluator.after), "target_ids": listed(target_ids)}
    rows = connection.execute(statement("deferred_by_predecessors"), parameters).fetchall()
    return {
        target_id: Deferral(until, f"waits for {', '.join(others)}", "earlier_evaluator")
        for target_id, others, until in rows
    }


def _count_chosen(rows: Iterable[tuple[Any, ...]]) -> int:
    """Count the rows of `due_runs` whose turn it is."""
    return sum(is_chosen for *_, is_chosen in rows)


def _revised_runs(revisions: Iterable[tuple[str, int | None]]) -> frozenset[str]:
    """Return the runs after their first revision."""
    return frozenset(target_id for target_id, revision in revisions if revision is not None and revision > 1)
