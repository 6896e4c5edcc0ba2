"""Runs in AgentV's files: results, transcripts, and the traces of earlier releases."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracegrade.evaluators.formats import CALLS_NOT_RECORDED
from tracegrade.evaluators.formats.agentv.kind import KIND
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.formats.records import read_stream
from tracegrade.evaluators.model import AgentTrace, Message, ReasoningPart, ToolCall, ToolCallResponsePart

EVAL_001 = {
    "id": "eval-001",
    "output_messages": [
        {
            "role": "assistant",
            "content": "I'll search for information about this topic.",
            "tool_calls": [
                {
                    "tool": "knowledgeSearch",
                    "input": {"query": "REST vs GraphQL"},
                    "output": {"results": []},
                    "id": "call_123",
                    "timestamp": "2024-01-15T10:30:00Z",
                    "duration_ms": 45,
                }
            ],
        }
    ],
}
EVENTS: list[dict[str, Any]] = [
    {"type": "model_step", "text": "I search."},
    {"type": "tool_call", "timestamp": "2024-01-15T09:00:00Z", "id": "call_1", "name": "webSearch", "input": {"n": 5}},
    {"type": "tool_result", "timestamp": "2024-01-15T09:00:01Z", "id": "call_1", "name": "webSearch", "output": [1]},
    {"type": "message", "text": "Buy it."},
]
ROW = {
    "schema_version": "agentv.transcript.v1",
    "test_id": "t1",
    "target": "copilot-cli",
    "transcript_token_usage": {"input": 900, "output": 220},
    "transcript_duration_ms": 1750,
    "transcript_cost_usd": None,
    "capture": {"content": "full"},
    "source": {
        "provider": "copilot",
        "session_id": "s1",
        "model": "gpt-5-mini",
        "timestamp": "2026-07-05T00:00:00.000Z",
        "version": "1.2",
    },
}


def make_row(index: int, role: str, **fields: Any) -> dict[str, Any]:
    return {**ROW, "message_index": index, "role": role, **fields}


def read_values(*values: Any) -> list[Imported | RecordFault]:
    return list(KIND.read(Record(f"line {line}", value) for line, value in enumerate(values, 1)))


def read_run(value: Any) -> AgentTrace:
    (entry,) = read_values(value)
    assert isinstance(entry, Imported)
    assert entry.run is not None
    return entry.run


def test_the_trace_of_the_guide_is_read_with_its_call_and_written_the_same() -> None:
    (entry,) = read_values(EVAL_001)
    assert isinstance(entry, Imported)
    assert (entry.id, entry.metadata) == ("eval-001", {})
    assert entry.run is not None
    (call,) = entry.run.tool_calls
    assert (call.name, call.args, call.result) == ("knowledgeSearch", {"query": "REST vs GraphQL"}, '{"results":[]}')
    assert (call.id, call.duration_ms) == ("call_123", 45)
    assert KIND.write is not None
    (line,) = KIND.write([entry])
    assert read_values(json.loads(line)) == [Imported("line 1", id="eval-001", run=entry.run)]


def test_a_result_has_its_scores_in_the_metadata() -> None:
    row = {
        "timestamp": "2026-02-22T10:00:01.000Z",
        "test_id": "research",
        "suite": "multi-agent",
        "score": 0.75,
        "trace": {"event_count": 1, "token_usage": {"input": 8500, "output": 1667}, "duration_ms": 15080},
        "output": [
            {
                "role": "assistant",
                "content": "Searching.",
                "tool_calls": [{"tool": "WebSearch", "input": {"query": "x"}, "duration_ms": 2100}],
                "duration_ms": 2360,
                "token_usage": {"input": 2498, "output": 312},
            }
        ],
    }
    (entry,) = read_values(row)
    assert isinstance(entry, Imported)
    assert entry.run is not None
    assert (entry.id, entry.metadata["score"], entry.metadata["suite"]) == ("research", 0.75, "multi-agent")
    assert (entry.run.duration_ms, entry.run.input_tokens) == (15080, 2498)
    (llm_call,) = entry.run.llm_calls
    assert (llm_call.input_tokens, llm_call.output_tokens, llm_call.duration_ms) == (2498, 312, 2360)
    assert llm_call.span_id == entry.run.messages[0].span_id


def test_a_result_with_a_summary_alone_has_no_record_of_its_calls() -> None:
    run = read_run(
        {
            "eval_id": "any-order-pass",
            "conversation_id": "c1",
            "score": 1,
            "candidate_answer": "Done",
            "lm_provider_request": {"question": "Research.", "guidelines": ""},
            "trace_summary": {"event_count": 3, "tool_calls_by_name": {"search": 2}, "duration_ms": 41},
        }
    )
    assert (run.input, run.final_response, run.duration_ms, run.session_id) == ("Research.", "Done", 41, "c1")
    assert (run.tool_calls, run.gaps) == ((), (CALLS_NOT_RECORDED,))


def test_the_error_of_a_result_is_that_of_the_run() -> None:
    run = read_run({"test_id": "t", "score": 0, "trace": {"event_count": 0}, "error": "provider timed out"})
    assert run.error == "provider timed out"


def test_events_of_earlier_releases_are_calls_with_their_results() -> None:
    run = read_run({"text": "I recommend it.", "trace": EVENTS})
    (call,) = run.tool_calls
    assert (call.name, call.args, call.result, call.status) == ("webSearch", {"n": 5}, "[1]", "ok")
    assert call.started_at == datetime(2024, 1, 15, 9, tzinfo=UTC)
    assert call.duration_ms is None
    assert run.final_response == "Buy it."
    assert run.messages[0] == Message(role="assistant", parts=(ReasoningPart(content="I search."),))
    assert run.messages[2].parts == (ToolCallResponsePart(id="call_1", name="webSearch", response="[1]"),)


def test_the_text_beside_events_is_the_answer_if_no_message_is() -> None:
    assert read_run({"text": "I recommend it.", "trace": EVENTS[1:3]}).final_response == "I recommend it."


def test_a_call_without_a_result_in_the_events_may_not_have_been_executed() -> None:
    (call,) = read_run({"trace": EVENTS[1:2]}).tool_calls
    assert (call.result, call.status) == (None, None)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        pytest.param([7], "trace[0] is a number", id="no object"),
        pytest.param([{"type": "jump"}], "trace[0].type is 'jump'", id="unknown type"),
        pytest.param([{"type": "tool_call"}], "trace[0] has no name", id="no name"),
        pytest.param(EVENTS[2:3], "trace[0] is the result of a call that is not before it: call_1", id="no call"),
        pytest.param([{**EVENTS[1], "timestamp": "noon"}], "trace[0].timestamp is 'noon'", id="no time"),
    ],
)
def test_a_fault_in_events_is_named_with_its_place(events: Any, reason: str) -> None:
    (fault,) = read_values({"trace": events, "output_messages": None, "text": "x"})
    assert isinstance(fault, RecordFault)
    assert fault.reason.startswith(reason)


def test_the_lines_of_a_transcript_are_one_run() -> None:
    entries = read_values(
        make_row(0, "user", content="Analyze this"),
        make_row(
            1, "assistant", tool_calls=[{"tool": "Read", "input": {"path": "a.csv"}, "id": "c1", "output": "1,2"}]
        ),
        make_row(2, "assistant", content="November"),
        {**make_row(0, "user", content="Next"), "test_id": "t2"},
    )
    first, second = entries
    assert isinstance(first, Imported)
    assert isinstance(second, Imported)
    assert first.run is not None
    assert (first.place, first.id, first.input) == ("line 1", "t1", "Analyze this")
    assert [(call.name, call.args, call.result) for call in first.run.tool_calls] == [
        ("Read", {"path": "a.csv"}, "1,2")
    ]
    assert (first.run.final_response, first.run.session_id, first.run.model) == ("November", "s1", "gpt-5-mini")
    assert (first.run.input_tokens, first.run.output_tokens, first.run.duration_ms) == (900, 220, 1750)
    assert first.run.cost_usd is None
    assert first.run.started_at == datetime(2026, 7, 5, tzinfo=UTC)
    assert first.metadata["target"] == "copilot-cli"
    assert (second.place, second.id) == ("line 4", "t2")


def test_a_bad_line_of_a_transcript_is_named_and_the_others_are_kept() -> None:
    fault, entry = read_values(
        make_row(0, "user", content="Hi"),
        make_row(1, "assistant", tool_calls=[{}]),
        make_row(2, "assistant", content="Yes"),
    )
    assert isinstance(fault, RecordFault)
    assert (fault.place, fault.reason.partition(";")[0]) == ("line 2", "tool_calls[0] has no name")
    assert isinstance(entry, Imported)
    assert entry.run is not None
    assert entry.run.final_response == "Yes"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        pytest.param(7, "the record is a number", id="a number"),
        pytest.param([], "the record is a list", id="a list"),
        pytest.param({"output_messages": {}}, "output_messages is an object", id="messages are no list"),
        pytest.param(
            {"output_messages": [], "token_usage": {"input": 1.5}}, "token_usage.input is 1.5", id="half a token"
        ),
        pytest.param({"output_messages": [], "duration_ms": "1"}, "duration_ms is text", id="duration is text"),
        pytest.param({"tests": [], "prompts": []}, "prompts: this is an eval file of AgentV 5", id="version 5"),
    ],
)
def test_a_fault_in_a_record_names_the_field(value: Any, reason: str) -> None:
    (fault,) = read_values(value)
    assert isinstance(fault, RecordFault)
    assert (fault.place, fault.reason[: len(reason)]) == ("line 1", reason)


def test_a_line_that_was_cut_off_is_a_fault_and_those_before_it_are_kept() -> None:
    text = f"{json.dumps(EVAL_001)}\n{json.dumps(EVAL_001)[:60]}"
    entry, fault = KIND.read(read_stream(BytesIO(text.encode())))
    assert isinstance(entry, Imported)
    assert isinstance(fault, RecordFault)
    assert fault.place == "line 2"


@pytest.mark.parametrize(
    ("value", "strength"),
    [
        pytest.param(EVAL_001, 3, id="output messages"),
        pytest.param({"output": [{"role": "assistant", "tool_calls": [{"tool": "a"}]}]}, 3, id="later output"),
        pytest.param({"output": [{"role": "assistant", "tool_calls": [{"name": "a"}]}]}, 0, id="calls of others"),
        pytest.param(make_row(0, "user"), 3, id="transcript"),
        pytest.param({"text": "x", "trace": EVENTS}, 3, id="events"),
        pytest.param({"eval_id": "a", "score": 1, "trace_summary": {}}, 3, id="result"),
        pytest.param({"evalcases": [{}]}, 3, id="eval file"),
        pytest.param({"tests": [{}]}, 2, id="later eval file"),
        pytest.param({"id": "c", "input": "x", "criteria": "y"}, 1, id="case"),
        pytest.param({"messages": [{"role": "user"}]}, 0, id="messages of OpenAI"),
        pytest.param([], 0, id="a list"),
    ],
)
def test_files_are_recognised_by_fields_of_agentv(value: Any, strength: int) -> None:
    assert KIND.claim(Record("line 1", value)).strength == strength


def test_a_call_with_a_start_and_an_end_took_the_time_between() -> None:
    call = {
        "tool": "a",
        "start_time": "2026-01-01T00:00:00Z",
        "end_time": "2026-01-01T00:00:01.5Z",
        "status": "unknown",
    }
    (read,) = read_run({"output": [{"role": "assistant", "tool_calls": [call]}]}).tool_calls
    assert (read.duration_ms, read.status, read.metadata) == (1500, None, {})


TOKENS = st.integers(0, 10**6) | st.none()
MESSAGES = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": st.text(min_size=1, max_size=5)},
    optional={
        "duration_ms": st.integers(0, 10**6),
        "start_time": st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
        "token_usage": st.fixed_dictionaries(
            {}, optional={"input": TOKENS, "output": TOKENS, "cached": TOKENS, "reasoning": TOKENS}
        ),
        "tool_calls": st.lists(st.fixed_dictionaries({"tool": st.sampled_from("ab"), "input": st.just({"x": 1})})),
    },
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.fixed_dictionaries({"output_messages": st.lists(MESSAGES, max_size=4)}, optional={"cost_usd": st.floats(0, 9)})
)
def test_a_run_that_was_read_is_written_and_read_again_the_same(value: dict[str, Any]) -> None:
    run = read_run(value)
    assert KIND.write is not None
    (line,) = KIND.write([Imported("line 1", run=run)])
    assert read_run(json.loads(line)) == run


def test_calls_of_a_stored_run_keep_name_arguments_result_and_time() -> None:
    run = AgentTrace(
        tool_calls=(ToolCall(name="a", args={"x": 1}, result="r", status="error", error="e", duration_ms=3),),
        final_response="done",
    )
    assert KIND.write is not None
    (line,) = KIND.write([Imported("line 1", run=run)])
    again = read_run(json.loads(line))
    (call,) = again.tool_calls
    assert (call.name, call.args, call.result, call.status, call.error, call.duration_ms) == (
        "a",
        {"x": 1},
        "r",
        "error",
        "e",
        3,
    )
    assert again.final_response == "done"
