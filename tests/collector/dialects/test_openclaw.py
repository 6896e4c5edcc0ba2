from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step, Usage

SCOPE = "openclaw"
CHAT = {"gen_ai.operation.name": "chat", "openclaw.model": "gpt-5.5"}
TOOL = {"gen_ai.operation.name": "execute_tool", "openclaw.toolName": "read", "gen_ai.tool.call.id": "call_1"}


def span(number: int, name: str, attributes: dict[str, Any], **fields: Any) -> Span:
    return agent_spans.span(number, name=name, scope_name=SCOPE, attributes=attributes, **fields)


def step(name: str, attributes: dict[str, Any], **fields: Any) -> Step:
    return read_step(span(1, name, attributes, **fields), "openclaw")


def test_message_that_was_answered_is_one_run_of_its_agent() -> None:
    span_attributes = {"openclaw.agent": "ops", "input.value": "What failed?", "output.value": "Nothing."}
    asking = [{"type": "tool_call", "id": "call_1", "name": "read", "arguments": {"path": "log"}}]
    request = {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": asking}])}
    content = {"openclaw.content.tool_input": '{"path": "log"}', "openclaw.content.tool_output": "no errors"}
    [run] = assemble(
        [
            span(1, "openclaw.message.processed", span_attributes, for_s=10),
            span(2, "openclaw.harness.run", span_attributes, parent=1, for_s=9),
            span(3, "openclaw.model.call", {**CHAT, **request}, parent=2, at_s=1),
            span(4, "openclaw.tool.execution", {**TOOL, **content}, parent=2, at_s=3),
        ]
    )
    assert (run.agent_name, run.input, run.final_response) == ("ops", "What failed?", "Nothing.")
    [call] = run.tool_calls
    assert (call.id, call.name, call.args, call.result) == ("call_1", "read", {"path": "log"}, "no errors")


def test_call_that_was_not_allowed_failed() -> None:
    blocked = {**TOOL, "openclaw.outcome": "blocked", "openclaw.deniedReason": "approval_denied"}
    assert step("openclaw.tool.execution", blocked).error == "blocked: approval_denied"


def test_category_of_an_error_is_the_error_of_the_call() -> None:
    failed = step("openclaw.tool.execution", TOOL, status_code="error", status_message="timeout")
    assert failed.error == "timeout"


def test_tokens_of_a_run_are_no_model_call() -> None:
    spent = {**CHAT, "gen_ai.usage.input_tokens": 130, "gen_ai.usage.output_tokens": 20}
    answer = {**CHAT, "gen_ai.output.messages": json.dumps([agent_spans.text_message("assistant", "Nothing.")])}
    [run] = assemble(
        [
            span(1, "openclaw.harness.run", {"openclaw.agent": "ops"}, for_s=10),
            span(2, "openclaw.model.call", answer, parent=1, at_s=1),
            span(3, "openclaw.model.usage", spent, parent=1, at_s=3),
        ]
    )
    assert (len(run.llm_calls), run.input_tokens, run.output_tokens) == (1, 130, 20)


def test_tokens_in_the_answer_of_earlier_versions_are_read() -> None:
    usage = {"input": 951, "output": 127, "cacheRead": 20864, "cost": {"total": 0.5}}
    answer = [{"role": "assistant", "content": [{"type": "text", "text": "done"}], "usage": usage}]
    answered = step("openclaw.model.call", {**CHAT, "openclaw.content.output_messages": json.dumps(answer)})
    assert answered.usage == Usage(input_tokens=21815, output_tokens=127, cached_input_tokens=20864, cost_usd=0.5)
    assert answered.output is not None
    assert answered.output[0].text == "done"
