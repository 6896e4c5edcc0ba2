"""The bars of runs over time, with marks where an agent changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from ..charts.bars import BarChart, Step, lay_out_bars
from ..links import Links
from ..selection import format_url_time
from ..timeline import KINDS
from .facts import Row, Scale

__all__ = ["draw_timeline"]

_MOST_NAMED: Final = 3


def draw_timeline(bars: Sequence[Row], changes: Sequence[Row], scale: Scale, links: Links) -> BarChart:
    """Return the chart of the rows of `runs_by_step`; steps without runs are empty bars."""
    by_start = {row["starts_at"]: row for row in bars}
    length = timedelta(hours=scale.bar_hours)
    starts = _list_starts(scale, length) if bars else []
    return lay_out_bars(
        [_make_step(start, length, scale.window.until, by_start.get(start), changes, links) for start in starts]
    )


def _list_starts(scale: Scale, length: timedelta) -> list[datetime]:
    since, until = scale.window.since, scale.window.until
    count = -(-(until - since) // length)
    return [since + number * length for number in range(count)]


def _make_step(
    start: datetime, length: timedelta, until: datetime, row: Row | None, changes: Sequence[Row], links: Links
) -> Step:
    counts = _count_kinds(row)
    label = f"{start:%d %b %H:%M}" if length < timedelta(days=1) else f"{start:%d %b %Y}"
    said = ", ".join(f"{count:,} {KINDS[kind][2:]}" for kind, count in counts.items() if count) or "no runs"
    link = links.to("runs", since=None, from_=format_url_time(start), to=format_url_time(min(start + length, until)))
    return Step(label, counts, f"{label} UTC: {said}", link, _name_changes(start, length, changes))


def _count_kinds(row: Row | None) -> dict[str, int]:
    if row is None:
        return dict.fromkeys(KINDS, 0)
    return {
        "error": row["errors"],
        "failing": row["failing"] - row["errors"],
        "passed": row["passed"],
        "waiting": row["waiting"],
        "unfinished": row["unfinished"],
        "not_scored": row["runs"] - row["failing"] - row["passed"] - row["waiting"] - row["unfinished"],
    }


def _name_changes(start: datetime, length: timedelta, changes: Sequence[Row]) -> str | None:
    named = [
        f"{change['agent']}: {change['what']} {change['value']}"
        for change in changes
        if start <= change["first_run_at"] < start + length
    ]
    if not named:
        return None
    more = f" and {len(named) - _MOST_NAMED} more changes" if len(named) > _MOST_NAMED else ""
    return "; ".join(named[:_MOST_NAMED]) + more
