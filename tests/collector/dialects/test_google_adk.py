from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ReasoningPart, ToolCallPart

SCOPE = "gcp.vertex.agent"
CALL = {"id": "c", "name": "book", "args": {"n": 1}}
DETAILS = "gen_ai.client.inference.operation.details"


def read(name: str, *, events: tuple[Event, ...] = (), **attributes: Any) -> Step | None:
    reading = dialects.read(agent_spans.span(1, name=name, attributes=attributes, events=events, scope_name=SCOPE))
    return reading[1] if reading else None


def generated(*events: Event, **more: Any) -> Step:
    return require_step(
        read("generate_content m", events=events, **{"gen_ai.operation.name": "generate_content", **more})
    )


def log(name: str, content: Any) -> Event:
    return Event(name, 0, {"user.id": "u"}, body={"content": content}, is_log=True)


@pytest.mark.parametrize(
    ("name", "kind", "who"),
    [
        ("agent_run [planner]", "agent", "planner"),
        ("tool_call [search]", "tool", "search"),
        ("execute_tool search", "tool", "search"),
    ],
)
def test_oldest_spans_are_read_by_their_names(name: str, kind: str, who: str) -> None:
    reading = read(name)

    assert reading is not None
    assert (reading.kind, reading.agent_name or reading.tool_name) == (kind, who)


@pytest.mark.parametrize("name", ["invocation", "execute_tool (merged)", "agent_run", "send_data"])
def test_span_that_names_nobody_records_no_step(name: str) -> None:
    assert read(name) is None


def test_contents_in_log_records_are_read_as_gemini_has_them() -> None:
    step = generated(
        log("gen_ai.system.message", "Help."),
        log("gen_ai.user.message", {"role": "user", "parts": [{"text": "Where to?", "function_call": None}]}),
        log("gen_ai.user.message", {"role": "model", "parts": [{"text": "Paris."}]}),
        log("gen_ai.choice", {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"function_call": CALL}]}),
    )

    assert list_texts(step.input) == [("system", "Help."), ("user", "Where to?"), ("assistant", "Paris.")]
    assert step.output is not None
    assert step.output[0].parts == (ReasoningPart(content="Hm."), ToolCallPart(id="c", name="book", arguments={"n": 1}))
    assert step.user_id == "u"


def test_what_adk_wraps_around_a_result_is_taken_off_in_messages_too() -> None:
    answer = {"role": "user", "parts": [{"type": "tool_call_response", "id": "c", "response": {"result": "Sunny"}}]}
    step = generated(**{"gen_ai.input.messages": json.dumps([answer])})

    assert step.input is not None
    assert [part.model_dump()["response"] for part in step.input[0].parts] == ["Sunny"]


def test_request_of_the_first_schema_is_a_model_call_even_where_it_holds_nothing() -> None:
    nothing: dict[str, Any] = {"gcp.vertex.agent.llm_request": "{}", "gcp.vertex.agent.llm_response": "{}"}
    step = read("call_llm", **nothing)

    assert step is not None
    assert (step.kind, step.input, step.output, step.definitions) == ("model", None, None, None)


def test_schema_of_a_tool_may_stand_only_in_the_event() -> None:
    schema = {"type": "object", "properties": {}}
    named, whole = {"type": "function", "name": "book"}, {"type": "function", "name": "book", "parameters": schema}
    event = Event(DETAILS, 0, {"gen_ai.tool.definitions": [whole]}, is_log=True)
    step = generated(event, **{"gen_ai.tool.definitions": json.dumps([named])})

    assert [definition.input_schema for definition in step.definitions or ()] == [None, schema]


def text_message(*texts: str) -> dict[str, Any]:
    return {"role": "assistant", "parts": [{"type": "text", "content": text} for text in texts]}


