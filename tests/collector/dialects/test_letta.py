from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Event, Span

SCOPE = "letta.otel.tracing"
REQUEST = {
    "model": "gpt-4.1-mini",
    "messages": [{"role": "system", "content": "Help."}, {"role": "user", "content": "What did I order?"}],
    "tools": [{"type": "function", "function": {"name": "archival_search", "parameters": {"type": "object"}}}],
}


def span(number: int, name: str, attributes: dict[str, Any] | None = None, **fields: Any) -> Span:
    return agent_spans.span(number, name=name, scope_name=SCOPE, attributes=attributes or {}, **fields)


def model(number: int, request: dict[str, Any], message: dict[str, Any], **fields: Any) -> Span:
    response = {
        "id": f"chatcmpl-{number}",
        "model": "gpt-4.1-mini-2025-04-14",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }
    bodies = {"request_data": json.dumps(request), "response_data": json.dumps(response)}
    return span(number, "LettaLLMRequestAdapter.log_provider_trace", bodies, **fields)


def tool(number: int, *, status: str = "success", result: str = "['two books']", **fields: Any) -> Span:
    finished = Event("finish_archival_search_execution", 1, {"status": status, "func_return": result})
    parameters = {"parameter.tool_name": "archival_search", "parameter.tool_args": "{'query': 'order'}"}
    return span(number, "LettaAgentV2._execute_tool", parameters, events=(finished,), **fields)


def test_step_of_an_agent_is_a_run_with_its_calls() -> None:
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "archival_search", "arguments": '{"query": "order"}'},
    }
    [run] = assemble(
        [
            span(1, "POST /v1/agents/{agent_id}/messages", for_s=20),
            span(2, "LettaAgentV2.step", {"parameter.run_id": "run-7"}, parent=1, for_s=15),
            model(3, REQUEST, {"content": None, "tool_calls": [call]}, parent=2, at_s=1),
            tool(4, parent=2, at_s=3),
            model(5, REQUEST, {"content": "Two books."}, parent=2, at_s=5),
        ]
    )
    assert (run.input, run.final_response) == ("What did I order?", "Two books.")
    assert (run.input_tokens, run.output_tokens) == (200, 20)
    assert [definition.name for definition in run.tool_definitions or ()] == ["archival_search"]
    [tool_call] = run.tool_calls
    assert (tool_call.id, tool_call.name, tool_call.args, tool_call.result) == (
        "call_1",
        "archival_search",
        {"query": "order"},
        '["two books"]',
    )


def test_tool_that_says_that_it_failed_failed() -> None:
    reading = dialects.read(tool(1, status="error", result="Tool archival_search not found"))
    assert reading is not None
    assert reading[1].error == "Tool archival_search not found"


def test_other_methods_only_give_structure() -> None:
    assert dialects.read(span(1, "AgentManager.get_agent_by_id", {"parameter.agent_id": "agent-1"})) is None


def test_trace_of_a_model_that_recorded_nothing_is_no_call() -> None:
    assert dialects.read(span(1, "SimpleLLMStreamAdapter.log_provider_trace")) is None
