from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart


def read(name: str, **attributes: Any) -> Step | None:
    recorded = {"componentName": "travel", **attributes}
    step = dialects.read(agent_spans.span(1, name=name, attributes=recorded, scope_name="default-tracer"))
    assert step is None or step[0] == "mastra_telemetry"
    return step[1] if step else None


def step(name: str, **attributes: Any) -> Step:
    return require_step(read(name, **attributes))


def encode(value: object) -> str:
    return json.dumps(value)


@pytest.mark.parametrize("method", ["generate", "stream", "generateVNext", "streamVNext", "generateLegacy"])
def test_method_of_an_agent_is_a_run(method: str) -> None:
    name = f"agent.{method}"
    inputs = {
        f"{name}.argument.0": encode([{"role": "user", "content": "Hi"}]),
        f"{name}.result": encode({"text": "Hello"}),
    }
    run = step(name, **inputs)

    assert (run.kind, run.agent_name, run.output_text) == ("agent", "travel", "Hello")
    assert run.input is not None
    assert run.input[0].text == "Hi"


@pytest.mark.parametrize(
    "options",
    [
        {"threadId": "t1", "resourceId": "u1"},
        {"memory": {"thread": "t1", "resource": "u1"}},
        {"memory": {"thread": {"id": "t1"}, "resource": "u1"}},
    ],
    ids=["beside", "in memory", "object in memory"],
)
def test_session_and_user_are_among_the_options(options: dict[str, Any]) -> None:
    run = step(
        "agent.generate", **{"agent.generate.argument.0": encode("Hi"), "agent.generate.argument.1": encode(options)}
    )

    assert (run.session_id, run.user_id) == ("t1", "u1")


def test_argument_that_cannot_be_written_is_left_out() -> None:
    assert step("agent.generate", **{"agent.generate.argument.0": "[Not Serializable]"}).input is None


def test_step_of_the_loop_is_the_call_of_a_model() -> None:
    body = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Hi"}], "tools": [{"name": "search"}]}
    result = {
        "metadata": {"id": "r1", "modelId": "gpt-4.1-mini-2025-04-14", "request": {"body": body}},
        "stepResult": {"reason": "tool-calls"},
        "output": {
            "text": "",
            "toolCalls": [{"toolCallId": "c1", "toolName": "search", "args": {"q": 1}}],
            "usage": {"inputTokens": 10, "outputTokens": 2},
        },
    }
    name = "workflow.executionWorkflow.step.llm-execution"
    call = step(name, **{f"{name}.result": encode(result)})

    assert call.output is not None
    assert call.output[0].tool_calls == (ToolCallPart(id="c1", name="search", arguments={"q": 1}),)
    assert (call.request_model, call.response_id, call.finish_reasons) == ("gpt-4.1-mini", "r1", ("tool-calls",))
    assert (call.usage.input_tokens, call.usage.output_tokens) == (10, 2)


def test_tool_that_failed_returns_its_error() -> None:
    result = encode({"message": "no room", "details": {}, "code": "TOOL_EXECUTION_FAILED"})
    call = step("mastra.stream.toolCall", **{"stream.toolCall.toolName": "book", "stream.toolCall.result": result})

    assert (call.tool_name, call.error) == ("book", "no room")


def test_call_of_the_loop_s_stream_is_not_counted_beside_its_steps() -> None:
    assert read("mastra.stream.aisdk.doStream", **{"aisdk.model.id": "gpt-4.1-mini"}) is None
