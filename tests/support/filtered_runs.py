"""Rows of `agent_traces`, and the runs that a filter selects among them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import duckdb

from tracegrade.queries.filter import compile_filter

from .score_rows import BEGAN

__all__ = ["BEGAN", "add_run", "select_runs"]


def add_run(connection: duckdb.DuckDBPyConnection, agent_trace_id: str, **fields: Any) -> None:
    """Inserts a run; what `fields` leave out is not recorded, but for its ids and times."""
    row = {
        "agent_trace_id": agent_trace_id,
        "trace_id": "t",
        "agent_span_id": "s",
        "root_agent_trace_id": agent_trace_id,
        "started_at": BEGAN,
        "ended_at": BEGAN,
        "tool_call_count": 0,
        "llm_call_count": 0,
        "error_count": 0,
        "completeness": "complete",
        "gaps": "[]",
        "revision": 1,
        "fingerprint": "f",
        "assembled_at": BEGAN,
        "assembled_seq": 1,
        **fields,
    }
    names = ", ".join(row)
    values = ", ".join(f"${name}" for name in row)
    id_start = "id_number($agent_trace_id, '0')"
    connection.execute(f"insert into agent_traces ({names}, id_start) values ({values}, {id_start})", row)


def select_runs(connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """Lists the ids of the runs that a filter selects, within a day of `BEGAN`."""
    run_filter = compile_filter(text)
    window = {"since": BEGAN - timedelta(days=1), "until": BEGAN + timedelta(days=1)}
    sql = f"""
        select agent_trace_id from runs
        where started_at >= $since and started_at < $until and ({run_filter.condition}) order by agent_trace_id
    """
    return [id_ for (id_,) in connection.execute(sql, {**window, **run_filter.parameters}).fetchall()]
