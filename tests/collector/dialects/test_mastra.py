from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart


def read(kind: str, **attributes: Any) -> Step | None:
    reading = dialects.read(
        agent_spans.span(1, attributes={"mastra.span.type": kind, **attributes}, scope_name="@mastra/otel-exporter")
    )
    assert reading is None or reading[0] == "mastra"
    return reading[1] if reading else None


def step(kind: str, **attributes: Any) -> Step:
    return require_step(read(kind, **attributes))


@pytest.mark.parametrize("kind", ["model_chunk", "processor_run", "workflow_step", "client_tool_call", "new_kind"])
def test_span_of_another_type_is_no_step(kind: str) -> None:
    assert read(kind) is None


def test_loop_around_model_calls_is_no_call_itself() -> None:
    assert read("model_generation", **{"gen_ai.operation.name": "model_generation"}) is None


def test_loop_is_the_model_call_where_nothing_else_is() -> None:
    call = step("model_generation", **{"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7})

    assert call.kind == "model"
    assert call.usage.input_tokens == 7


def test_what_steps_before_said_is_left_out_where_it_is_only_named() -> None:
    request = [
        {"role": "user", "content": "What does [tool: hammer] mean?"},
        {"role": "assistant", "content": "Let me see.[tool: search]"},
        {"role": "tool", "content": "[tool-result: search]"},
        {"role": "assistant", "content": "A hammer."},
    ]
    call = step("model_step", **{"mastra.model_step.input": json.dumps(request)})

    assert call.input is not None
    assert [message.text for message in call.input] == ["What does [tool: hammer] mean?", "A hammer."]


def test_answer_of_the_provider_is_not_taken_where_it_was_cut_off() -> None:
    calls = [{"toolCallId": "call_1", "toolName": "search", "args": {"city": "Paris"}}]
    cut = {
        "choices": [{"message": {"role": "assistant", "tool_calls": [{"id": "[MaxDepth]", "function": "[MaxDepth]"}]}}]
    }
    call = step("model_step", output=json.dumps({"text": "", "toolCalls": calls}), body=json.dumps(cut))

    assert call.output is not None
    assert call.output[0].tool_calls == (ToolCallPart(id="call_1", name="search", arguments={"city": "Paris"}),)


def test_tools_of_an_agent_are_known_by_name() -> None:
    agent = step("agent_run", **{"gen_ai.tool.definitions": '["search", "book"]'})

    assert [tool.name for tool in agent.definitions or ()] == ["search", "book"]
    assert agent.gaps == ()


def test_user_is_the_owner_of_the_thread() -> None:
    agent = step("agent_run", **{"mastra.metadata.threadId": "t-1", "mastra.metadata.resourceId": "u-1"})

    assert (agent.session_id, agent.user_id) == ("t-1", "u-1")


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ('{"error": true, "message": "no", "validationErrors": {}}', "no"),
        ('{"error": true, "message": "no"}', None),
        ('{"error": "no such flight"}', None),
    ],
    ids=["refused", "said by the tool", "told by the tool"],
)
def test_only_arguments_that_were_refused_are_an_error(result: str, error: str | None) -> None:
    assert step("tool_call", **{"gen_ai.tool.name": "t", "gen_ai.tool.call.result": result}).error == error


@pytest.mark.parametrize(
    "told",
    [
        {"mastra.metadata.modelMetadata": json.dumps({"modelId": "gpt-4o"})},
        {"mastra.model_step.input": json.dumps({"body": {"model": "gpt-4o", "messages": []}})},
    ],
    ids=["metadata", "request"],
)
def test_model_of_a_step_without_an_inner_span(told: dict[str, Any]) -> None:
    assert step("model_step", **told).request_model == "gpt-4o"


@pytest.mark.parametrize(
    ("state", "question"),
    [
        ({"status": "suspended", "reason": "tool-call-approval", "toolName": "refund"}, "refund"),
        ({"status": "suspended", "suspendPayload": {"question": "Sure?"}}, "Sure?"),
        ({"status": "suspended"}, ""),
        ({"text": "Done"}, None),
    ],
)
def test_suspended_agent_waits(state: dict[str, Any], question: str | None) -> None:
    assert step("agent_run", **{"mastra.agent_run.output": json.dumps(state)}).interrupt == question
