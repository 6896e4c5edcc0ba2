from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step

SCOPE = "openinference.instrumentation.llama_index"
JSON = "application/json"


def step(kind: str, *, name: str = "step", **attributes: Any) -> Step:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    span = agent_spans.span(
        1, name=name, attributes={"openinference.span.kind": kind, **span_attributes}, scope_name=SCOPE
    )
    return read_step(span)


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        pytest.param("FunctionAgent.run", "{}", "agent", id="an agent by name"),
        pytest.param("AgentWorkflow.run", "{}", "agent", id="agents by name"),
        pytest.param("Concierge.run", '{"config": {"steps": {"run_agent_step": {}}}}', "agent", id="by its steps"),
        pytest.param(
            "MyWorkflow.run", '{"config": {"steps": {"ask": {}}}}', "workflow", id="a workflow of another kind"
        ),
        pytest.param("FunctionAgent.run_agent_step", "{}", "workflow", id="a step of an agent"),
    ],
)
def test_a_workflow_in_which_an_agent_takes_turns_is_its_run(name: str, given: str, kind: str) -> None:
    run = step("CHAIN", name=name, input__value=given, input__mime_type=JSON, output__value="StopEvent(result='It...")

    assert (run.kind, run.input_text, run.output_text) == (kind, None, None)


def test_an_agent_is_named_by_the_end_of_the_event_that_a_step_was_given() -> None:
    event = "AgentInput(input=[\"current_agent_name='user_said_so')\"], current_agent_name='travel')"

    turn = step("CHAIN", input__value=json.dumps({"ctx": "<Context>", "ev": event}), input__mime_type=JSON)

    assert turn.agent_name == "travel"


def test_question_and_answer_of_an_engine_are_read_where_they_are_text() -> None:
    query = step("CHAIN", name="RetrieverQueryEngine.query", input__value="Where?", output__value="In Paris.")

    assert (query.input_text, query.output_text) == ("Where?", "In Paris.")


def test_live_objects_that_the_schema_does_not_name_are_no_arguments() -> None:
    passed = {"city": "Paris", "note": "<a.B object at 0x7f>", "ctx": "<workflows.Context object at 0x7f76>"}
    schema: dict[str, Any] = {"properties": {"city": {}, "note": {}}}

    call = step("TOOL", input__value=json.dumps({"kwargs": passed}), tool__parameters=json.dumps(schema))

    assert call.args == {"city": "Paris", "note": "<a.B object at 0x7f>"}


def test_a_tool_that_says_it_failed_has_failed() -> None:
    call = step("TOOL", output__value='{"raw_output": "Error: sold out", "is_error": true}')

    assert (call.result, call.error) == ("Error: sold out", "Error: sold out")
