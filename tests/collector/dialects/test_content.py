from __future__ import annotations

import json
from typing import Any

import pytest

from tracegrade.collector.dialects.shared.content import read_turns
from tracegrade.evaluators.model import Message, ReasoningPart, TextPart, ToolCallPart, ToolCallResponsePart

CALL = ToolCallPart(id="call_1", name="book", arguments={"city": "Paris"})
ANSWER = ToolCallResponsePart(id="call_1", response="HTL-PAR-5")


def messages(value: Any) -> tuple[Message, ...]:
    turns = read_turns(json.dumps(value), "user")
    assert turns is not None
    return turns


def list_parts(value: Any) -> list[tuple[str, object]]:
    """Each part with the role of its message."""
    return [(message.role, part) for message in messages(value) for part in message.parts]


RESPONSES = {
    "model": "gpt-4.1",
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": "a hotel"},
        {"type": "reasoning", "id": "rs_1", "content": [], "summary": [{"type": "summary_text", "text": "Book."}]},
        {"type": "function_call", "call_id": "call_1", "name": "book", "arguments": '{"city": "Paris"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "HTL-PAR-5"},
    ],
    "tools": [{"type": "function", "name": "book"}],
}
CHAT = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "a hotel"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "call_1", "function": {"name": "book", "arguments": '{"city": "Paris"}'}}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "HTL-PAR-5"},
    ],
}
ANTHROPIC = {
    "model": "claude",
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        {"role": "user", "content": "a hotel"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "call_1", "name": "book", "input": {"city": "Paris"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "HTL-PAR-5"}]},
    ],
}
GEMINI_CONTENTS = [
    {"role": "user", "parts": [{"text": "a hotel"}]},
    {"role": "model", "parts": [{"functionCall": {"id": "call_1", "name": "book", "args": {"city": "Paris"}}}]},
    {"role": "user", "parts": [{"functionResponse": {"id": "call_1", "response": "HTL-PAR-5"}}]},
]
GEMINI = {"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": GEMINI_CONTENTS}
GEMINI_OF_THE_SDK = {
    "model": "gemini",
    "contents": GEMINI_CONTENTS,
    "config": {"system_instruction": "Be brief."},
}
ASKED = [("system", TextPart(content="Be brief.")), ("user", TextPart(content="a hotel"))]


@pytest.mark.parametrize(
    ("body", "behind"),
    [
        pytest.param(
            RESPONSES,
            [("assistant", ReasoningPart(content="Book.")), ("assistant", CALL), ("tool", ANSWER)],
            id="OpenAI's responses",
        ),
        pytest.param(CHAT, [("assistant", CALL), ("tool", ANSWER)], id="OpenAI's chat completions"),
        pytest.param(ANTHROPIC, [("assistant", CALL), ("user", ANSWER)], id="Anthropic"),
        pytest.param(GEMINI, [("assistant", CALL), ("user", ANSWER)], id="Gemini"),
        pytest.param(GEMINI_OF_THE_SDK, [("assistant", CALL), ("user", ANSWER)], id="Gemini's SDK"),
    ],
)
def test_calls_and_answers_in_a_whole_request_are_parts_of_their_own(body: object, behind: list[object]) -> None:
    assert list_parts(body) == [*ASKED, *behind]


@pytest.mark.parametrize(
    "body",
    [
        {"instructions": "Be brief.", "input": "a hotel"},
        {"config": {"system_instruction": "Be brief."}, "contents": ["a hotel"]},
    ],
    ids=["OpenAI's responses", "Gemini's SDK"],
)
def test_text_in_a_whole_request_is_the_users(body: object) -> None:
    assert list_parts(body) == ASKED


def test_what_a_model_gave_in_one_answer_is_one_message() -> None:
    calls = [{"type": "function_call", "call_id": f"call_{at}", "name": "book", "arguments": "{}"} for at in (1, 2)]
    custom = {"type": "custom_tool_call", "call_id": "call_3", "name": "run", "input": "ls"}
    turns = messages({"input": [{"role": "user", "content": "a hotel"}, *calls, custom], "model": "gpt-4.1"})

    assert [message.role for message in turns] == ["user", "assistant"]
    assert [call.id for call in turns[1].tool_calls] == ["call_1", "call_2", "call_3"]


@pytest.mark.parametrize(
    "value",
    [
        {"prompt": "a hotel", "turns": [{"role": "tool", "said": "HTL-PAR-5"}]},
        {"model": "gpt-9", "steps": [{"type": "shell_call_output", "output": "HTL-PAR-5"}]},
        {"of": 1, "steps": [{"type": "functionResponse", "is": "HTL-PAR-5"}]},
        {"of": 1, "steps": [{"type": "tool-result", "is": "HTL-PAR-5"}]},
        {"of": 1, "steps": [{"type": "AIMessage", "is": "HTL-PAR-5"}]},
        {"url": "/v9/chat", "body": json.dumps({"turns": [{"role": "tool", "said": "HTL-PAR-5"}], "of": 1})},
    ],
    ids=["roles", "types", "functionResponse", "tool-result", "AIMessage", "JSON in JSON"],
)
def test_conversation_in_no_known_form_is_not_said_by_the_user(value: object) -> None:
    assert [message.role for message in messages(value)] == ["unknown"]


def test_what_a_model_gave_is_its_own_whatever_it_holds() -> None:
    turns = read_turns('{"cast":[{"role":"user"}],"of":1}', "assistant")

    assert turns == (Message(role="assistant", parts=(TextPart(content='{"cast":[{"role":"user"}],"of":1}'),)),)


@pytest.mark.parametrize(
    "value",
    [
        {"city": "Paris", "rooms": [{"type": "suite"}], "guests": [{"role": "speaker"}]},
        {"assets": [{"type": "house"}, {"type": "warehouse"}], "events": [{"type": "recall"}, {"type": "phone_call"}]},
        {"found": [{"type": "search_result", "text": "a hotel"}], "for": "Paris"},
        {"input": "a hotel", "nights": 5},
    ],
    ids=["objects of another kind", "words that end alike", "what was found", "a function's argument"],
)
def test_any_other_object_is_said_as_a_text(value: object) -> None:
    assert [(message.role, json.loads(message.text or "")) for message in messages(value)] == [("user", value)]


def test_equal_calls_are_read_as_calls_of_their_own() -> None:
    turn = {"role": "assistant", "tool_calls": [{"name": "roll_dice", "args": {}}]}
    first, second = messages([turn, turn])
    assert first == second
    assert first.tool_calls[0] is not second.tool_calls[0]
