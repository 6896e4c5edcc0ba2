"""The text of a failure: its message without the repr, stack or envelope that instrumentations put around it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .values import as_object, as_text

__all__ = ["build_failure_text", "choose_more_specific"]

_UNEXPLAINED = "error"
"""Something failed and nothing says what."""

_SAYS_NOTHING = frozenset(
    {"_other", "error", "exception", "failed", "failure", "internal", "tool_error", "unknown", "unknown error"}
)
_STACKS = ("Traceback (most recent call last)", "\n    at ")
_ENVELOPE = re.compile(r"(?s)([^{}]*?):\s*(\{.*\})\s*$")
_OF_SDK = frozenset({"error", "message", "tool_name", "data", "agent_name", "max_turns", "guardrail"})
"""The fields of what OpenAI's Agents SDK puts behind the message of a failure."""
_NAME = re.compile(r"[A-Z][A-Za-z0-9_]*")
_TYPED = re.compile(r"([A-Z][A-Za-z0-9_]*): (.+)", re.DOTALL)
_GENERIC = frozenset({"Error", "Exception"})
_REPR = re.compile(r"(?s)([A-Z]\w*)\((['\"])(.*)\2,?\)\s*$")


def build_failure_text(
    message: str | None, *, exceptions: Iterable[tuple[str | None, str | None]] = (), error_type: str | None = None
) -> str:
    """Return the text of a failure from a span's message, its exceptions (type, message) and its error type.

    Given as `Type: message` where both are known. The last exception counts, or the one that the message repeats.
    """
    text = _extract_message(message)
    raised = [(_class(type_name), thrown or None) for type_name, thrown in exceptions]
    repeated = [(type_name, thrown) for type_name, thrown in raised if thrown and thrown.strip() in (message or "")]
    type_name, thrown = (repeated or raised or [(None, None)])[-1]
    if text is None or _says_nothing(text) or _is_repr_of(message, type_name):
        text = _extract_message(thrown) or text
    elif raised and not repeated:
        return text
    type_name = type_name or _class(error_type)
    if text is None or _says_nothing(text):
        return type_name or error_type or text or _UNEXPLAINED
    return text if type_name is None or type_name in text else f"{type_name}: {text}"


def _says_nothing(text: str) -> bool:
    """Return whether a text only says that something failed."""
    return text.strip().casefold() in _SAYS_NOTHING or text.strip().isdigit()


def choose_more_specific(text: str, causes: Iterable[str]) -> str:
    """Return `text`, or the first of its causes that says the same and also names the exception."""
    for cause in causes:
        typed = _TYPED.match(cause)
        if _says_nothing(text) or (typed is not None and typed[2] in text and typed[1] not in text):
            return cause
    return text


def _extract_message(message: str | None) -> str | None:
    """Return a message without stack; the text of an object or of the repr of an exception."""
    if message is None:
        return None
    text = _drop_stack(message).strip()
    fields = as_object(text) if text.startswith("{") else None
    if fields is not None:
        return _text_of_fields(fields) or text or None
    if (envelope := _ENVELOPE.match(text)) and (inner := as_object(envelope[2])) and inner.keys() <= _OF_SDK:
        return ": ".join(part for part in (envelope[1].strip(), _text_of_fields(inner)) if part)
    matched = _REPR.match(text)
    return f"{matched[1]}: {matched[3]}" if matched else text or None


def _drop_stack(message: str) -> str:
    for stack in _STACKS:
        head, separator, tail = message.partition(stack)
        if separator:
            last = tail.strip().rsplit("\n", 1)[-1].strip()
            return head.strip() or last
    return message


def _text_of_fields(fields: dict[str, Any]) -> str | None:
    """Return `{"message", "data": {"error"}}`, `{"error": {"message"}}` and similar objects as one text."""
    inner = fields.get("data", fields.get("error", fields.get("detail")))
    details = _text_of_fields(inner) if isinstance(inner, dict) else as_text(inner)
    texts = [as_text(fields.get("message")), details]
    if not any(texts):
        texts = [next((value for value in fields.values() if isinstance(value, str)), None)]
    return ": ".join(text for text in texts if text) or None


def _is_repr_of(message: str | None, type_name: str | None) -> bool:
    return type_name is not None and (message or "").lstrip().startswith(f"{type_name}(")


def _class(type_name: str | None) -> str | None:
    """Return the name of an exception's class without its modules; None for other names, such as `_OTHER` or 429."""
    name = re.split(r"[.:$]", type_name)[-1] if type_name else ""
    return name if _NAME.fullmatch(name) and name not in _GENERIC else None
