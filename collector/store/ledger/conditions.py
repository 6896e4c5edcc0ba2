"""Conditions that users write in SQL over `agent_traces`: in rules, in `when` of evaluators, for a backfill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tracegrade.queries import fence
from tracegrade.queries.catalog import statement

from ...config.dependencies import uses_scores
from ..engines.arrow import listed
from ..engines.database import Database

__all__ = ["Conditions", "Decisions", "decide_by_bisection", "runs_where"]

_TIMEOUT_S: Final = 10.0
_MAX_RUNS: Final = 1_000_000
_MAX_QUERIES: Final = 64
"""How many queries may search for the runs on which a condition fails; to find one among 500 takes 18."""


@dataclass(slots=True)
class Decisions:
    """The runs for which a condition holds, and those for which it cannot be decided, with the kind of error."""

    met: set[str] = field(default_factory=set)
    undecided: dict[str, str] = field(default_factory=dict)


class Conditions:
    """Decides for which runs a condition holds, by queries behind the fence."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, condition: str, *, after: Sequence[str] = ()) -> str:
        """Return DuckDB's name of the type of `condition`. Raises fence.SqlError if it cannot be applied to runs."""
        self._read_met(condition, [], after)
        if after and uses_scores(condition):
            return "BOOLEAN"  # the type of an expression over scores is not known before there are scores
        sql = statement("condition_type", condition=condition)
        return self._database.readers.read(sql, timeout_s=_TIMEOUT_S, max_rows=1).columns[0].type

    def decide(self, condition: str, agent_trace_ids: Sequence[str], *, after: Sequence[str] = ()) -> Decisions:
        """Decide for which of these runs `condition` holds. A run on which it fails does not affect the others.

        `condition` may use the scores of the evaluators named in `after`, as `scores`.
        """
        return decide_by_bisection(lambda part: self._read_met(condition, part, after), agent_trace_ids)

    def all_met(self, condition: str) -> set[str]:
        """Return the ids of all runs for which `condition` holds. Raises fence.SqlError."""
        return self._read_ids(statement("all_runs_where", condition=condition), None)

    def _read_met(self, condition: str, agent_trace_ids: list[str], after: Sequence[str]) -> set[str]:
        return self._read_ids(*runs_where(condition, agent_trace_ids, after=after))

    def _read_ids(self, sql: str, parameters: Mapping[str, Any] | None) -> set[str]:
        result = self._database.readers.read(sql, parameters=parameters, timeout_s=_TIMEOUT_S, max_rows=_MAX_RUNS)
        return set(result.table.column("agent_trace_id").to_pylist())


def decide_by_bisection(read_met: Callable[[list[str]], set[str]], agent_trace_ids: Sequence[str]) -> Decisions:
    """Decide for which of these runs a condition holds.

    `read_met` returns those of some runs for which it holds, and raises fence.SqlError if it fails on one of them. That
    run is found by bisection, so that the others are decided.
    """
    decisions = Decisions()
    waiting = [list(agent_trace_ids)]
    for _ in range(_MAX_QUERIES):
        if not waiting:
            break
        part = waiting.pop()
        try:
            decisions.met |= read_met(part)
        except fence.SqlError as error:
            if len(part) == 1 or isinstance(error, fence.SqlTimedOut):
                decisions.undecided |= dict.fromkeys(part, error.without_data)
            else:
                waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
    decisions.undecided |= {id_: "it fails on too many runs" for part in waiting for id_ in part}
    return decisions


def runs_where(
    condition: str, agent_trace_ids: Sequence[str], *, after: Sequence[str] = ()
) -> tuple[str, Mapping[str, Any]]:
    """Return the query, and its parameters, for those of some runs for which `condition` holds."""
    parameters = {"agent_trace_ids": listed(agent_trace_ids)}
    if after and uses_scores(condition):
        return statement("runs_where_after", condition=condition), {**parameters, "after": list(after)}
    return statement("runs_where", condition=condition), parameters
