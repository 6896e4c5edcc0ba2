"""Tool calls whose span is alone in a trace of its own, because its context was lost: they are calls of a run.

Such a span looks like a run of one tool call. If a run of the same service or session, within a day, is the only one
with a call of its id, the span is that call, in whatever order the two arrive. Ids that are counted, such as `call_1`,
occur in every conversation and tell nothing. All functions run in a transaction of the caller.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from tracegrade.queries.catalog import statement

from ...spans.values import NO_AGENT_SPAN
from ..engines.arrow import listed, read_table, registered
from .changes import Row

__all__ = ["Claims", "claim", "complete"]

_DIGITS: Final = re.compile(r"[0-9]")
_TEXT, _TIME = pa.string(), pa.timestamp("us")
_CALLS: Final = pa.schema(
    [
        ("agent_trace_id", _TEXT),
        ("trace_id", _TEXT),
        ("tool_call_id", _TEXT),
        ("service_name", _TEXT),
        ("session_id", _TEXT),
        ("run_started_at", _TIME),
    ]
)
_LONE: Final = pa.schema(
    [
        *_CALLS,
        ("name", _TEXT),
        ("span_id", _TEXT),
        ("started_at", _TIME),
        ("duration_ms", pa.float64()),
        ("result", _TEXT),
        ("error", _TEXT),
        ("status", _TEXT),
    ]
)
_OF_CALL: Final = ("tool_call_id", "name", "span_id", "started_at", "duration_ms", "result", "error", "status")


@dataclass(frozen=True, slots=True)
class Claims:
    """The lone calls that are calls of runs, with these; `lone_ids` are the runs that they would be otherwise."""

    rows: Sequence[Row] = ()

    @property
    def lone_ids(self) -> frozenset[str]:
        """The runs that are none, by agent_trace_id."""
        return frozenset(row["agent_trace_id"] for row in self.rows)

    @property
    def trace_ids(self) -> frozenset[str]:
        """The traces of these runs."""
        return frozenset(row["trace_id"] for row in self.rows)

    @property
    def completed(self) -> dict[str, datetime]:
        """The start of each run with such calls, by agent_trace_id."""
        return {row["claimed_by"]: row["claimed_at"] for row in self.rows}

    def without_lone(self, assembled: dict[str, pa.Table]) -> dict[str, pa.Table]:
        """Return the assembled rows by table without those of the runs that are none."""
        lone = pa.array(sorted(self.lone_ids), _TEXT)
        if not len(lone):
            return assembled
        return {
            name: table.filter(pc.invert(pc.is_in(table["agent_trace_id"], value_set=lone)))
            if "agent_trace_id" in table.column_names
            else table
            for name, table in assembled.items()
        }


def claim(
    connection: duckdb.DuckDBPyConnection, assembled: Mapping[str, pa.Table], trace_ids: Collection[str]
) -> Claims:
    """Store the lone calls among the assembled rows, of the traces `trace_ids`; return which are calls of runs."""
    calls = assembled["tool_calls"]
    rows = [
        row
        for row in calls.select(["agent_trace_id", "trace_id", "child_agent_trace_id", *_OF_CALL]).to_pylist()
        if row["child_agent_trace_id"] is None
    ]
    runs = {run["agent_trace_id"]: run for run in _runs(assembled["agent_traces"])} if rows else {}
    lone = _find_lone(assembled, runs, rows)
    connection.execute(statement("delete_executions"), {"trace_ids": listed(trace_ids)})
    if lone:
        with registered(connection, "lone_calls", pa.Table.from_pylist(lone, schema=_LONE)):
            connection.execute(statement("insert_executions"))
    asking = [
        {**_place(runs[row["agent_trace_id"]]), "tool_call_id": row["tool_call_id"]}
        for row in rows
        if row["tool_call_id"] is not None and _is_distinctive(row["tool_call_id"])
    ]
    if not asking or connection.execute(statement("has_executions")).fetchall() == [(False,)]:
        return Claims()
    with registered(connection, "asking_calls", pa.Table.from_pylist(asking, schema=_CALLS)):
        claimed = read_table(connection, "claimed_executions", {"trace_ids": listed(trace_ids)}).to_pylist()
    ids = {row["agent_trace_id"] for row in lone}
    # A run of several lone calls stays one if any of them belongs to no other.
    counts = {key: sum(row["agent_trace_id"] == key for row in lone) for key in ids}
    found = {key: sum(row["agent_trace_id"] == key for row in claimed) for key in ids}
    return Claims([row for row in claimed if found.get(row["agent_trace_id"]) == counts.get(row["agent_trace_id"])])


def complete(connection: duckdb.DuckDBPyConnection, claims: Claims) -> dict[str, datetime]:
    """Complete the calls of runs by what their spans recorded; return the start of these runs, by agent_trace_id."""
    if not claims.rows:
        return {}
    with registered(connection, "claimed_calls", pa.Table.from_pylist([*claims.rows])):
        connection.execute(statement("complete_executed_calls"))
    completed = claims.completed
    times = {"earliest": min(completed.values()), "latest": max(completed.values())}
    connection.execute(statement("update_failed_calls"), {"agent_trace_ids": listed(completed), **times})
    return completed


def _runs(table: pa.Table) -> list[dict[str, Any]]:
    columns = [
        "agent_trace_id",
        "trace_id",
        "parent_agent_trace_id",
        "service_name",
        "session_id",
        "started_at",
        "gaps",
    ]
    rows: list[dict[str, Any]] = table.select(columns).to_pylist()
    return [row for row in rows if row["started_at"] is not None]


def _find_lone(
    assembled: Mapping[str, pa.Table], runs: Mapping[str, Row], calls: Sequence[Row]
) -> list[dict[str, Any]]:
    """Return the rows of `executions` for the runs that consist of spans of tools alone."""
    candidates = {key for key, run in runs.items() if run["parent_agent_trace_id"] is None and _lacks_agent(run)}
    if not candidates:
        return []
    for name in ("messages", "llm_calls"):
        candidates -= set(assembled[name]["agent_trace_id"].to_pylist())
    candidates -= {
        row["agent_trace_id"]
        for row in calls
        if row["span_id"] is None or row["tool_call_id"] is None or not _is_distinctive(row["tool_call_id"])
    }
    return [
        {**_place(runs[row["agent_trace_id"]]), **{name: row[name] for name in _OF_CALL}}
        for row in calls
        if row["agent_trace_id"] in candidates
    ]


def _lacks_agent(run: Row) -> bool:
    return NO_AGENT_SPAN in (run["gaps"] or "")


def _place(run: Row) -> dict[str, Any]:
    names = ("agent_trace_id", "trace_id", "service_name", "session_id")
    return {**{name: run[name] for name in names}, "run_started_at": run["started_at"]}


def _is_distinctive(call_id: str) -> bool:
    """Return whether an id is more than a word and a digit."""
    return len(_DIGITS.findall(call_id)) >= 2
