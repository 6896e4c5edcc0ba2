from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart

TOOLS = [{"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}]
USER = [{"role": "user", "content": "Hi"}]


def read(kind: str, **attributes: Any) -> Step | None:
    span_attributes = {"span_attributes": {"type": kind}, **attributes}
    recorded = {f"braintrust.{key}": json.dumps(value) for key, value in span_attributes.items()}
    step = dialects.read(agent_spans.span(1, name="Chat Completion", attributes=recorded, scope_name="any"))
    assert step is None or step[0] == "braintrust"
    return step[1] if step else None


def step(kind: str, **attributes: Any) -> Step:
    return require_step(read(kind, **attributes))


def test_call_of_a_model_is_told_by_metadata_and_metrics() -> None:
    call = step(
        "llm",
        metadata={"provider": "openai", "model": "gpt-4o", "id": "chatcmpl-1", "tools": TOOLS},
        metrics={"prompt_tokens": 10, "completion_tokens": 2, "prompt_cached_tokens": 4, "time_to_first_token": 0.5},
        input_json=USER,
    )

    assert (call.provider_name, call.request_model, call.response_id) == ("openai", "gpt-4o", "chatcmpl-1")
    assert (call.usage.input_tokens, call.usage.output_tokens, call.usage.cached_input_tokens) == (10, 2, 4)
    assert (call.time_to_first_token_ms, call.usage.cost_usd) == (500, None)
    assert [definition.name for definition in call.definitions or ()] == ["search"]


@pytest.mark.parametrize(
    "answer",
    [
        [{"message": {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}}],
        [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}],
        [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
        {
            "candidates": [
                {"content": {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "f", "args": {}}}]}}
            ]
        },
    ],
    ids=["choices", "messages of Anthropic", "items", "candidates"],
)
def test_answer_is_as_its_provider_gave_it(answer: object) -> None:
    output = step("llm", input_json=USER, output_json=answer).output

    assert output is not None
    assert [part for turn in output for part in turn.tool_calls] == [ToolCallPart(id="c", name="f", arguments={})]


def test_tool_is_named_by_its_span() -> None:
    call = step("tool", input_json={"city": "Paris"}, output_json="Sunny")

    assert (call.tool_name, call.args, call.result) == ("Chat Completion", {"city": "Paris"}, "Sunny")


def test_task_is_a_workflow() -> None:
    run = step("task", input_json="Hi", output_json="Hello")

    assert (run.kind, run.input_text) == ("workflow", "Hi")


@pytest.mark.parametrize("kind", ["score", "eval", "automation"])
def test_span_of_an_evaluation_is_not_a_step(kind: str) -> None:
    assert read(kind, input_json="Hi") is None
