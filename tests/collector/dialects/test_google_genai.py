from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallResponsePart


def step(**messages: Any) -> Step:
    span_attributes = {f"gen_ai.{key}.messages": value for key, value in messages.items()}
    attributes = {"gen_ai.operation.name": "generate_content", "gen_ai.request.model": "m", **span_attributes}
    scope = "opentelemetry.instrumentation.google_genai"
    return read_step(agent_spans.span(1, scope_name=scope, attributes=attributes), "google_genai")


def call(call_id: str, name: str) -> dict[str, Any]:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": {}}


def answer(call_id: str, response: Any) -> dict[str, Any]:
    return {"type": "tool_call_response", "id": call_id, "response": response}


def answers(*parts: dict[str, Any]) -> list[tuple[str | None, str | None, bool]]:
    request = [call("call_a", "search"), call("call_b", "weather"), call("call_c", "search")]
    turns = step(input=[{"role": "assistant", "parts": request}, {"role": "user", "parts": list(parts)}]).input
    assert turns is not None
    return [
        (part.id, part.response, part.is_error) for part in turns[1].parts if isinstance(part, ToolCallResponsePart)
    ]


def test_answer_goes_to_the_first_call_of_its_name_that_waits() -> None:
    turns = answers(answer("search_0", "x"), answer("weather_1", "y"), answer("search_2", "z"))

    assert turns == [("call_a", "x", False), ("call_b", "y", False), ("call_c", "z", False)]


def test_answer_that_names_its_call_is_left_with_it() -> None:
    assert answers(answer("call_c", "z"), answer("search_0", "x")) == [("call_c", "z", False), ("call_a", "x", False)]


def test_answer_is_taken_out_of_its_object() -> None:
    turns = answers(
        answer("call_a", {"result": "x"}), answer("call_b", {"error": "broken"}), answer("call_c", {"a": 1})
    )

    assert turns == [("call_a", "x", False), ("call_b", "broken", True), ("call_c", '{"a":1}', False)]


def test_answer_to_no_call_keeps_its_id() -> None:
    assert answers(answer("other_0", "x")) == [("other_0", "x", False)]


def test_stream_that_went_on_after_its_tools_is_several_messages() -> None:
    pieces = [{"type": "text", "content": "All "}, {"type": "text", "content": "done."}]
    turns = step(output=[{"role": "assistant", "parts": [call("call_a", "search"), *pieces]}]).output

    assert turns is not None
    assert [(len(message.tool_calls), message.text) for message in turns] == [(1, None), (0, "All done.")]


def read(operation: str, *events: Event, **attributes: Any) -> Step:
    recorded = {"gen_ai.operation.name": operation, **{key.replace("__", "."): v for key, v in attributes.items()}}
    scope = "opentelemetry.instrumentation.google_genai"
    return read_step(agent_spans.span(1, scope_name=scope, attributes=recorded, events=events))


GIVEN = {
    "code.function.parameters.to.type": "str",
    "code.function.parameters.to.value": "1",
    "code.function.parameters.where.type": "dict",
    "code.function.parameters.where.value": '{"city": "Paris"}',
}


def test_earlier_versions_record_the_function_of_a_tool() -> None:
    flat = read("execute_tool", gen_ai__tool__name="search", **GIVEN, code__function__return__value="sunny")
    whole = read("execute_tool", gen_ai__tool__name="search", gen_ai__tool__call__arguments=json.dumps(GIVEN))

    assert flat.args == whole.args == {"to": "1", "where": {"city": "Paris"}}
    assert (flat.result, whole.result) == ("sunny", None)


def test_arguments_under_the_key_of_the_conventions_stay_as_they_are() -> None:
    tool = read("execute_tool", gen_ai__tool__name="search", gen_ai__tool__call__arguments='{"to": "Paris"}')

    assert tool.args == {"to": "Paris"}


def test_logfire_puts_the_events_into_an_attribute_without_their_names() -> None:
    request = {"function_call": {"name": "search", "args": {"to": "Paris"}}}
    events = [
        {"content": "help", "role": "system"},
        {"content": "To Paris?", "role": "user"},
        {"index": 0, "finish_reason": "STOP", "message": {"role": "assistant", "content": ["Let me see", request]}},
    ]
    call = read("chat", events=json.dumps(events))

    assert [(message.role, message.text) for message in call.input or ()] == [("system", "help"), ("user", "To Paris?")]
    assert [(message.text, message.tool_calls[0].arguments) for message in call.output or ()] == [
        ("Let me see", {"to": "Paris"})
    ]


def test_earlier_versions_record_messages_as_events_in_the_form_of_google() -> None:
    request = {"function_call": {"name": "search", "args": {"to": "Paris"}}}
    answer = {"parts": [{"text": "Let me see"}, request], "role": "model"}
    call = read(
        "generate_content",
        Event("gen_ai.user.message", 1, {}, body={"content": {"parts": [{"text": "To Paris?"}], "role": "user"}}),
        Event("gen_ai.choice", 2, {}, body={"index": 0, "content": answer, "finish_reason": "STOP"}),
    )

    assert [(message.role, message.text) for message in call.input or ()] == [("user", "To Paris?")]
    assert [(message.role, message.text) for message in call.output or ()] == [("assistant", "Let me see")]
    assert [(c.name, c.arguments) for message in call.output or () for c in message.tool_calls] == [
        ("search", {"to": "Paris"})
    ]
    assert call.finish_reasons == ("STOP",)
