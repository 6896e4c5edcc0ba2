from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.dialects.shared.openai import read_completion
from tracegrade.evaluators.model import AgentTrace

QUERY = {"type": "search", "query": "Paris"}


def run_of(*parts: dict[str, Any], apart: bool = False) -> AgentTrace:
    """A run whose model says these parts and then a text, in one message or each in its own."""
    turns = [*parts, {"type": "text", "content": "Sunny."}]
    says = (
        [{"role": "assistant", "parts": [part]} for part in turns] if apart else [{"role": "assistant", "parts": turns}]
    )
    spans = [
        agent_spans.agent(1),
        agent_spans.chat(2, parent=1, at_s=1, hears=[agent_spans.text_message("user", "Weather?")], says=says),
    ]
    [run] = assemble(spans)
    return run


def hosted(call_id: str | None, **payload: Any) -> dict[str, Any]:
    return {"type": "server_tool_call", "id": call_id, "name": "web_search", "server_tool_call": payload}


@pytest.mark.parametrize("apart", [False, True], ids=["in-one-message", "in-messages-of-their-own"])
@pytest.mark.parametrize("call_id", ["ws_1", None], ids=["with-id", "without-id"])
def test_text_beside_a_call_that_the_provider_carried_out_is_the_answer(call_id: str | None, *, apart: bool) -> None:
    payload = {"type": "web_search", "status": "completed", "action": QUERY}
    run = run_of(hosted(call_id, **payload), apart=apart)

    assert run.final_response == "Sunny."
    assert [(call.name, call.args, call.status) for call in run.tool_calls] == [("web_search", QUERY, "ok")]


@pytest.mark.parametrize(
    ("payload", "args", "result"),
    [
        pytest.param(
            {"status": "completed", "arguments": '{"sides":6}', "output": "4", "server_label": "dice"},
            {"sides": 6},
            "4",
            id="mcp",
        ),
        pytest.param(
            {"status": "completed", "code": "6*7", "container_id": "c", "outputs": [{"type": "logs", "logs": "42"}]},
            {"code": "6*7"},
            '[{"type":"logs","logs":"42"}]',
            id="code-interpreter",
        ),
        pytest.param(
            {"status": "completed", "queries": ["a"], "results": [{"text": "b", "score": 1}]},
            {"queries": ["a"]},
            '[{"text":"b","score":1}]',
            id="file-search",
        ),
        pytest.param({"type": "web", "q": "Paris"}, {"q": "Paris"}, None, id="of-another-provider"),
    ],
)
def test_result_that_stands_in_the_call_is_not_among_its_arguments(
    payload: dict[str, Any], args: dict[str, Any], result: str | None
) -> None:
    [call] = run_of(hosted(None, **payload)).tool_calls

    assert (call.args, call.result, call.status) == (args, result, "ok")


def test_call_that_failed_at_the_provider_is_an_error() -> None:
    [call] = run_of(hosted("mcp_1", status="failed", arguments="{}", error="no such dice")).tool_calls

    assert (call.status, call.error) == ("error", "no such dice")


@pytest.mark.parametrize("payload", ["text", None, 5, ["a"]], ids=["text", "nothing", "number", "list"])
def test_call_in_another_form_is_a_call_all_the_same(payload: Any) -> None:
    part = {"type": "server_tool_call", "id": "ws_1", "name": "web_search", "server_tool_call": payload}

    assert [call.name for call in run_of(part).tool_calls] == ["web_search"]


def test_items_of_the_responses_api_are_calls_with_their_results() -> None:
    item = {"type": "mcp_call", "id": "mcp_1", "status": "completed", "name": "roll", "arguments": "{}", "output": "4"}
    message = {"type": "message", "content": [{"type": "output_text", "text": "Four."}]}
    [said] = read_completion(json.dumps({"output": [item, message]})) or ()

    assert [(call.id, call.name) for call in said.tool_calls] == [("mcp_1", "roll")]
    assert said.text == "Four."


def test_tools_of_an_openinference_span_that_openai_runs_leave_the_answer_to_the_text() -> None:
    output = "llm.output_messages.0.message"
    attributes = {
        "openinference.span.kind": "LLM",
        f"{output}.role": "assistant",
        f"{output}.content": "Sunny.",
        f"{output}.tool_calls.0.tool_call.id": "ws_1",
        f"{output}.tool_calls.0.tool_call.function.name": "web_search_call",
        f"{output}.tool_calls.0.tool_call.function.arguments": json.dumps(QUERY),
    }
    agent = agent_spans.span(1, name="agent", attributes={"openinference.span.kind": "AGENT"}, for_s=5)
    [run] = assemble([agent, agent_spans.span(2, parent=1, at_s=1, attributes=attributes)])

    assert run.final_response == "Sunny."
    assert [(call.args, call.status) for call in run.tool_calls] == [(QUERY, "ok")]
