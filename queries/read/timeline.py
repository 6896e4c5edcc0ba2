"""Counts the runs of a list over time."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from ..catalog import report
from .run_keys import RunList
from .source import Read, Sources, rows_of
from .window import BEGINNING, Window

__all__ = ["OUTCOMES", "Step", "find_step", "read_begin", "read_differences", "read_timeline"]

Step: TypeAlias = Literal["hour", "day", "month"]

OUTCOMES: Final = ("error", "failing", "passed", "waiting", "unfinished", "not_scored")

_LONGEST: Final[tuple[tuple[Step, timedelta], ...]] = (("hour", timedelta(days=4)), ("day", timedelta(days=120)))


def find_step(begin: datetime, end: datetime) -> Step:
    """Return into what a period is divided, so that it has at most about a hundred parts."""
    return next((step for step, longest in _LONGEST if end - begin <= longest), "month")


def read_begin(window: Window, read: Read) -> datetime:
    """Return the begin of a period; of one without a begin, when the first run began."""
    if window.since > BEGINNING:
        return window.since
    (row,) = rows_of(read(report("first_run"), parameters=window.parameters))
    return row["started_at"] or window.until - timedelta(hours=1)


def read_timeline(runs: RunList, sources: Sources, step: Step) -> list[dict[str, Any]]:
    """Return a row for each hour, day or month in which runs of the list began: `begin`, and a count by outcome."""
    sql = report("runs_over_time", condition=runs.run_filter.condition)
    return rows_of(sources.for_filter(runs.run_filter)(sql, parameters={**runs.parameters, "step": step}))


def read_differences(runs: RunList, sources: Sources) -> list[dict[str, Any]]:
    """Return the properties that runs of the list have more often than others of the same period, at most five."""
    sql = report("different_here", condition=runs.run_filter.condition)
    return rows_of(sources.for_filter(runs.run_filter)(sql, parameters=runs.parameters))
