from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step


def read(operation: str, *, given: Any = None, gave: Any = None, events: Any = (), **more: Any) -> Step | None:
    span_attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.agent.name": "gemini-cli",
        "gen_ai.input.messages": given if isinstance(given, str) else json.dumps(given),
        "gen_ai.output.messages": json.dumps(gave),
        **{f"gen_ai.{key.replace('__', '.')}": value for key, value in more.items()},
    }
    attributes = {key: value for key, value in span_attributes.items() if value != "null"}
    reading = dialects.read(agent_spans.span(1, attributes=attributes, scope_name="gemini-cli", events=events))
    assert reading is None or reading[0] == "gemini_cli"
    return reading[1] if reading else None


def step(operation: str, **told: Any) -> Step:
    return require_step(read(operation, **told))


@pytest.mark.parametrize("operation", ["system_prompt", "schedule_tool_calls", "session", "new_operation"])
def test_other_operations_give_structure(operation: str) -> None:
    assert read(operation) is None


def test_slash_command_is_no_run() -> None:
    assert read("user_prompt", events=(Event("gemini_cli.slash_command", 1, {"command": "quit"}),)) is None


def test_input_that_was_cut_off_is_read_out_of_the_log() -> None:
    whole = [{"role": "model", "parts": [{"text": "Hello"}]}, {"role": "user", "parts": [{"text": "Hi"}]}]
    event = Event("gemini_cli.api_request", 1, {"request_text": json.dumps(whole)}, is_log=True)
    call = step("llm_call", given='[{"role":"mod...[TRUNCATED: original length 12000]', events=(event,))

    assert call.input is not None
    assert [(message.role, message.text) for message in call.input] == [("assistant", "Hello"), ("user", "Hi")]


def test_thoughts_are_reasoning() -> None:
    parts = [{"text": "Hm", "thought": True}, {"text": "Yes"}]
    call = step("llm_call", gave=[{"role": "model", "parts": [part]} for part in parts])

    assert call.output is not None
    assert [part.type for part in call.output[0].parts] == ["reasoning", "text"]


@pytest.mark.parametrize(
    "instructions",
    ['"Be kind."', '{"role": "user", "parts": [{"text": "Be kind."}]}', '[{"text": "Be kind."}]'],
    ids=["text", "content", "parts"],
)
def test_system_instructions_come_first(instructions: str) -> None:
    call = step("llm_call", system_instructions=instructions)

    assert call.input is not None
    assert (call.input[0].role, call.input[0].text) == ("system", "Be kind.")


def test_cancelled_tool_call_is_an_error() -> None:
    parts = [{"functionResponse": {"id": "1", "name": "t", "response": {"error": "User did not allow it"}}}]
    call = step("tool_call", gave={"status": "cancelled", "response": {"responseParts": parts}}, tool__name="t")

    assert call.error == "User did not allow it"


def test_result_that_is_an_object_is_kept_whole() -> None:
    parts = [{"functionResponse": {"response": {"output": "a", "more": 1}}}]
    call = step("tool_call", gave={"status": "success", "response": {"responseParts": parts}}, tool__name="t")

    assert call.result == '{"output":"a","more":1}'
    assert call.error is None


def test_agent_called_as_a_tool_does_not_bear_the_name_of_the_cli() -> None:
    agent = step("agent_call", given={"query": "Where?"}, gave={"llmContent": [{"text": "Here."}]})

    assert (agent.kind, agent.agent_name, agent.input_text) == ("agent", None, "Where?")
    assert agent.output_text == "Here."
