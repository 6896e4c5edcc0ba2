"""Content that the AWS distribution of OpenTelemetry took out of spans and put into log records."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step
from tests.support.otlp import BEGAN_NS

from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step

OPENINFERENCE, TRACELOOP = "openinference.instrumentation.acme", "opentelemetry.instrumentation.langchain"


def record(scope: str | None, body: Any) -> Event:
    return Event(scope, BEGAN_NS, {"event.name": scope}, body=body, is_log=True)


def move_content(*contents: tuple[str, Any]) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": content} for role, content in contents]}


def step(scope: str, attributes: dict[str, Any], body: Any, *, name: str | None = None) -> Step:
    event = record(scope if name is None else name, body)
    return read_step(agent_spans.span(1, attributes=attributes, scope_name=scope, events=(event,)))


def test_numbered_messages_get_their_texts_back_in_their_order() -> None:
    call = step(
        OPENINFERENCE,
        {
            "openinference.span.kind": "LLM",
            "input.mime_type": "application/json",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.1.message.role": "assistant",
            "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "search",
            "llm.input_messages.2.message.role": "tool",
            "llm.input_messages.2.message.tool_call_id": "call_1",
            "llm.output_messages.0.message.role": "assistant",
        },
        {
            "input": move_content(("user", '{"messages": []}'), ("user", "To Paris?"), ("user", "AF007")),
            "output": move_content(("assistant", "Take AF007.")),
        },
    )

    assert [message.role for message in call.input or ()] == ["user", "assistant", "tool"]
    assert (call.input or ())[0].text == "To Paris?"
    assert (call.output or ())[0].text == "Take AF007."


def test_texts_that_may_belong_to_several_messages_are_given_to_none() -> None:
    call = step(
        OPENINFERENCE,
        {
            "openinference.span.kind": "LLM",
            "input.mime_type": "text/plain",
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.1.message.role": "user",
        },
        {"input": move_content(("user", "whole"), ("user", "which?"))},
    )

    assert [message.text for message in call.input or ()] == [None, None]


def test_arguments_and_result_of_a_tool_are_whole_values() -> None:
    call = step(
        OPENINFERENCE,
        {"openinference.span.kind": "TOOL", "tool.name": "search"},
        {"input": move_content(("user", '{"to": "Paris"}')), "output": move_content(("assistant", "AF007"))},
    )

    assert (call.args, call.result) == ({"to": "Paris"}, "AF007")


def test_prompts_of_openllmetry_get_their_texts_back() -> None:
    call = step(
        TRACELOOP,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4.1-mini",
            "llm.request.type": "chat",
            "gen_ai.prompt.0.role": "user",
            "gen_ai.completion.0.role": "assistant",
        },
        {"input": move_content(("unknown", "To Paris?")), "output": move_content(("unknown", "AF007"))},
    )

    assert [message.text for message in call.input or ()] == ["To Paris?"]
    assert [message.text for message in call.output or ()] == ["AF007"]


def test_span_events_come_back_as_events() -> None:
    call = step(
        "strands.telemetry.tracer",
        {"gen_ai.operation.name": "chat"},
        {
            "input": move_content(("user", {"content": '[{"text": "To Paris?"}]'})),
            "output": move_content(("assistant", {"finish_reason": "end_turn", "message": '[{"text": "AF007"}]'})),
        },
    )

    assert [message.text for message in call.input or ()] == ["To Paris?"]
    assert [message.text for message in call.output or ()] == ["AF007"]
    assert call.finish_reasons == ("end_turn",)


@pytest.mark.parametrize(
    ("assistant", "roles"),
    [
        pytest.param(
            '[{"toolUse": {"toolUseId": "c", "name": "search", "input": {}}}]', ["user", "assistant", "tool"], id="asks"
        ),
        pytest.param('[{"text": "Anything else?"}]', ["tool", "assistant", "user"], id="has answered"),
    ],
)
def test_answer_of_a_tool_follows_the_message_that_asks_for_tools(assistant: str, roles: list[str]) -> None:
    answer = '[{"toolResult": {"toolUseId": "c", "content": [{"text": "AF007"}]}}]'
    call = step(
        "strands.telemetry.tracer",
        {"gen_ai.operation.name": "chat"},
        {
            "input": move_content(("user", {"content": '[{"text": "To Paris?"}]'}), ("tool", {"content": answer})),
            "output": move_content(("assistant", {"content": assistant})),
        },
    )

    assert [message.role for message in call.input or ()] == roles


def test_messages_of_the_conventions_come_back_whole() -> None:
    turns = '[{"role": "user", "parts": [{"type": "text", "content": "To Paris?"}]}]'
    call = step(
        "acme",
        {"gen_ai.operation.name": "chat"},
        {"input": move_content(("system", '[{"type": "text", "content": "Be brief."}]'), ("user", turns))},
    )

    assert [(message.role, message.text) for message in call.input or ()] == [
        ("system", "Be brief."),
        ("user", "To Paris?"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("To Paris?", id="a text"),
        pytest.param({"input": "To Paris?"}, id="no messages"),
        pytest.param({"input": {"messages": ["To Paris?", {"role": 1}, {"role": "user"}]}}, id="messages of no form"),
        pytest.param({"input": move_content(("user", "x")), "model": "m"}, id="more than content"),
        pytest.param('{"input": {"mess', id="JSON that was cut off"),
    ],
)
def test_record_of_another_form_is_left_alone(body: Any) -> None:
    assert step("acme", {"gen_ai.operation.name": "chat"}, body).input is None


def test_record_of_another_scope_is_left_alone() -> None:
    body = {"input": move_content(("user", "To Paris?"))}

    assert step("acme", {"gen_ai.operation.name": "chat"}, body, name="other").input is None
