from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart


def step(kind: str, **attributes: Any) -> Step:
    recorded = {"lmnr.span.type": kind} | {key.replace("__", "."): value for key, value in attributes.items()}
    return read_step(agent_spans.span(1, name="look_up", attributes=recorded, scope_name="lmnr.tracer"), "laminar")


def test_function_is_a_workflow_that_was_given_its_only_argument() -> None:
    run = step("DEFAULT", lmnr__span__input='{"question": "Hi"}', lmnr__span__output='"Hello"')

    assert (run.kind, run.input_text, run.output_text) == ("workflow", "Hi", "Hello")


def test_observed_tool_is_called_as_its_function() -> None:
    call = step("TOOL", lmnr__span__input='{"city": "Paris"}', lmnr__span__output='"Sunny"')

    assert (call.tool_name, call.args, call.result) == ("look_up", {"city": "Paris"}, "Sunny")


def test_answer_is_in_the_choices_of_the_provider() -> None:
    request = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}
    choices = [{"finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [request]}}]
    call = step("LLM", gen_ai__output__messages=json.dumps(choices))

    assert call.output is not None
    assert call.output[0].tool_calls == (ToolCallPart(id="c1", name="search", arguments={"q": 1}),)


def test_model_span_made_by_hand_has_its_messages_under_input_and_output() -> None:
    call = step("LLM", lmnr__span__input='[{"role": "user", "content": "Hi"}]', lmnr__span__output='"Hello"')

    assert [turn.text for turn in (*(call.input or ()), *(call.output or ()))] == ["Hi", "Hello"]


def test_session_and_user_are_association_properties() -> None:
    properties = {"lmnr.association.properties.session_id": "s1", "lmnr.association.properties.user_id": "u1"}
    run = step("DEFAULT", **properties)

    assert (run.session_id, run.user_id) == ("s1", "u1")


def test_operation_of_another_instrumentation_beats_the_type_that_laminar_adds() -> None:
    assert step("DEFAULT", gen_ai__operation__name="invoke_agent").kind == "agent"
