"""Reads, inserts and deletes the rows of runs in the derived tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ...records.arrow_batch import keyed
from ...records.fingerprint import fingerprint
from ...records.row_mapping import DERIVED, traces_of
from ..engines.arrow import listed, read_table, registered
from .changes import Row

__all__ = ["LINKED_LOADS", "LOADS", "delete", "fingerprints", "insert", "tables", "with_stored_span"]

LOADS: Final[Mapping[str, str]] = {
    "agent_traces": "recorded_agent_traces",
    "tool_calls": "recorded_tool_calls",
    "messages": "messages_of_runs",
    "llm_calls": "llm_calls_of_runs",
    "tool_definitions": "tool_definitions_of_runs",
}
"""The statement that loads rows of each table, with each run as it was recorded, without its links."""

LINKED_LOADS: Final = {
    **LOADS,
    "agent_traces": "linked_agent_traces",
    "tool_calls": "linked_tool_calls",
}
"""The same, with the sessions and the outcomes of tool calls that links added."""

_BY_SIZE: Final = ("messages", "agent_traces", "tool_calls", "llm_calls", "tool_definitions")
"""The order in which rows are read: to read some takes a multiple of their memory, so the most before all others."""

_OFFERING = ["agent_trace_id", "started_at", "experiment_id"]
_STAMPS = ("revision", "assembled_at", "assembled_seq")


def tables(
    connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str], *, are_linked: bool = False
) -> dict[str, pa.Table]:
    """Return the rows of some runs by table: as each run was recorded or, if they `are_linked`, with their links."""
    parameters = {"agent_trace_ids": listed(agent_trace_ids)}
    names = LINKED_LOADS if are_linked else LOADS
    rows = {table: read_table(connection, names[table], parameters) for table in _BY_SIZE}
    return {table: rows[table] for table in names}


def fingerprints(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> Mapping[str, str]:
    """Return by agent_trace_id the fingerprints of some runs, computed from their rows by the present method."""
    rows = {name: table.to_pylist() for name, table in tables(connection, agent_trace_ids).items()}
    return {run.agent_trace_id: fingerprint(run) for run in traces_of(rows)}


def with_stored_span(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Sequence[str]) -> list[str]:
    """Return which of these runs have an agent span that is still stored."""
    if not agent_trace_ids:
        return []
    asked = {"agent_trace_ids": listed(agent_trace_ids)}
    return [key for (key,) in connection.execute(statement("runs_with_stored_span"), asked).fetchall()]


def delete(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> None:
    """Delete the rows of some runs."""
    if agent_trace_ids:
        for name in DERIVED:
            connection.execute(statement(f"delete_{name}"), {"agent_trace_ids": listed(agent_trace_ids)})


def insert(connection: duckdb.DuckDBPyConnection, assembled: dict[str, pa.Table], stamps: Mapping[str, Row]) -> None:
    """Insert the rows of the assembled runs in `stamps`, and the tool definitions that no run has offered before.

    `stamps` has by agent_trace_id the revision, assembled_at and assembled_seq of each run. Each table is removed from
    `assembled` for its insertion, so that a commit of large values does not hold them twice.
    """
    assembled["agent_traces"] = _stamped(keyed(assembled["agent_traces"], "agent_trace_id", stamps.keys()), stamps)
    runs = _copy(assembled["agent_traces"].select(_OFFERING))
    definitions = keyed(assembled["tool_definitions"], "agent_trace_id", stamps.keys())
    for name in DERIVED:
        rows = keyed(assembled.pop(name), "agent_trace_id", stamps.keys())
        reader = pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches())
        del rows  # a table would be held until the commit; the reader lets go of what DuckDB has read
        with registered(connection, f"assembled_{name}", reader):
            connection.execute(statement(f"insert_{name}"))
    if definitions.num_rows:
        with (
            registered(connection, "assembled_agent_traces", runs),
            registered(connection, "assembled_tool_definitions", definitions),
        ):
            connection.execute(statement("update_first_offers"))
            connection.execute(statement("insert_offered_tools"))


def _copy(rows: pa.Table) -> pa.Table:
    """Copy a few columns, which otherwise hold the memory of the whole table that they came in."""
    return pa.Table.from_pylist(rows.to_pylist(), schema=rows.schema)


def _stamped(runs: pa.Table, stamps: Mapping[str, Row]) -> pa.Table:
    """Return rows of `agent_traces` with their revision, assembled_at and assembled_seq."""
    of_runs = [stamps[key] for key in runs.column("agent_trace_id").to_pylist()]
    for name in _STAMPS:
        field = runs.schema.field(name)
        values = pa.array([stamp[name] for stamp in of_runs], type=field.type)
        runs = runs.set_column(runs.schema.get_field_index(name), field, values)
    return runs
