from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step


@pytest.mark.parametrize(
    ("scope", "name"),
    [("my_app", "travel_agent"), ("openinference.instrumentation.langchain", None), ("@arizeai/openinference-x", None)],
)
def test_an_agent_recorded_by_hand_is_named_by_its_span(scope: str, name: str | None) -> None:
    span = agent_spans.span(1, name="travel_agent", attributes={"openinference.span.kind": "AGENT"}, scope_name=scope)

    reading = dialects.read(span)

    assert reading is not None
    assert reading[1].agent_name == name


def call(**attributes: Any) -> Step:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    return read_step(agent_spans.span(1, attributes=span_attributes))


@pytest.mark.parametrize(
    ("given", "gave"),
    [
        pytest.param("To Paris?", "AF007", id="texts"),
        pytest.param(
            '{"messages": [{"role": "user", "content": "To Paris?"}]}',
            '{"choices": [{"message": {"role": "assistant", "content": "AF007"}}]}',
            id="request and answer of a model",
        ),
    ],
)
def test_model_call_that_tells_no_messages_is_read_from_its_values(given: str, gave: str) -> None:
    step = call(openinference__span__kind="LLM", input__value=given, output__value=gave)

    assert [(message.role, message.text) for message in step.input or ()] == [("user", "To Paris?")]
    assert [(message.role, message.text) for message in step.output or ()] == [("assistant", "AF007")]


def test_values_of_a_model_call_in_no_known_form_are_not_what_was_said() -> None:
    step = call(
        openinference__span__kind="LLM", input__value='{"a": 1, "b": 2}', output__value='{"id": "x", "usage": {}}'
    )

    assert (step.input, step.output) == (None, None)


def test_messages_may_stand_in_one_attribute() -> None:
    turns = '[{"message.role": "user", "message.content": "To Paris?"}]'
    step = call(openinference__span__kind="LLM", llm__input_messages=turns)

    assert [(message.role, message.text) for message in step.input or ()] == [("user", "To Paris?")]


def test_role_that_gemini_gives_its_answers_is_the_assistant_s() -> None:
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.role": "model",
        "llm.output_messages.0.message.content": "Hello.",
    }
    reading = dialects.read(agent_spans.span(1, attributes=attributes))

    assert reading is not None
    assert [message.role for message in reading[1].output or ()] == ["assistant"]


def test_tool_with_agent_in_its_name_is_a_tool() -> None:
    reading = dialects.read(
        agent_spans.span(
            1,
            name="ask_hotel_agent",
            attributes={
                "openinference.span.kind": "AGENT",
                "tool.name": "ask_hotel_agent",
                "input.value": '{"city": "Paris"}',
                "output.value": '{"type": "tool", "data": {"content": "Booked.", "tool_call_id": "call_1"}}',
            },
            scope_name="openinference.instrumentation.langchain",
        )
    )

    assert reading is not None
    assert (reading[1].kind, reading[1].tool_name, reading[1].call_id, reading[1].result) == (
        "tool",
        "ask_hotel_agent",
        "call_1",
        "Booked.",
    )


def test_tools_and_the_id_of_the_answer_are_read_from_the_request_and_the_answer() -> None:
    tool = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
    step = call(
        openinference__span__kind="LLM",
        input__value=json.dumps({"model": "mistral-large", "messages": [], "tools": [tool]}),
        output__value='{"id":"msg_01","content":[]}',
    )

    assert step.response_id == "msg_01"
    assert [offered.name for offered in step.definitions or ()] == ["search"]


@pytest.mark.parametrize("output", ["To Paris", '{"id": "my-note"}', '{"text": "{\\"id\\": \\"msg_1\\"}"}'])
def test_other_ids_in_an_answer_are_not_its_own(output: str) -> None:
    assert call(openinference__span__kind="LLM", output__value=output).response_id is None


def test_hand_off_may_have_another_name_as_a_tool() -> None:
    step = read_step(
        agent_spans.span(
            1,
            name="handoff to billing",
            attributes={
                "openinference.span.kind": "TOOL",
                "tool.name": "handoff_to_billing",
                "output.value": '{"to_agent": "billing"}',
            },
        )
    )
    assert (step.kind, step.target) == ("handoff", "billing")


@pytest.mark.parametrize(
    ("name", "kind", "is_node"), [("desk", "agent", False), ("tools", "workflow", True), ("other", "workflow", False)]
)
def test_metadata_tell_agents_and_nodes_of_a_graph(name: str, kind: str, is_node: bool) -> None:  # noqa: FBT001
    metadata = json.dumps({"lc_agent_name": "desk", "langgraph_node": "tools"})
    attributes = {"openinference.span.kind": "CHAIN", "metadata": metadata}
    step = read_step(agent_spans.span(1, name=name, attributes=attributes))
    assert (step.kind, step.is_node) == (kind, is_node)
