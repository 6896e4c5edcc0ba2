"""Finds the runs of a page by their ids and times; DuckDB would read all columns of all runs that it sorts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias, get_args

from ..catalog import report
from ..filter import RunFilter
from .source import Sources, rows_of
from .window import Window

__all__ = ["NEWEST", "SORTS", "RunKey", "RunList", "Sort", "count_runs", "read_keys"]

Sort: TypeAlias = Literal[
    "-started_at",
    "started_at",
    "-duration",
    "duration",
    "-cost",
    "cost",
    "-tokens",
    "tokens",
    "-calls",
    "calls",
    "worst",
]
"""The orders of runs: with a minus the greatest first. `worst` is by the lowest score."""

NEWEST: Final[Sort] = "-started_at"
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)

_COLUMNS: Final[Mapping[str, str]] = {
    "duration": "duration_ms",
    "cost": "cost_usd",
    "calls": "tool_call_count",
    "worst": "worst_value",
}
_PERIODS: Final = (timedelta(days=1), timedelta(days=8))
"""The newest runs are looked for in the last day, then in eight days, then in all: most pages need no more."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """A run in a list: the number by which it is sorted, its start and its id."""

    sort_key: float
    started_at: datetime
    agent_trace_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """The runs that a filter selects in a period, in an order."""

    run_filter: RunFilter
    window: Window
    sort: Sort = NEWEST

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the filter and the window."""
        return {**self.run_filter.parameters, **self.window.parameters}

    @property
    def order(self) -> dict[str, Any]:
        """The parameters of queries that sort by a number."""
        name = self.sort.removeprefix("-")
        return {"sort": _COLUMNS.get(name, name), "direction": 1 if self.sort.startswith("-") else -1}


def read_keys(runs: RunList, sources: Sources, *, after: RunKey | None, limit: int) -> list[RunKey]:
    """Return the keys of the first `limit` runs of the list, or of those that come after one."""
    place = after or RunKey(sys.float_info.max, runs.window.until, "")
    if runs.sort == NEWEST:
        return _read_newest(runs, sources, place, limit)
    sql = report("sorted_run_keys", condition=runs.run_filter.condition)
    return _read(sources, runs, sql, place, limit=limit, after_sort_key=place.sort_key, **runs.order)


def count_runs(runs: RunList, sources: Sources) -> int:
    """Return the number of runs in the list."""
    sql = report("count_of_runs", condition=runs.run_filter.condition)
    result = sources.for_filter(runs.run_filter)(sql, parameters=runs.parameters)
    return int(result.rows[0][0])


def _read_newest(runs: RunList, sources: Sources, place: RunKey, limit: int) -> list[RunKey]:
    sql = report("newest_run_keys", condition=runs.run_filter.condition)
    windows = [runs.window.last(period, before=place.started_at) for period in _PERIODS]
    keys: list[RunKey] = []
    for window in (*windows, runs.window):
        keys = _read(sources, runs, sql, place, limit=limit, **window.parameters)
        if len(keys) == limit or window == runs.window:
            break
    return keys


def _read(sources: Sources, runs: RunList, sql: str, place: RunKey, **parameters: Any) -> list[RunKey]:
    given = {
        **runs.parameters,
        "after_started_at": place.started_at,
        "after_agent_trace_id": place.agent_trace_id,
        **parameters,
    }
    result = sources.for_filter(runs.run_filter)(sql, parameters=given)
    return [RunKey(row["sort_key"], row["started_at"], row["agent_trace_id"]) for row in rows_of(result)]
