"""Every statement, report and condition against the schema that it is for."""

from __future__ import annotations

import duckdb
import pytest
from tests.support.sql_files import complete

from tracegrade.queries.catalog import migrate, objects
from tracegrade.queries.sql_file import SqlFile

REGISTERED = {
    "answer": "select agent_trace_id, value, label, passed, explanation, reason, details from scores",
    "arriving_experiment": "from experiments",
    "arriving_experiment_runs": "from experiment_runs",
    "arriving_feedback": "from feedback",
    "arriving_items": "from dataset_items",
    "arriving_judge_calls": "from judge_calls",
    "arriving_logs": "select * exclude (time, ingested_at, batch_seq) from logs",
    "arriving_scores": "from scores",
    "arriving_spans": "select * exclude (start_time, end_time, ingested_at, batch_seq) from spans",
    "asking_calls": (
        "select agent_trace_id, trace_id, tool_call_id, service_name, session_id, run_started_at from executions"
    ),
    "assembled_agent_traces": "from agent_traces",
    "assembled_llm_calls": "from llm_calls",
    "assembled_messages": "from messages",
    "assembled_tool_calls": "from tool_calls",
    "assembled_tool_definitions": "from tool_definitions",
    "claimed_calls": "select *, agent_trace_id as claimed_by, run_started_at as claimed_at from executions",
    "computed_outcomes": "from agent_traces",
    "counted_run_hours": "from run_hours",
    "counted_score_hours": "from score_hours",
    "counted_tool_hours": "from tool_hours",
    "deferred_targets": "select target_id, not_before, reason, kind from deferrals",
    "due": (
        "select agent_trace_id, trace_id, agent_span_id, session_id, agent_name, started_at, revision from agent_traces"
    ),
    "lone_calls": "from executions",
    "lost_feedback": "select score_id, scored_at from scores",
    "named_subjects": "select trace_id, session_id from agent_traces",
    "new_link_keys": "from link_keys",
    "new_linked_calls": "from linked_calls",
    "new_linked_runs": "from linked_runs",
    "other_versions": "select * exclude (start_time, end_time, ingested_at, batch_seq) from spans",
    "placed_feedback": (
        "select score_id, target_id, scope, agent_trace_id, trace_id, span_id, tool_call_position, session_id, "
        "agent_name, target_time, revision, evaluator, evaluator_kind, author, scored_at from scores"
    ),
    "relinked_calls": "select agent_trace_id, position, result, error, status from tool_calls",
    "relinked_runs": "select agent_trace_id, session_id, 0 as errors from agent_traces",
    "renewed_spans": "select trace_id, span_id from spans",
    "touched_runs": "select agent_trace_id from agent_traces",
}
"""What the store registers for a statement, by name, as a query over the tables that have its columns."""

PREPARED = [
    each
    for kind in ("statement", "report", "condition")
    for each in objects(kind)
    if not each.name.startswith("create_")
]


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    migrate(connection)
    for name, query in REGISTERED.items():
        connection.execute(f"create temp table {name} as {query}")
    return connection


@pytest.mark.parametrize("file", PREPARED, ids=lambda file: file.name)
def test_statement_fits_the_schema(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> None:
    connection.execute(f"prepare {file.name} as {complete(file)}")
