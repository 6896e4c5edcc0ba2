"""What the pickers offer: periods, and the agents, versions, environments and services of the chosen period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..catalog import report
from ..read.window import BEGINNING
from .selection import DEFAULT_SINCE, PERIODS, format_url_time
from .visit import Visit

__all__ = ["Choices", "read_choices"]

_MOST: Final = 100
_MOST_FOUND: Final = 20


@dataclass(frozen=True, slots=True)
class Choices:
    """Values by the name of their picker, the most frequent, and how many there are (`totals`); periods by the value of
    `since`, and the period as fixed times.

    `found` has the first values that contain what was chosen, by picker, if it is none of the values itself. `from_` is
    None for all time.
    """

    names: Mapping[str, Sequence[str]]
    totals: Mapping[str, int]
    found: Mapping[str, Sequence[str]]
    periods: Mapping[str, str]
    since: str
    from_: str | None
    to: str


async def read_choices(visit: Visit) -> Choices:
    """Return the choices of the period; what is chosen is among them, whether it is in the period or not."""
    window = visit.window
    period = {"since": window.since, "until": window.until}
    rows = await visit.site.api.rows(report("choices"), **period, **visit.selection.names, limit=_MOST)
    values: dict[str, list[str]] = {name: [] for name in visit.selection.names}
    totals = dict.fromkeys(values, 0)
    found: dict[str, list[str]] = {}
    for row in rows:
        values[row["name"]].append(row["value"])
        totals[row["name"]] = row["total"]
    for name, chosen in visit.selection.names.items():
        if chosen is not None and chosen not in values[name]:
            having = [row["value"] for row in rows if row["name"] == name and row["has_chosen"]]
            found |= {name: having[:_MOST_FOUND]} if having else {}
            values[name].append(chosen)
    since = visit.selection.since or DEFAULT_SINCE
    periods = PERIODS if since in PERIODS else {since: f"last {since}", **PERIODS}
    begin = None if window.since == BEGINNING else format_url_time(window.since)
    return Choices(values, totals, found, periods, since, begin, format_url_time(window.until))
