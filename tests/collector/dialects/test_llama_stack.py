from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart, ToolCallResponsePart

SCOPE = "llama_stack.providers.inline.telemetry.meta_reference.telemetry"
CALL = {"call_id": "c1", "tool_name": "search", "arguments": {"q": 1}}
ASKS = {"role": "assistant", "content": "", "stop_reason": "end_of_turn", "tool_calls": [CALL]}
ANSWERS = {"role": "tool", "call_id": "c1", "content": "AF007"}


def step(name: str, **attributes: Any) -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=SCOPE), "llama_stack")


def test_turn_is_a_run_of_its_agent() -> None:
    request = json.dumps({"messages": [{"role": "user", "content": "Hi"}]})
    run = step("/v1/agents", turn_id="t1", agent_name="travel", agent_id="a1", session_id="s1", request=request)

    assert (run.kind, run.agent_name, run.agent_id, run.session_id) == ("agent", "travel", "a1", "s1")
    assert run.input is not None
    assert run.input[0].text == "Hi"


def test_inference_is_told_by_the_messages_of_the_api() -> None:
    history = json.dumps([json.dumps(ASKS), json.dumps(ANSWERS)])
    call = step("inference", input=history, output=json.dumps({"content": "", "tool_calls": [CALL]}))

    assert call.output is not None
    assert call.output[0].role == "assistant"
    assert call.output[0].tool_calls == (ToolCallPart(id="c1", name="search", arguments={"q": 1}),)
    assert call.input is not None
    assert call.input[1].parts == (ToolCallResponsePart(id="c1", response="AF007"),)


def test_inference_without_an_answer_has_no_message() -> None:
    assert step("inference").output is None


def test_tool_has_the_arguments_of_its_own_call() -> None:
    other = {"call_id": "c0", "tool_name": "search", "arguments": {"q": 0}}
    asks = json.dumps({**ASKS, "tool_calls": [other, CALL]})
    call = step("tool_execution", tool_name="search", input=asks, output=json.dumps(ANSWERS))

    assert (call.tool_name, call.call_id, call.args, call.result) == ("search", "c1", {"q": 1}, "AF007")


def test_tool_that_was_cut_off_among_several_of_its_name_has_no_arguments() -> None:
    other = {"call_id": "c0", "tool_name": "search", "arguments": {"q": 0}}
    call = step("tool_execution", tool_name="search", input=json.dumps({**ASKS, "tool_calls": [other, CALL]}))

    assert (call.call_id, call.args, call.result) == (None, None, None)


def test_method_that_is_traced_by_itself_gives_structure() -> None:
    recorded = {"__autotraced__": True, "__method__": "chat_completion", "output": "{}"}
    span = agent_spans.span(1, name="InferenceRouter.chat_completion", attributes=recorded, scope_name=SCOPE)

    assert dialects.read(span) is None
