"""Reads messages from values of any form: the arguments of a function, and its result."""

from __future__ import annotations

import re
from typing import Any

from tracegrade.evaluators.model import Message, TextPart

from ...spans.envelopes import call_arguments
from ...spans.values import as_text, decode_text, is_placeholder
from . import langchain
from .openai import read_completion, read_items
from .request import read_request

__all__ = ["read_content", "read_turns"]

_ROLES = frozenset({"ai", "assistant", "developer", "function", "human", "model", "system", "tool", "user"})
_ITEM = re.compile(
    r"(?i:(?:.*[_.-])?message|.*(?:tool|function)[ _.-]?(?:call|use|result|response|output)(?:[ _.-]?output)?)"
    r"|[A-Za-z]+Message|\w+_call_output|(?:\w+_search|code_interpreter|computer|image_generation|local_shell|mcp)_call"
)
"""The types of items, in the spellings of all providers; other words end like them, such as `recall`."""


def read_content(value: Any) -> tuple[Message, ...] | str | None:
    """Return the messages in `value`, in any spelling; else its text; None if it has neither."""
    if value is None or value == "" or is_placeholder(value):
        return None
    decoded = call_arguments(decode_text(value))
    turns = _find_messages(decoded)
    if turns is None and isinstance(decoded, dict) and len(decoded) == 1:
        (content,) = decoded.values()
        turns = _find_messages(decode_text(content))
        decoded = content if isinstance(content, str) else decoded
    return turns if turns is not None else as_text(decoded)


def read_turns(value: Any, role: str) -> tuple[Message, ...] | None:
    """Return the messages in `value`; a text alone is one message of `role`.

    The role of a conversation in an unknown form is unknown, as the text may come from any side.
    """
    content = read_content(value)
    if isinstance(content, str):
        is_unknown = role == "user" and _holds_conversation(content)
        return (
            (Message(role="unknown" if is_unknown else role, parts=(TextPart(content=content),)),) if content else None
        )
    return content


def _find_messages(value: Any) -> tuple[Message, ...] | None:
    if isinstance(value, dict) and isinstance(value.get("role"), str):
        value = [value]
    if isinstance(value, list):
        return read_items(value) or read_completion(value)
    return (
        (read_request(value) or langchain.read_generations(value) or read_completion(value))
        if isinstance(value, dict)
        else None
    )


def _holds_conversation(value: Any) -> bool:
    """Return whether a list anywhere in `value` has turns or items of a conversation."""
    waiting = [value]
    while waiting:
        decoded = decode_text(waiting.pop())
        if isinstance(decoded, list):
            if any(map(_is_of_conversation, decoded)):
                return True
            waiting += decoded
        elif isinstance(decoded, dict):
            waiting += decoded.values()
    return False


def _is_of_conversation(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    return str(item.get("role")) in _ROLES or _ITEM.fullmatch(str(item.get("type"))) is not None
