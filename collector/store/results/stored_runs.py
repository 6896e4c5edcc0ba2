"""Reads, inserts and deletes the rows of runs in the derived tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
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

_STAMPS = ("revision", "assembled_at", "assembled_seq")


def tables(
    connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str], *, are_linked: bool = False
) -> dict[str, pa.Table]:
    """Return the rows of some runs by table: as each run was recorded or, if they `are_linked`, with their links."""
    parameters = {"agent_trace_ids": listed(agent_trace_ids)}
    names = LINKED_LOADS if are_linked else LOADS
    return {table: read_table(connection, name, parameters) for table, name in names.items()}


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


def insert(connection: duckdb.DuckDBPyConnection, assembled: Mapping[str, pa.Table], stamps: Mapping[str, Row]) -> None:
    """Insert the rows of the assembled runs in `stamps`, and the tool definitions that no run has offered before.

    `stamps` has by agent_trace_id the revision, assembled_at and assembled_seq of each run.
    """
    tables = {name: keyed(assembled[name], "agent_trace_id", stamps.keys()) for name in DERIVED}
    tables["agent_traces"] = _stamped(tables["agent_traces"], stamps)
    with ExitStack() as stack:
        for name, table in tables.items():
            stack.enter_context(registered(connection, f"assembled_{name}", table))
            connection.execute(statement(f"insert_{name}"))
        if tables["tool_definitions"].num_rows:
            connection.execute(statement("update_first_offers"))
            connection.execute(statement("insert_offered_tools"))


def _stamped(runs: pa.Table, stamps: Mapping[str, Row]) -> pa.Table:
    """Return rows of `agent_traces` with their revision, assembled_at and assembled_seq."""
    of_runs = [stamps[key] for key in runs.column("agent_trace_id").to_pylist()]
    for name in _STAMPS:
        field = runs.schema.field(name)
        values = pa.array([stamp[name] for stamp in of_runs], type=field.type)
        runs = runs.set_column(runs.schema.get_field_index(name), field, values)
    return runs
