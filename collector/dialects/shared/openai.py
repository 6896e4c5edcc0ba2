"""Reads OpenAI's own answers, chat completions and responses, which instrumentations record as they are.

Source: https://platform.openai.com/docs/api-reference (chat/object, responses/object)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from tracegrade.evaluators.model import Message, MessagePart

from ...spans.values import decode_text
from .messages import message, unwrap_choice
from .server_tools import HOSTED_CALLS

__all__ = ["find_response_id", "read_completion", "read_items"]

_ID = re.compile(r'\{\s*"id":\s*"((?:chatcmpl|resp|msg)[-_][^"\\]+)"')

_ITEMS = frozenset(
    {
        "message",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "reasoning",
        *HOSTED_CALLS,
    }
)
_CHOICE = frozenset({"finish_reason", "index", "logprobs", "text"})
"""The fields of an answer by the older API of completions."""


def find_response_id(output: Any) -> str | None:
    """Return the id at the beginning of an answer of OpenAI or Anthropic that is recorded whole."""
    match = _ID.match(output) if isinstance(output, str) else None
    return match[1] if match else None


def read_completion(value: Any) -> tuple[Message, ...] | None:
    """Return the messages of an answer, or of a list of answers; None when `value` is neither."""
    decoded = decode_text(value)
    if isinstance(decoded, list) and decoded and all(isinstance(item, dict) and "function" in item for item in decoded):
        return (message({"role": "assistant", "tool_calls": decoded}),)
    answers = decoded if isinstance(decoded, list) else [decoded]
    turns = tuple(turn for answer in answers if isinstance(answer, dict) for turn in _read_answer(answer))
    return turns or None


def read_items(value: Any) -> tuple[Message, ...] | None:
    """Read messages, or items of the Responses API, which has calls and outputs beside messages; else None.

    Items of the model that follow one another were one answer, and are one message, as in the answer itself.
    """
    listed = list(map(unwrap_choice, _dicts(value)))
    if any(str(item.get("type")) in _ITEMS for item in listed):
        return tuple(_join_answers(map(_item, listed)))
    is_said = bool(listed) and len(listed) == len(value) and all(isinstance(item.get("role"), str) for item in listed)
    return tuple(map(message, listed)) if is_said else None


def _item(item: dict[str, Any]) -> Message:
    if "role" in item:
        return message(item)
    is_output = str(item.get("type")).endswith("_output")
    return message({"role": "tool" if is_output else "assistant", "parts": [item]})


def _join_answers(turns: Iterable[Message]) -> Iterator[Message]:
    for role, group in groupby(turns, key=attrgetter("role")):
        first, *more = group
        if role != "assistant":
            yield from (first, *more)
        elif parts := tuple(part for turn in (first, *more) for part in turn.parts):
            yield first.model_copy(update={"parts": parts})


def _read_answer(answer: dict[str, Any]) -> Iterator[Message]:
    for choice in _dicts(answer.get("choices")):
        if isinstance(choice.get("message"), dict):
            yield message(choice["message"])
        elif isinstance(choice.get("text"), str):
            yield message({"role": "assistant", "content": choice["text"]})
    if isinstance(answer.get("text"), str) and answer.keys() <= _CHOICE and "finish_reason" in answer:
        yield message({"role": "assistant", "content": answer["text"]})
    parts: list[MessagePart] = []
    for item in _dicts(answer.get("output")):
        parts_of_item = item.get("content") or ([] if item.get("type") == "message" else [item])
        parts.extend(message({"role": "assistant", "parts": parts_of_item}).parts)
    if parts:
        yield Message(role="assistant", parts=tuple(parts))


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
