from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step
from tests.support.otlp import BEGAN_NS

from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *events: Event) -> Step:
    return read_step(agent_spans.span(1, attributes=attributes, scope_name="ai.koog", events=events), "koog")


def chat(*events: Event, **attributes: Any) -> Step:
    return step({"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o", **attributes}, *events)


def event(name: str, **fields: Any) -> Event:
    return Event(f"gen_ai.{name}", BEGAN_NS, {"gen_ai.system": "openai", **fields})


def test_roles_that_are_names_of_an_enum_are_read() -> None:
    turns = [
        {"role": "User", "parts": [{"type": "text", "content": "To Paris?"}]},
        {"role": "Tool", "parts": [{"type": "tool_call", "id": "c", "name": "search", "arguments": {}}]},
        {"role": "Tool", "parts": [{"type": "tool_call_response", "id": "c", "result": "AF007"}]},
    ]

    call = chat(**{"gen_ai.input.messages": json.dumps(turns)})

    assert [message.role for message in call.input or ()] == ["user", "assistant", "tool"]


def test_last_message_of_the_assistant_is_the_answer() -> None:
    call = chat(
        event("user.message", role="user", content="To Paris?"),
        event("assistant.message", role="assistant", content="When?"),
        event("user.message", role="user", content="Today"),
        event("assistant.message", role="assistant", content="AF007"),
    )

    assert [message.text for message in call.input or ()] == ["To Paris?", "When?", "Today"]
    assert [message.text for message in call.output or ()] == ["AF007"]


def test_choice_of_the_tool_is_a_call_by_the_model() -> None:
    request = [{"type": "function", "id": "c", "function": {"name": "search", "arguments": '{"to": "Paris"}'}}]
    call = chat(event("choice", role="tool", index=0, finish_reason="tool_calls", tool_calls=json.dumps(request)))

    (answer,) = call.output or ()
    assert answer.role == "assistant"
    assert [(tool.id, tool.arguments) for tool in answer.tool_calls] == [("c", {"to": "Paris"})]
    assert len(answer.parts) == 1


def test_result_is_freed_from_its_json() -> None:
    span_attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.result": '"AF007"',
    }

    assert step(span_attributes).result == "AF007"


def test_older_tool_call_has_its_values_under_other_keys() -> None:
    call = step({"gen_ai.tool.name": "search", "input.value": '{"to": "Paris"}', "output.value": "AF007"})

    assert (call.kind, call.args, call.result) == ("tool", {"to": "Paris"}, "AF007")


def test_content_that_is_hidden_is_no_content() -> None:
    call = chat(**{"gen_ai.input.messages": "HIDDEN:non-empty"})

    assert (call.input, call.gaps) == (None, ("redacted",))


def test_messages_of_1_0_have_calls_of_the_assistant() -> None:
    turns = [
        {"role": "User", "parts": [{"type": "text", "content": "To Paris?"}]},
        {
            "role": "Assistant",
            "parts": [
                {"type": "text", "content": "I look."},
                {"type": "tool_call", "id": "c", "name": "search", "arguments": {"to": "Paris"}},
            ],
        },
        {"role": "Tool", "parts": [{"type": "tool_call_response", "id": "c", "result": "AF007"}]},
    ]
    answer = [{"role": "Assistant", "parts": [{"type": "text", "content": "AF007"}]}]

    call = chat(**{"gen_ai.input.messages": json.dumps(turns), "gen_ai.output.messages": json.dumps(answer)})

    assert [message.role for message in call.input or ()] == ["user", "assistant", "tool"]
    assert [(tool.id, tool.arguments) for tool in (call.input or ())[1].tool_calls] == [("c", {"to": "Paris"})]
    assert [message.text for message in call.output or ()] == ["AF007"]


def test_tool_span_of_1_0_has_arguments_and_result_as_json() -> None:
    call = step(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.provider.name": "koog",
            "gen_ai.tool.name": "search",
            "gen_ai.tool.call.id": "c",
            "gen_ai.tool.call.arguments": '{"to":"Paris"}',
            "gen_ai.tool.call.result": '{"flight":"AF007"}',
        }
    )

    assert (call.kind, call.args, call.result) == ("tool", {"to": "Paris"}, '{"flight":"AF007"}')
