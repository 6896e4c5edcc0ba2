from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import require_step
from tests.support.otlp import BEGAN_NS

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step

STARTED = {"gen_ai.event.start_time": "2026-01-01T00:00:00+00:00"}


def read(
    attributes: dict[str, Any], *events: Event, scope: str | None = "my-service", name: str = "span"
) -> Step | None:
    span = agent_spans.span(1, attributes={**STARTED, **attributes}, scope_name=scope, events=events, name=name)
    reading = dialects.read(span)
    assert reading is None or reading[0] == "strands"
    return reading[1] if reading else None


def step(attributes: dict[str, Any], *events: Event, **fields: Any) -> Step:
    return require_step(read(attributes, *events, **fields))


def event(name: str, **attributes: Any) -> Event:
    return Event(name, BEGAN_NS, attributes)


def test_old_spans_are_recognised_whatever_their_scope_is_called() -> None:
    run = step(
        {
            "agent.name": "travel",
            "gen_ai.prompt": "To Paris?",
            "gen_ai.completion": "AF007",
            "agent.tools": '["search"]',
        }
    )

    assert (run.kind, run.agent_name, run.input_text, run.output_text) == ("agent", "travel", "To Paris?", "AF007")


def test_old_model_call_has_its_messages_as_content_blocks() -> None:
    request = [{"role": "user", "content": [{"text": "To Paris?"}]}]
    answer = [{"toolUse": {"toolUseId": "call_1", "name": "search", "input": {"to": "Paris"}}}]
    call = step(
        {"agent.name": "travel", "gen_ai.prompt": json.dumps(request), "gen_ai.completion": json.dumps(answer)},
        name="Model invoke",
    )

    assert call.kind == "model"
    assert [message.text for message in call.input or ()] == ["To Paris?"]
    assert [(tool.id, tool.name) for message in call.output or () for tool in message.tool_calls] == [
        ("call_1", "search")
    ]


def test_old_tool_call_that_failed_has_its_result_as_error() -> None:
    call = step(
        {
            "tool.name": "search",
            "tool.id": "call_1",
            "tool.parameters": '{"to": "Paris"}',
            "tool.result": '[{"text": "no seats"}]',
            "tool.status": "error",
        }
    )

    assert (call.call_id, call.args, call.result, call.error) == ("call_1", {"to": "Paris"}, "no seats", "no seats")


def test_old_cycle_of_the_event_loop_only_repeats() -> None:
    assert read({"event_loop.cycle_id": "1", "gen_ai.prompt": "[]", "gen_ai.completion": "[]"}) is None


def test_tool_call_stands_in_the_messages_of_its_events() -> None:
    part = {"type": "tool_call", "id": "call_1", "name": "search", "arguments": {"to": "Paris"}}
    answer = {"type": "tool_call_response", "id": "call_1", "response": [{"text": "AF007"}]}
    call = step(
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", "gen_ai.tool.call.id": "call_1"},
        *(
            event("gen_ai.client.inference.operation.details", **{f"gen_ai.{side}.messages": json.dumps([message])})
            for side, message in (
                ("input", {"role": "tool", "parts": [part]}),
                ("output", {"role": "tool", "parts": [answer]}),
            )
        ),
    )

    assert (call.args, call.result) == ({"to": "Paris"}, "AF007")


def test_names_of_tools_are_definitions_without_schema() -> None:
    run = step({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.tools": '["search", "book"]'})

    assert [(tool.name, tool.input_schema) for tool in run.definitions or ()] == [("search", None), ("book", None)]


def test_system_prompt_stands_before_what_the_events_tell() -> None:
    run = step(
        {"gen_ai.operation.name": "invoke_agent", "system_prompt": "Be brief."},
        event("gen_ai.user.message", content='[{"text": "To Paris?"}]'),
    )

    assert [(message.role, message.text) for message in run.input or ()] == [
        ("system", "Be brief."),
        ("user", "To Paris?"),
    ]


def test_model_call_whose_messages_were_flattened_is_read() -> None:
    call = step(
        {
            "agent.name": "travel",
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content.0.text": "To Paris?",
            "gen_ai.completion.0.text": "AF007",
        },
        name="Model invoke",
    )

    assert [message.text for message in (*(call.input or ()), *(call.output or ()))] == ["To Paris?", "AF007"]


def test_flat_calls_of_typescript_are_requested() -> None:
    said = '[{"type": "toolUse", "name": "look", "toolUseId": "c1", "input": {"to": "Paris"}}]'
    call = step({"gen_ai.operation.name": "chat"}, event("gen_ai.choice", message=said, finish_reason="toolUse"))
    assert [(part.id, part.name) for turn in call.output or () for part in turn.tool_calls] == [("c1", "look")]


def test_agent_that_ended_with_a_call_gave_no_empty_answer() -> None:
    run = step({"gen_ai.operation.name": "invoke_agent"}, event("gen_ai.choice", message="", finish_reason="toolUse"))
    assert (run.output, run.output_text) == (None, None)
