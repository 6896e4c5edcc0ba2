from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step

ANSWER = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": {"to": "Rome"}}]}
OPENAI = {"choices": [{"message": {"role": "assistant", "content": "Sunny"}, "finish_reason": "stop"}]}


def step(output: Any) -> Step:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps({"messages": [{"role": "user", "content": "To Rome?"}], "max_tokens": 9}),
        "gen_ai.output.messages": json.dumps(output),
    }
    return read_step(
        agent_spans.span(1, name="cf.aig.request", scope_name="ai", attributes=attributes), "cloudflare_ai_gateway"
    )


@pytest.mark.parametrize("output", [ANSWER, {"state": "Completed", "result": ANSWER}], ids=["alone", "in a result"])
def test_answer_of_the_provider_is_the_output(output: dict[str, Any]) -> None:
    call = step(output)

    assert [message.text for message in call.input or ()] == ["To Rome?"]
    assert [(part.id, part.name, part.arguments) for message in call.output or () for part in message.tool_calls] == [
        ("t1", "search", {"to": "Rome"})
    ]


def test_choice_of_an_answer_is_the_output() -> None:
    assert [message.text for message in step(OPENAI).output or ()] == ["Sunny"]


def test_answer_that_is_a_vector_is_not_a_message() -> None:
    call = step({"data": [[0.5, 0.25]], "shape": [1, 2]})

    assert call.output is None
    assert call.unread == ("gen_ai.output.messages",)


def test_other_spans_of_the_scope_are_those_of_the_sdk() -> None:
    reading = dialects.read(
        agent_spans.span(1, name="ai.toolCall", scope_name="ai", attributes={"ai.toolCall.name": "search"})
    )

    assert reading is not None
    assert reading[0] == "vercel_ai"
