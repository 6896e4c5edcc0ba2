from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "honeyhive.my-app") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "honeyhive")


def test_arguments_and_result_are_put_together() -> None:
    call = step(
        {
            "honeyhive_event_type": "tool",
            "honeyhive_inputs.to": "Paris",
            "honeyhive_inputs.days": '["Mon"]',
            "honeyhive_outputs.result.flights.0": "AF007",
            "honeyhive.session_id": "s1",
        }
    )

    assert (call.kind, call.tool_name, call.args) == ("tool", "look_up", {"to": "Paris", "days": '["Mon"]'})
    assert (call.result, call.session_id) == ('{"flights":["AF007"]}', "s1")


def test_call_of_a_model_tells_the_messages_that_are_arguments() -> None:
    call = step(
        {
            "honeyhive_event_type": "model",
            "honeyhive_inputs.messages": '[{"role": "user", "content": "Hi"}]',
            "honeyhive_outputs.result": "Hello",
            "honeyhive_config.model": "gpt-4o",
        }
    )

    assert (list_texts(call.input), list_texts(call.output)) == ([("user", "Hi")], [("assistant", "Hello")])
    assert call.request_model == "gpt-4o"


def test_span_of_another_instrumentation_is_what_its_operation_says() -> None:
    call = step({"honeyhive_event_type": "tool", "honeyhive_inputs": "x", "gen_ai.operation.name": "chat"})

    assert call.kind == "model"


def test_function_without_a_type_gives_structure() -> None:
    assert dialects.read(agent_spans.span(1, attributes={"honeyhive_inputs.n": 1}, scope_name="honeyhive")) is None
