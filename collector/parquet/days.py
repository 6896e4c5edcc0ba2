"""The days of the exported tables, each with a digest of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows

__all__ = ["KEYS", "RELATIONS", "DayKey", "list_days"]

DayKey: TypeAlias = tuple[str, str]
"""A relation and a day as YYYY-MM-DD."""

RELATIONS: Final = ("runs", "agent_traces", "tool_calls", "llm_calls", "messages", "scores", "spans")
"""The tables and views that are exported, each by the report `exported_<relation>`."""

KEYS: Final[Mapping[str, str]] = {"runs": "agent_trace_id", "agent_traces": "agent_trace_id", "scores": "score_id"}
"""The column that identifies a row, in relations whose deleted rows are listed. Calls and messages follow their run."""


def list_days(read: Read) -> dict[DayKey, str]:
    """Return the digest of each day that has rows: another one as soon as any row or column of the day has changed."""
    rows = all_rows(read, report("exported_days"))
    return {(row["relation"], row["day"].isoformat()): row["digest"] for row in rows}
