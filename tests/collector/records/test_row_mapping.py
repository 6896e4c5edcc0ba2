from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import agent_spans
from tests.support.recordings import RECORDINGS, Recording
from tests.support.store import opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.records.row_mapping import DERIVED, read_scores, rows_of, score_row, traces_of
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import (
    AgentTrace,
    GenericPart,
    LlmCall,
    Message,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

TEXT = st.text(max_size=10)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
TIMES = st.datetimes(datetime(2000, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
COUNTS = st.none() | st.integers(0, 2**53)
PARTS = st.one_of(
    st.builds(TextPart, content=TEXT),
    st.builds(ReasoningPart, content=TEXT),
    st.builds(ToolCallPart, id=st.none() | TEXT, name=TEXT, arguments=st.none() | TEXT | OBJECTS),
    st.builds(ToolCallResponsePart, id=st.none() | TEXT, response=st.none() | TEXT),
    st.builds(GenericPart, kind=TEXT, content=OBJECTS),
)
RUNS = st.builds(
    AgentTrace,
    agent_trace_id=TEXT,
    trace_id=TEXT,
    agent_span_id=TEXT,
    input=st.none() | TEXT,
    messages=st.lists(
        st.builds(Message, role=TEXT, parts=st.lists(PARTS, max_size=3).map(tuple), time=st.none() | TIMES), max_size=3
    ).map(tuple),
    tool_calls=st.lists(
        st.builds(
            ToolCall,
            name=st.text(min_size=1, max_size=5),
            id=st.none() | TEXT,
            args=st.none() | OBJECTS,
            result=st.none() | TEXT,
            started_at=st.none() | TIMES,
            metadata=st.just({}),
        ),
        max_size=3,
    ).map(tuple),
    llm_calls=st.lists(
        st.builds(LlmCall, finish_reasons=st.none() | st.just(("stop",)), input_tokens=COUNTS, is_retry=st.booleans()),
        max_size=3,
    ).map(tuple),
    tool_definitions=st.none()
    | st.lists(
        st.builds(ToolDefinition, name=st.text(min_size=1, max_size=5), input_schema=st.none() | OBJECTS),
        min_size=1,
        max_size=3,
    ).map(tuple),
    reasoning_steps=st.lists(TEXT, max_size=2).map(tuple),
    started_at=st.none() | TIMES,
    gaps=st.lists(TEXT, max_size=2).map(tuple),
    interrupt=st.none() | TEXT,
    input_tokens=COUNTS,
    reference=st.none(),
)


def there_and_back(*runs: AgentTrace) -> list[AgentTrace]:
    tables: dict[str, list[dict[str, Any]]] = {table: [] for table in DERIVED}
    for run in runs:
        for table, rows in rows_of(run).items():
            tables[table].extend(rows)
    return traces_of(tables)


@given(RUNS)
def test_run_survives_the_way_through_its_rows(run: AgentTrace) -> None:
    assert there_and_back(run) == [run]


@pytest.mark.parametrize("recording", RECORDINGS[::7], ids=str)
def test_recorded_run_survives_the_way_through_its_rows(recording: Recording) -> None:
    runs = [run for trace_id, spans in recording.spans.items() for run in assemble(spans, recording.logs_of(trace_id))]
    assert there_and_back(*runs) == runs


def test_run_survives_the_way_through_the_store(tmp_path: Path) -> None:
    definitions = '[{"name": "search", "description": "finds", "parameters": {"type": "object"}}]'
    spans = [
        *agent_spans.trip(),
        agent_spans.chat(9, parent=1, at_s=8, attributes={"gen_ai.tool.definitions": definitions}),
    ]
    [run] = assemble(spans)
    with opened(tmp_path) as store:
        store.results.revise(store.tables([run]), [run.trace_id], final=())
        with store.database.cursor() as connection:
            tables = {table: connection.table(table).to_arrow_table().to_pylist() for table in DERIVED}
    assert traces_of(tables) == [run]


def test_rows_of_several_runs_find_their_own_parts() -> None:
    runs = [run for trace in (1, 2, 3) for run in assemble(agent_spans.trip(trace))]
    assert there_and_back(*runs) == runs


def test_run_is_counted_in_its_row() -> None:
    failed = agent_spans.tool(9, "book", parent=1, at_s=7, status_code="error")
    [run] = assemble([*agent_spans.trip(), failed])
    [row] = rows_of(run)["agent_traces"]
    assert (row["tool_call_count"], row["llm_call_count"], row["error_count"]) == (2, 2, 1)


def test_json_is_text_and_time_is_utc_without_a_zone() -> None:
    summer = timezone(timedelta(hours=2))
    call = ToolCall(name="search", args={"to": "Paris"}, started_at=datetime(2026, 1, 1, 14, tzinfo=summer))
    [row] = rows_of(AgentTrace(tool_calls=(call,)))["tool_calls"]
    assert json.loads(row["args"]) == {"to": "Paris"}
    assert row["started_at"] == datetime(2026, 1, 1, 12)  # noqa: DTZ001


def test_arguments_that_were_not_recorded_are_not_those_that_are_empty() -> None:
    calls = (ToolCall(name="a", args=None), ToolCall(name="b", args={}))
    assert [row["args"] for row in rows_of(AgentTrace(tool_calls=calls))["tool_calls"]] == [None, "{}"]


def test_score_survives_the_way_through_its_row() -> None:
    scores = InProcessWorkbench(lambda: datetime(2026, 1, 1, tzinfo=UTC)).evaluate(
        assemble(agent_spans.trip()), [configure("tool_error"), configure("tool_efficiency")]
    )
    assert read_scores({"scores": [score_row(one) for one in scores]}) == scores


def test_definition_hash_is_that_of_name_description_and_schema() -> None:
    schema = {"type": "object", "properties": {"a": {}, "b": {}}}
    turned = {"properties": {"b": {}, "a": {}}, "type": "object"}
    one = ToolDefinition(name="search", description="finds", input_schema=schema)
    assert one.hash == one.model_copy(update={"input_schema": turned}).hash
    others: list[dict[str, Any]] = [{"name": "seek"}, {"description": None}, {"input_schema": None}]
    assert len({one.model_copy(update=other).hash for other in [{}, *others]}) == 4
