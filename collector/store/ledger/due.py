"""What evaluators have to judge next: runs, sessions and tools that are new to them, or that were put off until now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

import duckdb
import pyarrow as pa

from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.passes.sampling import identity, is_in_else_sample, is_in_sample
from tracegrade.queries.catalog import statement

from ...records.arrow_batch import Batch, keyed
from ...records.row_mapping import DERIVED, MEMBERS, REFERENCES, SESSIONS, TOOLS, conversations_of, tools_of, traces_of
from ..engines.arrow import listed, read_table
from ..engines.database import Database
from ..results import stored_runs
from ..results.sessions import Member
from .conditions import Conditions
from .references import Expectations

__all__ = ["Looked", "Restraint", "Sessions", "Waiting", "runs_without_content"]

_NOT_IDLE: Final = "the session is not idle"

_AGAIN: Final = timedelta(minutes=5)
"""After this what could not be told now is looked at again."""

_NOT_ITS_TURN: Final = "runs of other services come first"

_WINDOW: Final = 10_000
"""Among how many new runs services take turns."""

_DAY: Final = timedelta(days=1)

_EVERY_PLACE: Final = 2**63 - 1

_FAR: Final = datetime(9999, 1, 1)  # noqa: DTZ001 - UTC without a zone, as the store has it


@dataclass(frozen=True, slots=True)
class Looked:
    """The targets that an evaluator looks at now, in order: those it wants, and how far its cursor gets with all.

    `revised` are runs of which there was an earlier revision, `ended` sessions of which no turn is left. `put_off` are
    others, which cannot be judged yet: when to look at them again, and why. `is_full`: there may be more behind all of
    these.
    """

    target_ids: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    through: int = 0
    revised: frozenset[str] = frozenset()
    ended: tuple[str, ...] = ()
    put_off: Mapping[str, tuple[datetime, str]] = field(default_factory=dict)
    is_full: bool = False


@dataclass(frozen=True, slots=True)
class Restraint:
    """What keeps a judge, which costs money, from runs that still change: for how long one must not have changed, and
    how many late revisions of one it gets a day (UTC); None: any number."""

    settle: timedelta = timedelta(seconds=30)
    max_revisions: int | None = None


_USUAL: Final = Restraint()


class Waiting:
    """Reads what is due on cursors of its own. `evaluators` are all there are, for those that come after others;
    `restraint` is for those of kind llm."""

    def __init__(
        self,
        database: Database,
        expectations: Expectations,
        *,
        restraint: Restraint = _USUAL,
        session_idle: timedelta = timedelta(minutes=5),
        evaluators: Sequence[Configured] = (),
        now: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._expectations = expectations
        self._conditions = Conditions(database)
        self._restraint = restraint
        self._session_idle = session_idle
        self._evaluators = {one.name: one for one in evaluators}
        self._now = now

    def look(self, evaluator: Configured, limit: int, *, through: int | None = None) -> Looked:
        """The next `limit` targets; of runs and sessions, those up to the place `through`."""
        asked: dict[str, Any] = {**identity(evaluator), "limit": limit, "now": self._now()}
        if evaluator.scope == "tool":
            return self._look_at_tools(asked, evaluator)
        asked["through"] = _EVERY_PLACE if through is None else through
        if evaluator.scope == "session":
            return self._look_at_sessions(asked, evaluator)
        settled_by = self._now() - self._restraint.settle if evaluator.kind == "llm" else _FAR
        asked |= {"settled_by": settled_by, "window": max(limit, _WINDOW)}
        return self._look_at_runs(asked, evaluator)

    def load(self, evaluator: Configured, target_ids: Sequence[str]) -> Batch[Any]:
        """These targets, as the evaluator is given them."""
        with self._database.cursor() as connection:
            if evaluator.scope == "tool":
                return _tools(connection, target_ids)
            if evaluator.scope == "session":
                return self._sessions(connection, target_ids)
            if evaluator.kind == "sql":
                return runs_without_content(connection, target_ids)
            return self._runs(connection, target_ids)

    def _look_at_tools(self, asked: Mapping[str, Any], evaluator: Configured) -> Looked:
        with self._database.cursor() as connection:
            found = connection.execute(statement("due_tools"), asked).fetchall()
        through = max((seq for _, seq, _ in found), default=0)
        looked = self._selected(evaluator, [target for target, *_ in found], through=through)
        return replace(looked, is_full=len(found) >= asked["limit"])

    def _look_at_runs(self, asked: Mapping[str, Any], evaluator: Configured) -> Looked:
        """A run is due when those that the evaluator comes after are through with it. What they put off waits here."""
        with self._database.cursor() as connection:
            found = connection.execute(statement("due_runs"), {**asked, **self._forms(evaluator)}).fetchall()
        looked = self._selected(
            evaluator,
            [target for target, _, _, is_chosen, others, _ in found if is_chosen and not others],
            behind=[target for target, _, _, is_chosen, others, _ in found if not is_chosen and not others],
            through=max((seq for _, seq, *_ in found), default=0),
        )
        waiting = {target: (until, f"waits for {', '.join(others)}") for target, *_, others, until in found if others}
        revised = _revised((target, revision) for target, _, revision, *_ in found)
        is_full = _chosen(found) >= asked["limit"]
        looked = replace(looked, revised=revised, put_off={**looked.put_off, **waiting}, is_full=is_full)
        return self._without_restless(evaluator, looked)

    def _forms(self, evaluator: Configured) -> Mapping[str, Any]:
        """Those that the evaluator comes after, as they are configured now."""
        others = [self._evaluators[name] for name in evaluator.after]
        return {
            "after": [one.name for one in others],
            "after_versions": [one.version for one in others],
            "after_hashes": [one.config_hash for one in others],
        }

    def _look_at_sessions(self, asked: Mapping[str, Any], evaluator: Configured) -> Looked:
        """A session is due when nothing of it has been assembled for so long that it seems to be over.

        One of which no turn is left is passed over.
        """
        with self._database.cursor() as connection:
            found = connection.execute(statement("due_sessions"), asked).fetchall()
        now, over_by = self._now(), self._now() - self._session_idle
        known = {target: last_at for target, _, last_at, _ in found if last_at is not None}
        ended = tuple(target for target, *_ in found if target is not None and target not in known)
        # What was assembled after now, by a clock that was set back since, has settled.
        idle = dict.fromkeys(one for one, last_at in known.items() if last_at <= over_by or last_at > now)
        looked = self._selected(evaluator, [*idle], through=max((seq for _, seq, *_ in found), default=0))
        still = {one: (last_at + self._session_idle, _NOT_IDLE) for one, last_at in known.items() if one not in idle}
        return replace(
            looked,
            target_ids=(*ended, *looked.target_ids),
            ended=ended,
            put_off={**looked.put_off, **still},
            is_full=any(is_full for *_, is_full in found),
        )

    def _selected(
        self, evaluator: Configured, chosen: list[str], *, through: int, behind: Sequence[str] = ()
    ) -> Looked:
        """Those that `when` selects and `sample` takes, or that it does not select and `else_sample` takes.

        Where `when` cannot be told the target waits: nothing is lost. Those that are `behind` wait for their turn, as
        far as they may be wanted.
        """
        waiting = {one: (self._now(), _NOT_ITS_TURN) for one in behind if _is_likely(evaluator, one)}
        looked = self._wanted(evaluator, chosen, through=through)
        passed = [one for one in behind if one not in waiting]
        return replace(looked, target_ids=(*looked.target_ids, *passed), put_off={**looked.put_off, **waiting})

    def _without_restless(self, evaluator: Configured, looked: Looked) -> Looked:
        """Puts those runs off until tomorrow of which `evaluator`, whose scores cost money, has judged as many
        revisions today as it may. The scores that they have stay active."""
        revised = looked.revised.intersection(looked.wanted)
        most = self._restraint.max_revisions
        if most is None or evaluator.kind != "llm" or not revised:
            return looked
        today = self._now().replace(hour=0, minute=0, second=0, microsecond=0)
        asked = {"evaluator": evaluator.name, "agent_trace_ids": listed(revised), "since": today}
        with self._database.cursor() as connection:
            found = connection.execute(statement("scored_revisions"), asked).fetchall()
        reason = f"its judge has seen {most} late revisions of it today; resumes at 00:00 UTC"
        restless = {target: (today + _DAY, reason) for target, revisions in found if revisions > most}
        return replace(
            looked,
            target_ids=tuple(one for one in looked.target_ids if one not in restless),
            wanted=tuple(one for one in looked.wanted if one not in restless),
            put_off={**looked.put_off, **restless},
        )

    def _wanted(self, evaluator: Configured, target_ids: list[str], *, through: int) -> Looked:
        likely = [one for one in target_ids if _is_likely(evaluator, one)]
        if evaluator.when is None or not likely:
            return Looked(tuple(target_ids), tuple(likely), through)
        told = self._conditions.told(evaluator.when, likely, after=evaluator.after)
        taken = {target: is_in_sample if target in told.met else is_in_else_sample for target in likely}
        again_at = self._now() + _AGAIN
        return Looked(
            target_ids=tuple(target for target in target_ids if target not in told.undecided),
            wanted=tuple(one for one in likely if one not in told.undecided and taken[one](evaluator, one)),
            through=through,
            put_off={target: (again_at, f"its `when` cannot be told: {why}") for target, why in told.undecided.items()},
        )

    def _runs(
        self, connection: duckdb.DuckDBPyConnection, agent_trace_ids: Sequence[str], *, are_linked: bool = False
    ) -> Batch[Any]:
        tables = stored_runs.tables(connection, agent_trace_ids, are_linked=are_linked)
        tables[REFERENCES] = self._expectations.of(connection, tables["agent_traces"])
        return Batch(tables, traces_of, key="agent_trace_id")

    def _sessions(self, connection: duckdb.DuckDBPyConnection, target_ids: Sequence[str]) -> Batch[Any]:
        parameters = {"target_ids": listed(target_ids)}
        sessions = read_table(connection, "runs_of_sessions", parameters)
        runs = self._runs(connection, sessions.column("agent_trace_id").to_pylist(), are_linked=True)
        there = set(sessions.column("target_id").to_pylist())
        return Sessions([target for target in target_ids if target in there], sessions, runs.tables)


def _is_likely(evaluator: Configured, target_id: str) -> bool:
    return is_in_sample(evaluator, target_id) or is_in_else_sample(evaluator, target_id)


def _chosen(found: Iterable[tuple[Any, ...]]) -> int:
    """How many of the rows are of runs whose turn it is."""
    return sum(is_chosen for _, _, _, is_chosen, *_ in found)


def _revised(found: Iterable[tuple[str, int | None]]) -> frozenset[str]:
    """Those that are not in their first revision."""
    return frozenset(target for target, revision in found if revision is not None and revision > 1)


class Sessions(Batch[ConversationTrajectory]):
    """Sessions with their runs; `members` says which run belongs to which target."""

    @property
    def runs(self) -> Mapping[str, frozenset[Member]]:
        """The runs of each session, as they were when they were loaded."""
        loaded = self.tables["agent_traces"].select(["agent_trace_id", "revision", "parent_agent_trace_id"]).to_pylist()
        runs = {
            row["agent_trace_id"]: (row["agent_trace_id"], row["revision"], row["parent_agent_trace_id"] is None)
            for row in loaded
        }
        members: dict[str, set[Member]] = {key: set() for key in self.keys}
        for row in self.tables[MEMBERS].to_pylist():
            if (run := runs.get(row["agent_trace_id"])) is not None:
                members[row["target_id"]].add(run)
        return {target: frozenset(of_session) for target, of_session in members.items()}

    def __init__(self, target_ids: Sequence[str], members: pa.Table, tables: Mapping[str, pa.Table]) -> None:
        main = pa.table({"target_id": pa.array(target_ids, type=pa.string())})
        super().__init__({SESSIONS: main, MEMBERS: members, **tables}, conversations_of, key="target_id")

    def only(self, keys: Collection[str]) -> Sessions:
        members = keyed(self.tables[MEMBERS], "target_id", keys)
        runs = set(members.column("agent_trace_id").to_pylist())
        rest = {name: table for name, table in self.tables.items() if name not in {SESSIONS, MEMBERS}}
        kept = [key for key in self.keys if key in set(keys)]
        return Sessions(kept, members, {name: keyed(table, "agent_trace_id", runs) for name, table in rest.items()})


def _tools(connection: duckdb.DuckDBPyConnection, target_ids: Sequence[str]) -> Batch[Any]:
    found = read_table(connection, "tools_of_targets", {"target_ids": listed(target_ids)})
    return Batch({TOOLS: found}, tools_of, key="target_id")


def runs_without_content(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Sequence[str]) -> Batch[Any]:
    """Runs by their ids, times and names, as the relation `due` has them: enough for a score by a query."""
    found = read_table(connection, "runs_without_content", {"agent_trace_ids": listed(agent_trace_ids)})
    none = pa.table({"agent_trace_id": pa.array([], type=pa.string())})
    children = dict.fromkeys(DERIVED[1:], none)
    return Batch({"agent_traces": found, **children}, traces_of, key="agent_trace_id")
