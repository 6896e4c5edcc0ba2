from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart


def read(kind: str, *, framework: str = "promptflow", **attributes: Any) -> Step | None:
    recorded = {"framework": framework, "span_type": kind, **attributes}
    step = dialects.read(agent_spans.span(1, attributes=recorded, scope_name="promptflow"))
    assert step is None or step[0] == "promptflow"
    return step[1] if step else None


def test_call_of_openai_has_the_request_and_the_answer() -> None:
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "tools": [{"name": "f"}]}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    tokens: dict[str, Any] = {"llm.usage.prompt_tokens": 10, "llm.usage.completion_tokens": 2}
    answer = json.dumps({"id": "r", "choices": [{"message": message}]})
    call = read("LLM", inputs=json.dumps(request), output=answer, **tokens)

    assert call is not None
    assert call.output is not None
    assert call.output[0].tool_calls == (ToolCallPart(id="c", name="f", arguments={}),)
    assert (call.request_model, call.response_id) == ("gpt-4o", "r")
    assert (call.usage.input_tokens, call.usage.output_tokens) == (10, 2)


def test_answer_that_was_streamed_is_the_message_of_its_chunks() -> None:
    message = json.dumps({"role": "assistant", "content": "Hello"})
    call = read("LLM", output="[{}, {}]", **{"llm.generated_message": message})

    assert call is not None
    assert call.output is not None
    assert call.output[0].text == "Hello"


def test_flow_is_a_workflow_that_was_given_its_only_input() -> None:
    run = read("Flow", inputs='{"question": "Hi"}', output='"Hello"')

    assert run is not None
    assert (run.kind, run.input_text) == ("workflow", "Hi")


@pytest.mark.parametrize("kind", ["Tool", "Embedding", "Prompty"])
def test_node_of_a_flow_is_not_a_call(kind: str) -> None:
    assert read(kind, inputs="{}") is None


def test_type_of_a_span_from_elsewhere_says_nothing() -> None:
    assert read("LLM", framework="other", inputs="{}") is None
