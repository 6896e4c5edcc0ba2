from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step

ASKED = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "book", "arguments": '{"n": 1}'}}]}


def chat(*events: Event, **attributes: Any) -> Step:
    span_attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **attributes}
    return read_step(
        agent_spans.span(1, attributes=span_attributes, events=events, scope_name="pydantic-ai"), "pydantic_ai"
    )


def test_messages_of_the_first_version_are_read_from_the_attribute_or_from_log_records() -> None:
    message_fields = {"content": "Where to?", "role": "user"}
    events = [
        {**message_fields, "event.name": "gen_ai.user.message"},
        {"message": ASKED, "event.name": "gen_ai.choice"},
    ]
    logged = (
        Event("gen_ai.user.message", 0, {}, body=message_fields, is_log=True),
        Event("gen_ai.choice", 1, {}, body={"index": 0, "message": ASKED}, is_log=True),
    )
    for step in (chat(events=json.dumps(events)), chat(*logged)):
        assert [message.text for message in step.input or ()] == ["Where to?"]
        assert [call.arguments for message in step.output or () for call in message.tool_calls] == [{"n": 1}]


def test_price_that_pydantic_ai_worked_out_is_what_the_call_cost() -> None:
    assert chat(**{"operation.cost": 0.25}).usage.cost_usd == 0.25


def run(*, name: str = "travel run", **attributes: Any) -> Step:
    span_attributes = {"agent_name": "travel", **{key.replace("__", "."): value for key, value in attributes.items()}}
    return read_step(agent_spans.span(1, name=name, attributes=span_attributes, scope_name="pydantic-ai"))


def text(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]}


@pytest.mark.parametrize("name", ["agent run", "travel run", "invoke"])
def test_span_of_an_agent_and_its_model_is_a_run_whatever_it_is_called(name: str) -> None:
    step = run(name=name, model_name="gpt-4o", final_result="AF007")

    assert (step.kind, step.agent_name, step.request_model, step.output_text) == ("agent", "travel", "gpt-4o", "AF007")


def test_span_with_the_history_of_a_run_is_one_though_it_names_no_agent() -> None:
    turns = json.dumps([text("user", "Where to?"), text("assistant", "Paris")])
    read = dialects.read(agent_spans.span(1, attributes={"pydantic_ai.all_messages": turns}, scope_name="pydantic-ai"))

    assert read is not None
    assert (read[1].kind, [message.text for message in read[1].output or ()]) == ("agent", ["Paris"])


def test_history_after_the_last_question_is_what_the_run_did() -> None:
    history = [text("user", "Hello"), text("assistant", "Hi"), text("user", "To Paris?"), text("assistant", "AF007")]
    step = run(pydantic_ai__all_messages=json.dumps(history), final_result="AF007")

    assert [message.text for message in step.input or ()] == ["Hello", "Hi", "To Paris?"]
    assert [message.text for message in step.output or ()] == ["AF007"]


def test_result_that_a_tool_took_is_the_last_word_of_a_run() -> None:
    taken = {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c", "name": "final_result", "arguments": {"n": 1}}],
    }
    step = run(pydantic_ai__all_messages=json.dumps([text("user", "To Paris?"), taken]), final_result='{"n": 1}')

    assert [message.text for message in step.output or ()] == [None, '{"n": 1}']


def test_tools_are_read_from_the_parameters_of_a_request() -> None:
    tools = {"function_tools": [{"name": "book", "parameters_json_schema": {"type": "object"}}], "output_tools": []}

    offered = chat(model_request_parameters=json.dumps(tools)).definitions or ()
    assert [(tool.name, tool.input_schema) for tool in offered] == [("book", {"type": "object"})]
