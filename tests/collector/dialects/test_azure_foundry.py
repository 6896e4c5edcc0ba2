from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step
from tests.support.otlp import BEGAN_NS

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Event, Span
from tracegrade.collector.spans.step import Step

CALL = {"type": "function_call", "id": "call_1", "function": {"name": "search", "arguments": {"to": "Paris"}}}
OUTPUT = {"type": "function_call_output", "id": "call_1", "output": {"flight": "AF007"}}


def step(operation: str, attributes: dict[str, Any], *events: Event) -> Step:
    span_attributes = {"gen_ai.operation.name": operation, "az.namespace": "Microsoft.CognitiveServices", **attributes}
    return read_step(agent_spans.span(1, attributes=span_attributes, events=events), "azure_foundry")


def response(*events: Event, **sides: Any) -> Step:
    message_fields = {f"gen_ai.{side}.messages": json.dumps([message]) for side, message in sides.items()}
    return step(
        "invoke_agent",
        {"gen_ai.provider.name": "microsoft.foundry", "gen_ai.agent.name": "travel", **message_fields},
        *events,
    )


def parts(role: str, *items: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(items)}


def event(name: str, content: Any) -> Event:
    return Event(name, BEGAN_NS, {"gen_ai.event.content": json.dumps(content)})


def test_call_and_output_are_read_one_level_down() -> None:
    asking = response(output=parts("assistant", {"type": "tool_call", "content": CALL}))
    answering = response(input=parts("tool", {"type": "tool_call_output", "content": OUTPUT}))

    assert [(c.id, c.name, c.arguments) for message in asking.output or () for c in message.tool_calls] == [
        ("call_1", "search", {"to": "Paris"})
    ]
    assert [
        (p.id, p.response) for message in answering.input or () for p in message.parts if p.type == "tool_call_response"
    ] == [("call_1", '{"flight":"AF007"}')]


def test_tool_of_the_service_is_named_by_its_type() -> None:
    search = {"type": "file_search", "id": "fs_1", "file_search": {"queries": ["Paris"]}}
    answer = response(output=parts("assistant", {"type": "tool_call", "content": search}))

    assert [(c.id, c.name, c.arguments) for message in answer.output or () for c in message.tool_calls] == [
        ("fs_1", "file_search", {"queries": ["Paris"]})
    ]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        pytest.param(
            {"output": parts("assistant", {"type": "tool_call", "content": CALL})}, "model", id="asks for a tool"
        ),
        pytest.param(
            {"input": parts("tool", {"type": "tool_call_output", "content": OUTPUT})}, "model", id="is given a result"
        ),
        pytest.param({"output": parts("assistant", {"type": "text", "content": "AF007"})}, "agent", id="answers"),
    ],
)
def test_response_is_a_turn_where_the_program_runs_the_tools(said: dict[str, Any], kind: str) -> None:
    assert response(**said).kind == kind


def test_messages_are_read_from_events_that_are_named_after_them() -> None:
    run = response(
        event("gen_ai.input.messages", [parts("user", {"type": "text", "content": "To Paris?"})]),
        event("gen_ai.output.messages", [parts("assistant", {"type": "text", "content": "AF007"})]),
    )

    assert [message.text for message in run.input or ()] == ["To Paris?"]
    assert [message.text for message in run.output or ()] == ["AF007"]


def test_run_of_a_thread_tells_in_events_what_it_did() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"to": "Paris"}'}}
    run = step(
        "process_thread_run",
        {"gen_ai.system": "az.ai.agents", "gen_ai.thread.id": "thread_1", "gen_ai.usage.input_tokens": 50},
        event("gen_ai.assistant.message", {"tool_calls": [call]}),
        event("gen_ai.tool.message", {"content": "AF007", "id": "call_1"}),
        event("gen_ai.assistant.message", {"role": "assistant", "content": {"text": {"value": "Take AF007."}}}),
    )

    assert (run.kind, run.session_id, run.usage.input_tokens) == ("agent", "thread_1", 50)
    assert [message.role for message in run.output or ()] == ["assistant", "tool", "assistant"]
    assert (run.output or ())[-1].text == "Take AF007."


def test_choice_of_a_model_call_is_read_from_its_content() -> None:
    choice = {"message": {"content": "AF007"}, "finish_reason": "stop", "index": 0}
    span_attributes = {"gen_ai.operation.name": "chat", "gen_ai.system": "az.ai.inference"}
    reading = dialects.read(agent_spans.span(1, attributes=span_attributes, events=(event("gen_ai.choice", choice),)))

    assert reading is not None
    assert [message.text for message in reading[1].output or ()] == ["AF007"]
    assert reading[1].finish_reasons == ("stop",)


@pytest.mark.parametrize("content", ['{"content": "cut', "[1, 2]", 7, None])
def test_content_of_an_event_in_no_known_form_says_nothing(content: Any) -> None:
    said = Event("gen_ai.user.message", BEGAN_NS, {"gen_ai.event.content": content})
    run = step("process_thread_run", {"gen_ai.system": "az.ai.agents"}, said)

    assert all(message.text is None for message in run.input or ())


def of_thread(number: int, operation: str, event: Event, *, at_s: float, thread: str = "thread_1") -> Span:
    span_attributes = {"gen_ai.operation.name": operation, "gen_ai.system": "az.ai.agents", "gen_ai.thread.id": thread}
    return agent_spans.span(number, parent=1, at_s=at_s, attributes=span_attributes, events=(event,))


def message_event(role: str, text: str) -> Event:
    return event(f"gen_ai.{role}.message", {"role": role, "content": text})


def test_messages_that_were_put_into_a_thread_are_the_question_of_its_next_run() -> None:
    runs = assemble(
        [
            agent_spans.span(1, for_s=60),
            of_thread(2, "create_message", message_event("user", "To Paris?"), at_s=1),
            of_thread(3, "create_message", message_event("user", "To Oslo?"), at_s=2, thread="thread_2"),
            of_thread(4, "process_thread_run", message_event("assistant", "AF007"), at_s=4),
            of_thread(5, "create_message", message_event("user", "And back?"), at_s=7),
            of_thread(6, "process_thread_run", message_event("assistant", "AF008"), at_s=9),
            of_thread(7, "create_message", message_event("user", "Thanks."), at_s=12),
        ]
    )
    assert [(run.input, run.final_response) for run in runs] == [("To Paris?", "AF007"), ("And back?", "AF008")]
    assert [[message.text for message in run.messages] for run in runs] == [
        ["To Paris?", "AF007"],
        ["And back?", "AF008"],
    ]
    assert [run.gaps for run in runs] == [(), ()]
