"""Loads targets in the form in which evaluators get them: runs, sessions and tools, as Arrow tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.evaluators.conversation import ConversationTrajectory

from ...records.arrow_batch import Batch, keyed
from ...records.row_mapping import DERIVED, MEMBERS, REFERENCES, SESSIONS, TOOLS, conversations_of, tools_of, traces_of
from ..engines.arrow import listed, read_table
from ..results import stored_runs
from ..results.sessions import Member
from .references import ReferenceLookup

__all__ = ["Sessions", "load_runs", "load_runs_without_content", "load_sessions", "load_tools", "members_by_session"]


def load_runs(
    connection: duckdb.DuckDBPyConnection,
    references: ReferenceLookup,
    agent_trace_ids: Sequence[str],
    *,
    are_linked: bool = False,
) -> Batch[Any]:
    """Load runs with their content and their references."""
    tables = stored_runs.tables(connection, agent_trace_ids, are_linked=are_linked)
    tables[REFERENCES] = references.of(connection, tables["agent_traces"])
    return Batch(tables, traces_of, key="agent_trace_id")


def load_runs_without_content(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Sequence[str]) -> Batch[Any]:
    """Load the ids, times and names of runs, the columns of the relation `due` that queries of evaluators read."""
    runs = read_table(connection, "runs_without_content", {"agent_trace_ids": listed(agent_trace_ids)})
    empty = pa.table({"agent_trace_id": pa.array([], type=pa.string())})
    children = dict.fromkeys(DERIVED[1:], empty)
    return Batch({"agent_traces": runs, **children}, traces_of, key="agent_trace_id")


def load_sessions(
    connection: duckdb.DuckDBPyConnection, references: ReferenceLookup, target_ids: Sequence[str]
) -> Batch[Any]:
    """Load those of these sessions that have runs."""
    members = read_table(connection, "runs_of_sessions", {"target_ids": listed(target_ids)})
    runs = load_runs(connection, references, members.column("agent_trace_id").to_pylist(), are_linked=True)
    present = set(members.column("target_id").to_pylist())
    return Sessions([target_id for target_id in target_ids if target_id in present], members, runs.tables)


def load_tools(connection: duckdb.DuckDBPyConnection, target_ids: Sequence[str]) -> Batch[Any]:
    """Load tool definitions."""
    tools = read_table(connection, "tools_of_targets", {"target_ids": listed(target_ids)})
    return Batch({TOOLS: tools}, tools_of, key="target_id")


def members_by_session(tables: Mapping[str, pa.Table]) -> Mapping[str, frozenset[Member]]:
    """Return by target_id the runs of the sessions in `tables`, as they were when they were loaded."""
    if SESSIONS not in tables:
        return {}
    columns = ["agent_trace_id", "revision", "parent_agent_trace_id"]
    runs: dict[str, Member] = {
        row["agent_trace_id"]: (row["agent_trace_id"], row["revision"], row["parent_agent_trace_id"] is None)
        for row in tables["agent_traces"].select(columns).to_pylist()
    }
    members: dict[str, set[Member]] = {
        target_id: set() for target_id in tables[SESSIONS].column("target_id").to_pylist()
    }
    for row in tables[MEMBERS].to_pylist():
        if (run := runs.get(row["agent_trace_id"])) is not None:
            members[row["target_id"]].add(run)
    return {target_id: frozenset(of_session) for target_id, of_session in members.items()}


class Sessions(Batch[ConversationTrajectory]):
    """Sessions with their runs; `members` says which run belongs to which session."""

    def __init__(self, target_ids: Sequence[str], members: pa.Table, tables: Mapping[str, pa.Table]) -> None:
        main = pa.table({"target_id": pa.array(target_ids, type=pa.string())})
        super().__init__({SESSIONS: main, MEMBERS: members, **tables}, conversations_of, key="target_id")

    def only(self, keys: Collection[str]) -> Sessions:
        members = keyed(self.tables[MEMBERS], "target_id", keys)
        runs = set(members.column("agent_trace_id").to_pylist())
        rest = {name: table for name, table in self.tables.items() if name not in {SESSIONS, MEMBERS}}
        wanted = set(keys)
        selected = [key for key in self.keys if key in wanted]
        of_runs = {name: keyed(table, "agent_trace_id", runs) for name, table in rest.items()}
        return Sessions(selected, members, of_runs)
