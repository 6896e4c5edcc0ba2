from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallResponsePart

SCOPE = "openinference.instrumentation.autogen_agentchat"


def step(kind: str, *, name: str = "span", **attributes: Any) -> Step:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    span = agent_spans.span(
        1, name=name, attributes={"openinference.span.kind": kind, **span_attributes}, scope_name=SCOPE
    )
    return read_step(span)


def test_answers_of_several_tools_in_one_message_are_read() -> None:
    answers = [
        {"name": "book", "content": "sold out", "call_id": "call_1", "is_error": True},
        {"name": "weather", "content": "sunny", "call_id": "call_2", "is_error": False},
    ]
    span_attributes = {f"llm.input_messages.1.function.{at}": json.dumps(answer) for at, answer in enumerate(answers)}

    heard = step(
        "LLM",
        **{"llm.input_messages.0.message.role": "developer", "llm.input_messages.0.message.content": "Help."},
        **{"llm.input_messages.1.message.role": "function", **span_attributes},
    ).input

    assert heard is not None
    assert [message.role for message in heard] == ["system", "tool"]
    assert heard[1].parts == (
        ToolCallResponsePart(id="call_1", name="book", response="sold out", is_error=True),
        ToolCallResponsePart(id="call_2", name="weather", response="sunny", is_error=False),
    )


def test_an_agent_of_another_class_is_named_by_its_span() -> None:
    run = step("AGENT", name="critic.on_messages_stream", input__value='{"messages": []}')

    assert (run.agent_name, run.input_text) == ("critic", None)


@pytest.mark.parametrize(
    "task",
    ["Book a hotel", {"source": "user", "content": "Book a hotel"}, [{"content": "Hi"}, {"content": "Book a hotel"}]],
    ids=["text", "message", "messages"],
)
def test_a_team_is_asked_its_task(task: object) -> None:
    ended = json.dumps({"messages": [{"content": "Booked."}, {"content": [{"id": "call_1"}]}]})

    team = step("CHAIN", input__value=json.dumps({"task": task}), output__value=ended)

    assert (team.input_text, team.output_text) == ("Book a hotel", "Booked.")
