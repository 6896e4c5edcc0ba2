from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import TextPart, ToolCallResponsePart


def chat(**attributes: Any) -> Step:
    span_attributes = {f"gen_ai.{key}": value for key, value in attributes.items()}
    return read_step(agent_spans.span(1, attributes={"llm.request.type": "chat", **span_attributes}), "openllmetry")


def flat(role: str, content: Any) -> dict[str, Any]:
    return {"prompt.0.role": role, "prompt.0.content": content}


def test_answer_of_nobody_is_the_model_s() -> None:
    turns = chat(**{"completion.0.role": "unknown", "completion.0.content": "Booked."}).output

    assert turns is not None
    assert (turns[0].role, turns[0].text) == ("assistant", "Booked.")


def test_prompt_without_roles_is_the_user_s() -> None:
    turns = chat(**{"prompt.0.user": "Where to?"}).input

    assert turns is not None
    assert (turns[0].role, turns[0].text) == ("user", "Where to?")


@pytest.mark.parametrize("content", ['{"city": "Paris"}', '["Paris", "Rome"]', "[1, 2]"])
def test_answer_that_is_json_stays_as_written(content: str) -> None:
    turns = chat(**flat("assistant", content)).input

    assert turns is not None
    assert turns[0].parts == (TextPart(content=content),)


def test_list_of_parts_is_read_out_of_its_json() -> None:
    turns = chat(**flat("user", json.dumps([{"type": "text", "text": "Look:"}, {"type": "image_url"}]))).input

    assert turns is not None
    assert turns[0].text == "Look:"
    assert len(turns[0].parts) == 2


def test_result_of_a_tool_stays_as_written() -> None:
    turns = chat(**flat("tool", '[ {"type": "room"} ]')).input

    assert turns is not None
    assert turns[0].parts == (ToolCallResponsePart(response='[ {"type": "room"} ]'),)


def test_reason_to_finish_may_stand_beside_the_answer() -> None:
    reading = dialects.read(
        agent_spans.span(1, attributes={"llm.request.type": "chat", "llm.response.stop_reason": "end_turn"})
    )

    assert reading is not None
    assert reading[1].finish_reasons == ("end_turn",)


@pytest.mark.parametrize("key", ["session_id", "sessionId", "conversation_id", "thread_id", "chat_id"])
def test_session_is_an_association_property_under_any_name(key: str) -> None:
    reading = dialects.read(
        agent_spans.span(1, attributes={"llm.request.type": "chat", f"traceloop.association.properties.{key}": "s1"})
    )

    assert reading is not None
    assert reading[1].session_id == "s1"
