"""What was said, out of values that may hold anything: what a function was given, what it gave back."""

from __future__ import annotations

import re
from typing import Any

from tracegrade.evaluators.model import Message, TextPart

from ...spans.envelopes import call_arguments
from ...spans.values import as_text, decode_text, is_placeholder
from . import langchain
from .openai import completion, items
from .request import request

__all__ = ["said", "spoken"]

_ROLES = frozenset({"ai", "assistant", "developer", "function", "human", "model", "system", "tool", "user"})
_ITEM = re.compile(
    r"(?i:(?:.*[_.-])?message|.*(?:tool|function)[ _.-]?(?:call|use|result|response|output)(?:[ _.-]?output)?)"
    r"|[A-Za-z]+Message|\w+_call_output|(?:\w+_search|code_interpreter|computer|image_generation|local_shell|mcp)_call"
)
"""What the types of items are, in the spellings of all providers; much else ends like them: a house, a recall."""


def spoken(value: Any) -> tuple[Message, ...] | str | None:
    """The messages that `value` holds, in any spelling; else what it says as one text; None when it says nothing."""
    if value is None or value == "" or is_placeholder(value):
        return None
    decoded = call_arguments(decode_text(value))
    found = _messages(decoded)
    if found is None and isinstance(decoded, dict) and len(decoded) == 1:
        (held,) = decoded.values()
        found = _messages(decode_text(held))
        decoded = held if isinstance(held, str) else decoded
    return found if found is not None else as_text(decoded)


def said(value: Any, role: str) -> tuple[Message, ...] | None:
    """The messages that `value` holds; what is only a text is one message of `role`.

    What holds a conversation in no form that is known is not the user's: anyone may have said what is in it.
    """
    found = spoken(value)
    if isinstance(found, str):
        is_anyones = role == "user" and _holds_conversation(found)
        return (Message(role="unknown" if is_anyones else role, parts=(TextPart(content=found),)),) if found else None
    return found


def _messages(value: Any) -> tuple[Message, ...] | None:
    if isinstance(value, dict) and isinstance(value.get("role"), str):
        value = [value]
    if isinstance(value, list):
        return items(value) or completion(value)
    return (request(value) or langchain.generated(value) or completion(value)) if isinstance(value, dict) else None


def _holds_conversation(value: Any) -> bool:
    """Whether turns or items of a conversation stand in a list anywhere in `value`."""
    waiting = [value]
    while waiting:
        held = decode_text(waiting.pop())
        if isinstance(held, list):
            if any(map(_is_of_conversation, held)):
                return True
            waiting += held
        elif isinstance(held, dict):
            waiting += held.values()
    return False


def _is_of_conversation(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    return str(item.get("role")) in _ROLES or _ITEM.fullmatch(str(item.get("type"))) is not None
