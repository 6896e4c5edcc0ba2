"""What was said, out of values that may hold anything: what a function was given, what it gave back."""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message

from ..envelopes import call_arguments
from ..values import as_text, decode_text, is_placeholder
from . import langchain
from .base import messages
from .openai import completion

__all__ = ["spoken"]


def spoken(value: Any) -> tuple[Message, ...] | str | None:
    """The messages that `value` holds, in any spelling; else what it says as one text; None when it says nothing."""
    if value is None or value == "" or is_placeholder(value):
        return None
    decoded = call_arguments(decode_text(value))
    found = _messages(decoded)
    if found is None and isinstance(decoded, dict) and len(decoded) == 1:
        (decoded,) = decoded.values()
        found = _messages(decode_text(decoded))
    return found if found is not None else as_text(decoded)


def _messages(value: Any) -> tuple[Message, ...] | None:
    if isinstance(value, dict) and isinstance(value.get("role"), str):
        value = [value]
    if isinstance(value, list):
        is_said = bool(value) and all(isinstance(one, dict) and isinstance(one.get("role"), str) for one in value)
        return messages(value) if is_said else completion(value)
    if not isinstance(value, dict):
        return None
    return langchain.state(value) or langchain.generated(value) or completion(value)
