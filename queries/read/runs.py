"""Lists of runs, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..catalog import report
from .run_keys import RunKey, RunList, read_keys
from .source import Read, Sources, rows_of

__all__ = ["MOST_CHARACTERS", "Page", "read_page", "read_runs"]

MOST_CHARACTERS: Final = 1_000
"""How much lists show of a long text."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of `runs`, and the key of the last one if more follow."""

    rows: list[dict[str, Any]]
    last: RunKey | None


def read_page(runs: RunList, sources: Sources, *, after: RunKey | None = None, limit: int) -> Page:
    """Return the first `limit` runs of a list, or those that come after one."""
    keys = read_keys(runs, sources, after=after, limit=limit + 1)
    shown = keys[:limit]
    return Page(read_runs(sources.own, shown), shown[-1] if len(keys) > limit else None)


def read_runs(read: Read, keys: Sequence[RunKey]) -> list[dict[str, Any]]:
    """Return the rows of these runs in their order, without those that are gone since."""
    if not keys:
        return []
    parameters = {
        "agent_trace_ids": [key.agent_trace_id for key in keys],
        "started_ats": [key.started_at for key in keys],
        "most_characters": MOST_CHARACTERS,
    }
    rows = {row["agent_trace_id"]: row for row in rows_of(read(report("runs_by_key"), parameters=parameters))}
    return [rows[key.agent_trace_id] for key in keys if key.agent_trace_id in rows]
