from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, read_step

from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "agenta") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "agenta")


def test_arguments_are_attributes_and_objects_json_behind_a_mark() -> None:
    call = step(
        {
            "ag.type.node": "tool",
            "ag.data.inputs.to": "Paris",
            "ag.data.inputs.days": '@ag.type=json:["Mon"]',
            "ag.data.outputs.__default__": "AF007",
        }
    )

    assert (call.kind, call.tool_name, call.args) == ("tool", "look_up", {"to": "Paris", "days": ["Mon"]})
    assert call.result == "AF007"


def test_call_of_a_model_is_read() -> None:
    call = step(
        {
            "ag.type.node": "chat",
            "ag.data.inputs.messages": '@ag.type=json:[{"role": "user", "content": "Hi"}]',
            "ag.data.outputs.__default__": "Hello",
            "ag.metrics.unit.tokens.prompt": 10.0,
            "ag.metrics.unit.tokens.completion": 4.0,
            "ag.metrics.unit.costs.total": 0.5,
        }
    )

    assert (list_texts(call.input), list_texts(call.output)) == ([("user", "Hi")], [("assistant", "Hello")])
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.cost_usd) == (10, 4, 0.5)


def test_functions_of_any_case_are_what_their_type_says() -> None:
    assert step({"ag.type.node": "TASK"}).kind == "workflow"
    assert step({"ag.type.node": "agent", "ag.session.id": "s1"}, name="travel").agent_name == "travel"
