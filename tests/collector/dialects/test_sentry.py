"""Sentry's own names of GenAI content, on spans of any scope."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step


def step(operation: str, **attributes: Any) -> Step:
    span_attributes = {f"gen_ai.{key.replace('__', '.')}": value for key, value in attributes.items()}
    return read_step(agent_spans.span(1, attributes={"gen_ai.operation.name": operation, **span_attributes}))


def texts(call: Step) -> list[str | None]:
    return [message.text for message in call.output or ()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Sunny", "Sunny", id="a text"),
        pytest.param('["Sunny", "and warm"]', "Sunny\nand warm", id="several texts"),
        pytest.param('[["Sunny"]]', "Sunny", id="texts of several prompts"),
        pytest.param('{"content": "Sunny"}', "Sunny", id="a message"),
        pytest.param('[{"role": "assistant", "content": "Sunny"}]', "Sunny", id="messages"),
        pytest.param('{"sky": "clear"}', '{"sky": "clear"}', id="an object that is the answer"),
        pytest.param('["{\\"sky\\": 1}"]', '{"sky": 1}', id="an object as a text"),
    ],
)
def test_answer_is_read_in_every_form(text: str, expected: str) -> None:
    assert texts(step("chat", response__text=text)) == [expected]


def test_calls_stand_beside_the_text_of_an_answer() -> None:
    call = {
        "type": "function_call",
        "call_id": "call_1",
        "id": "fc_1",
        "name": "search",
        "arguments": '{"to": "Paris"}',
    }
    answer = step("chat", response__text="Let me see.", response__tool_calls=json.dumps([call]))

    assert texts(answer) == ["Let me see."]
    assert [(c.id, c.name, c.arguments) for message in answer.output or () for c in message.tool_calls] == [
        ("call_1", "search", {"to": "Paris"})
    ]


def test_calls_on_the_span_of_a_run_are_those_of_its_model() -> None:
    run = step(
        "invoke_agent",
        response__text="Sunny",
        response__tool_calls='[{"id": "c", "name": "search", "arguments": "{}"}]',
    )

    assert [message.tool_calls for message in run.output or ()] == [()]


def test_question_history_and_tools_are_read() -> None:
    history = [
        {"role": "user", "content": [{"type": "text", "text": "To Paris?"}]},
        {"role": "tool", "content": [{"type": "function_call_output", "call_id": "call_1", "output": "AF007"}]},
    ]
    call = step("chat", request__messages=json.dumps(history), request__available_tools='[{"name": "search"}]')

    assert [message.role for message in call.input or ()] == ["user", "tool"]
    assert [getattr(part, "response", None) for part in (call.input or ())[1].parts] == ["AF007"]
    assert [tool.name for tool in call.definitions or ()] == ["search"]


@pytest.mark.parametrize(("output", "result"), [("sunny", "sunny"), ('"sunny"', "sunny"), ('{"sky": 1}', '{"sky": 1}')])
def test_tool_call_is_read(output: str, result: str) -> None:
    call = step("execute_tool", tool__name="search", tool__input='{"to": "Paris"}', tool__output=output)

    assert call.args == {"to": "Paris"}
    assert json.loads(call.result or "") == json.loads(result) if result.startswith("{") else call.result == result


def test_parts_of_the_tokens_are_read() -> None:
    counts = {"usage__input_tokens": 10, "usage__input_tokens__cached": 4, "usage__output_tokens__reasoning": 2}
    usage = step("chat", **counts).usage

    assert (usage.input_tokens, usage.cached_input_tokens, usage.reasoning_tokens) == (10, 4, 2)
