from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import Message, TextPart, ToolCallPart, ToolCallResponsePart

SCOPE = "livekit-agents"


def read(name: str, **attributes: Any) -> Step | None:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    reading = dialects.read(agent_spans.span(1, name=name, scope_name=SCOPE, attributes=span_attributes))
    assert reading is None or reading[0] == "livekit"
    return reading[1] if reading else None


def step(name: str, **attributes: Any) -> Step:
    return require_step(read(name, **attributes))


@pytest.mark.parametrize("name", ["agent_session", "llm_request_run", "tts_request", "user_turn", "agent_speaking"])
def test_what_is_around_a_turn_is_no_step(name: str) -> None:
    assert read(name, gen_ai__request__model="m") is None


def test_the_conversation_is_no_run() -> None:
    assert read("agent_session", gen_ai__operation__name="invoke_workflow") is None


@pytest.mark.parametrize("name", ["agent_turn", "assistant_turn"])
def test_turn_is_a_run_whatever_version_names_it(name: str) -> None:
    turn = step(name, lk__speech_id="speech_1", lk__pii__user_input="Hello", lk__pii__response__text="Hi")

    assert (turn.kind, turn.run_id, turn.input_text, turn.output_text) == ("agent", "speech_1", "Hello", "Hi")


def test_content_without_the_mark_for_personal_data_is_read() -> None:
    tool = step(
        "function_tool",
        lk__function_tool__name="book_hotel",
        lk__function_tool__arguments='{"city": "Paris"}',
        lk__function_tool__output="booked",
    )

    assert (tool.tool_name, tool.args, tool.result, tool.error) == ("book_hotel", {"city": "Paris"}, "booked", None)


def test_tool_that_failed_has_what_the_model_was_told_as_its_error() -> None:
    tool = step(
        "function_tool",
        gen_ai__tool__name="book_hotel",
        lk__function_tool__is_error=True,
        lk__pii__function_tool__output="no rooms",
    )

    assert tool.error == "no rooms"


def test_hand_over_names_both_agents() -> None:
    handed = step("update_agent", lk__previous_agent_label="travel", lk__agent_label="hotels")

    assert (handed.kind, handed.agent_name, handed.target) == ("handoff", "travel", "hotels")


def test_first_agent_of_a_session_takes_over_from_nobody() -> None:
    assert read("update_agent", lk__agent_label="travel") is None


def test_node_without_a_request_of_its_own_tells_the_conversation() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q": 1}'}
    items = [
        {"type": "message", "role": "system", "content": ["Be brief.", {"type": "cache_breakpoint"}]},
        {"type": "agent_config_update", "instructions": "Be brief."},
        {"type": "message", "role": "user", "content": ["Hello"]},
        call,
        {**call, "call_id": "c2"},
        {"type": "function_call_output", "call_id": "c1", "name": "search", "output": "none", "is_error": True},
    ]
    node = step(
        "llm_node",
        lk__pii__chat_ctx=json.dumps({"items": items}),
        lk__pii__response__text="",
        lk__pii__response__function_calls=json.dumps([call]),
    )

    asked = ToolCallPart(id="c1", name="search", arguments={"q": 1})
    assert node.input == (
        Message(role="system", parts=(TextPart(content="Be brief."),)),
        Message(role="user", parts=(TextPart(content="Hello"),)),
        Message(role="assistant", parts=(asked, asked.model_copy(update={"id": "c2"}))),
        Message(role="tool", parts=(ToolCallResponsePart(id="c1", name="search", response="none", is_error=True),)),
    )
    assert node.output is not None
    assert node.output[0].tool_calls == (asked,)


def test_delta_of_chat_items_is_left_to_the_request_within() -> None:
    items = [{"type": "message", "role": "user", "content": ["And now?"]}]

    assert step("llm_node", lk__pii__chat_ctx=json.dumps({"items": items}), lk__input__delta=True).input is None


def test_node_of_a_model_offers_the_tools_that_it_names() -> None:
    node = step("llm_node", lk__function_tools=["get_weather", "book_hotel"])

    assert [tool.name for tool in node.definitions or ()] == ["get_weather", "book_hotel"]