def call_message(*ids: str | None) -> dict[str, Any]:
    call = {"type": "tool_call", "name": "book", "arguments": {"n": 1}}
    return {"role": "assistant", "parts": [{**call, "id": call_id} for call_id in ids]}


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(["It is ", "", "sunny."], id="pieces-alone"),
        pytest.param(["It ", "is ", "sunny. ", "It is sunny."], id="the-whole-behind-its-pieces"),
        pytest.param(["It is sunny."] * 3, id="the-whole-each-time"),
    ],
)
def test_messages_of_a_stream_are_one_answer(pieces: list[str]) -> None:
    step = generated(**{"gen_ai.output.messages": json.dumps([text_message(text) for text in pieces])})

    assert list_texts(step.output) == [("assistant", "It is sunny.")]


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        pytest.param(["na", "na", " batman"], "nana batman", id="the-same-twice-and-more"),
        pytest.param(["na", "na", " batman", "nana batman"], "nana batman", id="with-the-whole-behind"),
        pytest.param(["It ", "is.", "It is.", "So ", "be.", "So be."], "It is.So be.", id="two-wholes"),
        pytest.param(["It ", "is.", "It is.", "So "], "It is.So ", id="cut-off-behind-a-whole"),
    ],
)
def test_only_what_repeats_its_pieces_is_left_out_of_a_stream(pieces: list[str], text: str) -> None:
    step = generated(**{"gen_ai.output.messages": json.dumps([text_message(piece) for piece in pieces])})

    assert list_texts(step.output) == [("assistant", text)]


@pytest.mark.parametrize(
    ("messages", "count"),
    [
        pytest.param([call_message("book_1"), call_message("book_1"), call_message("book_1")], 1, id="the-same-id"),
        pytest.param([call_message(None), call_message(None)], 1, id="no-id"),
        pytest.param([call_message("adk-1"), call_message("adk-2")], 2, id="two-ids"),
        pytest.param([call_message(None, None)], 2, id="side-by-side"),
        pytest.param([call_message(None, None), call_message(None, None)], 2, id="side-by-side-twice"),
    ],
)
def test_call_that_comes_again_in_a_stream_is_one_call(messages: list[dict[str, Any]], count: int) -> None:
    step = generated(**{"gen_ai.output.messages": json.dumps(messages)})

    assert sum(len(message.tool_calls) for message in step.output or ()) == count


def test_request_and_response_beside_an_operation_are_read() -> None:
    request = {
        "model": "gemini",
        "config": {"system_instruction": {"parts": [{"text": "Help."}]}},
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
    }
    counts = {"prompt_token_count": 90, "cached_content_token_count": 40, "candidates_token_count": 5}
    response = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}}],
        "usage_metadata": {**counts, "thoughts_token_count": 2, "tool_use_prompt_token_count": 10},
    }
    step = generated(
        **{"gcp.vertex.agent.llm_request": json.dumps(request), "gcp.vertex.agent.llm_response": json.dumps(response)}
    )

    assert list_texts(step.input) == [("system", "Help."), ("user", "Hi")]
    assert list_texts(step.output) == [("assistant", "Hello.")]
    assert step.request_model == "gemini"
    assert (step.usage.input_tokens, step.usage.output_tokens) == (100, 7)
    assert (step.usage.cached_input_tokens, step.usage.reasoning_tokens) == (40, 2)


@pytest.mark.parametrize(
    "response", ['{"candidates": "none"}', '{"candidates": [1]}', '{"usage_metadata": [', "[]", "5"]
)
def test_response_in_another_form_leaves_the_call_as_it_is(response: str) -> None:
    step = generated(**{"gcp.vertex.agent.llm_response": response, "gen_ai.usage.input_tokens": 7})

    assert (step.output, step.usage.input_tokens) == (None, 7)


def test_response_in_the_spelling_of_java_and_typescript_is_read() -> None:
    counts = {"promptTokenCount": 90, "cachedContentTokenCount": 40, "candidatesTokenCount": 5, "thoughtsTokenCount": 2}
    response = {
        "content": {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "book", "args": {"n": 1}}}]},
        "usageMetadata": counts,
        "modelVersion": "gemini-2.5-flash",
    }
    span = agent_spans.span(
        1, name="call_llm", attributes={"gcp.vertex.agent.llm_response": json.dumps(response)}, scope_name="adk"
    )
    reading = dialects.read(span)

    assert reading is not None
    step = reading[1]
    assert step.response_model == "gemini-2.5-flash"
    assert (step.usage.input_tokens, step.usage.output_tokens, step.usage.cached_input_tokens) == (90, 7, 40)
    assert [(call.id, call.arguments) for call in (step.output or ())[0].tool_calls] == [("c1", {"n": 1})]


def test_keys_of_openinference_beside_its_own_are_unwrapped() -> None:
    answered = json.dumps({"id": "c", "name": "book", "response": {"result": "booked"}})
    kind: dict[str, Any] = {
        "openinference.span.kind": "TOOL",
        "gen_ai.operation.name": "execute_tool",
        "gcp.vertex.agent.event_id": "e",
        "tool.name": "book",
        "output.value": answered,
    }
    call = require_step(read("execute_tool book", **kind))
    assert call.result == "booked"
