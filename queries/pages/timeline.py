"""Bars of runs over time, by outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from ..read.timeline import OUTCOMES, Step
from .charts.bars import BarChart, lay_out_bars
from .charts.bars import Step as Bar

__all__ = ["KINDS", "lay_out_timeline", "list_begins"]

KINDS: Final[Mapping[str, str]] = {
    "error": "✗ error",
    "failing": "✗ failing",
    "passed": "✓ passed",
    "waiting": "◔ waiting",
    "unfinished": "◐ unfinished",
    "not_scored": "○ not scored",
}
"""Outcomes from the base of a bar up, with how they are written."""

_FORMATS: Final[Mapping[Step, str]] = {"hour": "%m-%d %H:00", "day": "%Y-%m-%d", "month": "%Y-%m"}
_MOST: Final = 200

Link = Callable[[datetime, datetime], str]


def lay_out_timeline(
    rows: Sequence[Mapping[str, Any]],
    step: Step,
    period: tuple[datetime, datetime],
    link: Link,
    marks: Mapping[datetime, str] | None = None,
) -> BarChart:
    """Return a bar for each step of the period, also for those without runs. `link` leads to the runs of a step."""
    counted = {row["begin"]: row for row in rows}
    bars = [
        _make_bar(begin, step, counted.get(begin, {}), link, (marks or {}).get(begin))
        for begin in list_begins(step, *period)
    ]
    return lay_out_bars(bars)


def list_begins(step: Step, begin: datetime, end: datetime) -> list[datetime]:
    """Return where the steps of a period begin."""
    times = [_floor(begin, step)]
    while (following := _next(times[-1], step)) < end and len(times) < _MOST:
        times.append(following)
    return times


def _make_bar(begin: datetime, step: Step, row: Mapping[str, Any], link: Link, mark: str | None) -> Bar:
    counts = {outcome: int(row.get(outcome, 0)) for outcome in OUTCOMES}
    label = begin.strftime(_FORMATS[step])
    parts = ", ".join(f"{count:,} {KINDS[outcome][2:]}" for outcome, count in counts.items() if count)
    title = f"{label} UTC: {parts or 'no runs'}" + (f". {mark}" if mark else "")
    return Bar(label, counts, title, link(begin, _next(begin, step)), mark)


def _floor(time: datetime, step: Step) -> datetime:
    time = time.replace(minute=0, second=0, microsecond=0)
    if step == "hour":
        return time
    return time.replace(hour=0) if step == "day" else time.replace(hour=0, day=1)


def _next(time: datetime, step: Step) -> datetime:
    if step == "month":
        return _floor(time.replace(day=1) + timedelta(days=32), "month")
    return time + (timedelta(hours=1) if step == "hour" else timedelta(days=1))
