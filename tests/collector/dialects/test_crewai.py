from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step, Usage

LISTENER = "openinference.instrumentation.crewai._event_listener"


def step(kind: str, *, scope: str = LISTENER, **attributes: Any) -> Step:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    span = agent_spans.span(1, attributes={"openinference.span.kind": kind, **span_attributes}, scope_name=scope)
    return read_step(span, "crewai")


def test_reprs_within_a_schema_are_opened() -> None:
    schema = {
        "type": "object",
        "properties": {"city": "{'type': 'string', 'default': None}", "nights": {"type": "integer"}},
        "required": ["'city'", "nights"],
    }
    tools = json.dumps([{"type": "function", "function": {"name": "book", "parameters": schema}}])

    offered = step("LLM", llm__tools=tools).definitions

    assert offered is not None
    assert offered[0].input_schema == {
        "type": "object",
        "properties": {"city": {"type": "string", "default": None}, "nights": {"type": "integer"}},
        "required": ["city", "nights"],
    }


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        pytest.param("Book a hotel", "Book a hotel", id="text"),
        pytest.param('[{"role": "user", "content": "Book a hotel"}]', "Book a hotel", id="messages"),
        pytest.param("\nCurrent Task: Book a hotel\n\nBegin! This is VERY important", "Book a hotel", id="prompt"),
        pytest.param('{"agent": {"role": "r"}, "task": null}', None, id="what its method was called with"),
    ],
)
def test_an_agent_without_a_task_was_asked_its_message(given: str, asked: str | None) -> None:
    assert step("AGENT", input__value=given).input_text == asked


def test_tasks_are_told_with_the_inputs_filled_in() -> None:
    tasks = json.dumps([{"description": "Flights to {city}"}, {"description": "A hotel in {city} {unknown}"}])

    crew = step("CHAIN", crew_tasks=tasks, input__value='{"city": "Paris"}')

    assert crew.input_text == "Flights to Paris\nA hotel in Paris {unknown}"


def test_a_flow_is_told_with_its_own_input_and_output() -> None:
    flow = step("CHAIN", input__value="Paris", output__value="Booked.")

    assert (flow.input_text, flow.output_text) == ("Paris", "Booked.")


def test_a_call_is_that_of_the_agent_whose_role_it_names() -> None:
    assert step("TOOL", tool__name="book", tool__agent_role="hotel agent").agent_name == "hotel agent"


def test_crew_has_the_tokens_that_it_counted() -> None:
    counted = {"prompt_tokens": 90, "completion_tokens": 12, "cached_prompt_tokens": 40, "successful_requests": 2}
    crew = step("CHAIN", output__value=json.dumps({"raw": "Booked", "token_usage": counted}))

    assert crew.output_text == "Booked"
    assert crew.usage == Usage(input_tokens=90, output_tokens=12, cached_input_tokens=40)
