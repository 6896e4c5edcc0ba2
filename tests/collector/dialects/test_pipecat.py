from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart, ToolDefinition


def read(name: str, attributes: dict[str, Any]) -> Step | None:
    reading = dialects.read(agent_spans.span(1, name=name, scope_name="pipecat", attributes=attributes))
    assert reading is None or reading[0] == "pipecat"
    return reading[1] if reading else None


def step(name: str, **attributes: Any) -> Step:
    return require_step(read(name, attributes))


@pytest.mark.parametrize("name", ["stt", "tts"])
def test_speech_is_no_step(name: str) -> None:
    assert read(name, {"gen_ai.request.model": "whisper", "gen_ai.operation.name": "stt"}) is None


def test_of_several_calls_at_once_only_the_first_is_told_whole() -> None:
    span_attributes = {
        "tool.function_name": "search",
        "tool.call_id": "c1",
        "tool.calls_count": 2,
        "tool.all_function_names": "search,weather",
        "tool.arguments": '{"q": "Paris"}',
    }
    recorded_call = step("llm_tool_call", **span_attributes)

    assert recorded_call.output is not None
    assert recorded_call.output[0].tool_calls == (
        ToolCallPart(id="c1", name="search", arguments={"q": "Paris"}),
        ToolCallPart(id=None, name="weather", arguments=None),
    )


def test_arguments_that_were_cut_off_are_not_recorded() -> None:
    recorded_call = step("llm_tool_call", **{"tool.function_name": "search", "tool.arguments": '{"q": "Par...'})

    assert recorded_call.output is not None
    assert recorded_call.output[0].tool_calls[0].arguments is None
    assert recorded_call.gaps == ("truncated",)


def test_realtime_answer_names_the_tools_it_asks_for() -> None:
    answer = step(
        "llm_response", **{"function_calls.all_names": "search,weather", "output": "One moment.", "response.id": "r1"}
    )

    assert answer.output is not None
    assert answer.output[0].text == "One moment."
    assert [call.name for call in answer.output[0].tool_calls] == ["search", "weather"]
    assert (answer.response_id, answer.output_text) == ("r1", None)


def test_realtime_session_offers_tools_with_properties_beside_the_name() -> None:
    declared = [{"name": "search", "description": "Finds.", "properties": {"q": {"type": "string"}}, "required": ["q"]}]
    setup = step("llm_setup", **{"tools.definitions": json.dumps(declared)})

    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    assert setup.definitions == (ToolDefinition(name="search", description="Finds.", input_schema=schema),)


def test_realtime_request_is_no_call_of_a_model() -> None:
    request = step("llm_request", input=json.dumps([{"role": "user", "content": "Hello"}]))

    assert request.kind == "workflow"
    assert request.input is not None
    assert request.input[0].text == "Hello"
