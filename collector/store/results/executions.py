"""Tool calls whose span is alone in a trace of its own, because its context was lost: they are calls of a run.

Such a span looks like a run of one tool call. If a run of the same service or session, within a day, is the only one
with a call of its id, the span is that call, in whatever order the two arrive. Ids that are counted, such as `call_1`,
occur in every conversation and tell nothing. All functions run in a transaction of the caller.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from tracegrade.queries.catalog import statement

from ...records.arrow_batch import keyed
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
    identified = assembled["tool_calls"].select(["agent_trace_id", "tool_call_id", "child_agent_trace_id", "span_id"])
    calls = [call for call in identified.to_pylist() if call["child_agent_trace_id"] is None]
    runs = {run["agent_trace_id"]: run for run in _runs(assembled["agent_traces"])} if calls else {}
    lone = _read_lone(assembled, runs, _find_lone(assembled, runs, calls))
    connection.execute(statement("delete_executions"), {"trace_ids": listed(trace_ids)})
    if lone:
        with registered(connection, "lone_calls", pa.Table.from_pylist(lone, schema=_LONE)):
            connection.execute(statement("insert_executions"))
    if connection.execute(statement("has_executions")).fetchall() == [(False,)]:
        return Claims()
    asking = [
        {**_place(runs[call["agent_trace_id"]]), "tool_call_id": call["tool_call_id"]}
        for call in calls
        if call["agent_trace_id"] in runs and _is_distinctive(call["tool_call_id"])
    ]
    if not asking:
        return Claims()
    with registered(connection, "asking_calls", pa.Table.from_pylist(asking, schema=_CALLS)):
        claimed = read_table(connection, "claimed_executions", {"trace_ids": listed(trace_ids)}).to_pylist()
    # A run of several lone calls stays one if any of them belongs to no other.
    counts, found = (Counter(row["agent_trace_id"] for row in rows) for rows in (lone, claimed))
    ids = {row["agent_trace_id"] for row in claimed}
    belonging = {key for key in ids if key not in counts or found[key] == counts[key]}
    return Claims([row for row in claimed if row["agent_trace_id"] in belonging])


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


def _find_lone(assembled: Mapping[str, pa.Table], runs: Mapping[str, Row], calls: Sequence[Row]) -> set[str]:
    """Return the runs that consist of spans of tools alone."""
    lone = {key for key, run in runs.items() if run["parent_agent_trace_id"] is None and _lacks_agent(run)}
    for name in ("messages", "llm_calls") if lone else ():
        lone -= set(assembled[name]["agent_trace_id"].to_pylist())
    return lone - {
        call["agent_trace_id"] for call in calls if call["span_id"] is None or not _is_distinctive(call["tool_call_id"])
    }


def _read_lone(assembled: Mapping[str, pa.Table], runs: Mapping[str, Row], lone: set[str]) -> list[Row]:
    """Return the rows of `executions` for the calls of these runs."""
    if not lone:
        return []
    calls = keyed(assembled["tool_calls"], "agent_trace_id", lone)
    return [
        {**_place(runs[call["agent_trace_id"]]), **{name: call[name] for name in _OF_CALL}}
        for call in calls.select(["agent_trace_id", "child_agent_trace_id", *_OF_CALL]).to_pylist()
        if call["child_agent_trace_id"] is None
    ]


def _lacks_agent(run: Row) -> bool:
    return NO_AGENT_SPAN in (run["gaps"] or "")


def _place(run: Row) -> dict[str, Any]:
    names = ("agent_trace_id", "trace_id", "service_name", "session_id")
    return {**{name: run[name] for name in names}, "run_started_at": run["started_at"]}


def _is_distinctive(call_id: str | None) -> bool:
    """Return whether an id is more than a word and a digit."""
    return call_id is not None and len(_DIGITS.findall(call_id)) >= 2
