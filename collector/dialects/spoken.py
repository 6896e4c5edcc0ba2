"""What was said, out of values that may hold anything: what a function was given, what it gave back."""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message, TextPart

from ..envelopes import call_arguments
from ..values import as_text, decode_text, is_placeholder
from . import langchain
from .base import messages
from .openai import completion, items

__all__ = ["said", "spoken"]


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
    """The messages that `value` holds; what is only a text is one message of `role`."""
    found = spoken(value)
    if isinstance(found, str):
        return (Message(role=role, parts=(TextPart(content=found),)),) if found else None
    return found


def _messages(value: Any) -> tuple[Message, ...] | None:
    if isinstance(value, dict) and isinstance(value.get("role"), str):
        value = [value]
    if isinstance(value, list):
        is_said = bool(value) and all(isinstance(one, dict) and isinstance(one.get("role"), str) for one in value)
        return messages(value) if is_said else items(value) or completion(value)
    if not isinstance(value, dict):
        return None
    return langchain.state(value) or langchain.generated(value) or completion(value)
