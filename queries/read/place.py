"""The place of a run in a list, and its neighbours there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..catalog import report
from .run_keys import NEWEST, RunKey, RunList
from .source import Sources, rows_of

__all__ = ["Place", "read_place"]


@dataclass(frozen=True, slots=True)
class Place:
    """The number of a run in a list of `count` runs, from 1, with the runs before and after it; None: there is none."""

    number: int
    count: int
    previous: RunKey | None
    next: RunKey | None


def read_place(runs: RunList, sources: Sources, *, agent_trace_id: str, started_at: datetime) -> Place | None:
    """Return the place of a run in a list; None if it is not there."""
    name, order = ("place_in_newest_list", {}) if runs.sort == NEWEST else ("place_in_sorted_list", runs.order)
    sql = report(name, condition=runs.run_filter.condition)
    parameters = {**runs.parameters, **order, "agent_trace_id": agent_trace_id, "started_at": started_at}
    rows = rows_of(sources.for_filter(runs.run_filter)(sql, parameters=parameters))
    if not rows:
        return None
    (row,) = rows
    return Place(row["runs_before"] + 1, row["runs"], _make_key(row, "previous"), _make_key(row, "next"))


def _make_key(row: dict[str, Any], side: str) -> RunKey | None:
    id_ = row[f"{side}_agent_trace_id"]
    return None if id_ is None else RunKey(0.0, row[f"{side}_started_at"], id_)
