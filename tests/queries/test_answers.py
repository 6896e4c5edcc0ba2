"""The models of what the API answers against the tables and views that they are rows of."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from tracegrade.queries.answers.log_record import LogRecord
from tracegrade.queries.answers.row import Row
from tracegrade.queries.answers.run import LlmCall, Message, Run, RunDetail, SubRun, ToolCall, ToolDefinition
from tracegrade.queries.answers.score import Score
from tracegrade.queries.answers.session import Session
from tracegrade.queries.answers.span import Span
from tracegrade.queries.catalog import migrate, report
from tracegrade.queries.read.run_parts import PARTS

MODELS: dict[str, type[Row]] = {
    "llm_calls": LlmCall,
    "logs": LogRecord,
    "messages": Message,
    "runs": Run,
    "scores": Score,
    "sessions": Session,
    "spans": Span,
    "tool_calls": ToolCall,
    "tool_definitions": ToolDefinition,
}
OTHERS = {"superseded", "truncated"}
INTERNAL = {"id_start"}
"""Columns by which rows are found."""


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        migrate(connection)
        yield connection


@pytest.mark.parametrize("relation", MODELS)
def test_model_has_the_columns_in_their_order(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
    columns = [name for name, *_ in connection.execute(f"describe {relation}").fetchall()]
    assert list(MODELS[relation].model_fields) == [name for name in columns if name not in INTERNAL]


@pytest.mark.parametrize(("name", "model"), [("whole_run", RunDetail), ("runs_in_tree", SubRun)])
def test_report_has_the_columns_of_its_model(
    connection: duckdb.DuckDBPyConnection, name: str, model: type[Row]
) -> None:
    sql = report(name).replace("$limit", "1")
    values = {"agent_trace_id": "x", "started_at": "2026-01-01", "earliest": "2026-01-01", "latest": "2026-01-01"}
    result = connection.execute(sql, {key: value for key, value in values.items() if f"${key}" in sql})
    columns = {name for name, *_ in result.description or ()}
    assert set(model.model_fields) - columns - {*PARTS, *OTHERS} == set()
