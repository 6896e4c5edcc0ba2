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

__all__ = ["Conditions", "Told", "decided", "runs_where"]

_TIMEOUT_S: Final = 10.0
_MOST: Final = 1_000_000
_TRIES: Final = 64
"""How many queries may look for the runs on which a condition fails; one in 500 takes 18."""


@dataclass(slots=True)
class Told:
    """For which runs a condition holds, and for which that cannot be told, with the kind of error."""

    met: set[str] = field(default_factory=set)
    undecided: dict[str, str] = field(default_factory=dict)


class Conditions:
    """Asks, through the fence, for which runs a condition holds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check(self, condition: str, *, after: Sequence[str] = ()) -> str:
        """DuckDB's name of what `condition` comes to. Raises fence.SqlError where it cannot be applied to runs."""
        self._met(condition, [], after)
        if after and uses_scores(condition):
            return "BOOLEAN"  # as far as one can tell without scores
        sql = statement("condition_type", condition=condition)
        told = self._database.readers.read(sql, timeout_s=_TIMEOUT_S, max_rows=1)
        return told.columns[0].type

    def told(self, condition: str, agent_trace_ids: Sequence[str], *, after: Sequence[str] = ()) -> Told:
        """What `condition` says of these runs. One on which it fails costs the others nothing.

        As `scores` it may use the scores of the evaluators of the names in `after`.
        """
        return decided(lambda part: self._met(condition, part, after), agent_trace_ids)

    def all_met(self, condition: str) -> set[str]:
        """Every run for which `condition` holds. Raises fence.SqlError."""
        return self._asked(statement("all_runs_where", condition=condition), None)

    def _met(self, condition: str, agent_trace_ids: list[str], after: Sequence[str]) -> set[str]:
        return self._asked(*runs_where(condition, agent_trace_ids, after=after))

    def _asked(self, sql: str, parameters: Mapping[str, Any] | None) -> set[str]:
        found = self._database.readers.read(sql, parameters=parameters, timeout_s=_TIMEOUT_S, max_rows=_MOST)
        return set(found.table.column("agent_trace_id").to_pylist())


def decided(met: Callable[[list[str]], set[str]], agent_trace_ids: Sequence[str]) -> Told:
    """For which of these runs a condition holds. `met` asks about some of them, and raises fence.SqlError where it
    fails on one; that one is found by bisection, so that the others are still told."""
    told = Told()
    waiting = [list(agent_trace_ids)]
    for _ in range(_TRIES):
        if not waiting:
            break
        part = waiting.pop()
        try:
            told.met |= met(part)
        except fence.SqlError as error:
            if len(part) == 1 or isinstance(error, fence.SqlTimedOut):
                told.undecided |= dict.fromkeys(part, error.without_data)
            else:
                waiting += [part[: len(part) // 2], part[len(part) // 2 :]]
    told.undecided |= {run: "it fails on too many runs" for part in waiting for run in part}
    return told


def runs_where(
    condition: str, agent_trace_ids: Sequence[str], *, after: Sequence[str] = ()
) -> tuple[str, Mapping[str, Any]]:
    """The query, and its parameters, for those of some runs for which `condition` holds."""
    asked = {"agent_trace_ids": listed(agent_trace_ids)}
    if after and uses_scores(condition):
        return statement("runs_where_after", condition=condition), {**asked, "after": list(after)}
    return statement("runs_where", condition=condition), asked
