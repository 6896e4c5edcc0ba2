"""Reads Gemini's contents, `{"role", "parts"}`, as its API takes and returns them.

Source: https://ai.google.dev/api/caching#Content, google-genai 2.25 (types.py: a text or a part stands for a content)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tracegrade.evaluators.model import Message

from ...spans.values import as_object
from .messages import message

__all__ = ["read_contents", "read_event"]


def read_contents(contents: Any, role: str) -> tuple[Message, ...]:
    """Read contents as messages; `role` is the role of those without one."""
    each = contents if isinstance(contents, Iterable) and not isinstance(contents, (str, dict)) else [contents]
    return tuple(_turn(content, role) for content in each if content)


def read_event(text: str) -> tuple[Message, ...] | None:
    """Return the answer in an event of Google's ADK, which holds a content; None for any other text."""
    content = (as_object(text) or {}).get("content") if text.startswith("{") and '"parts"' in text else None
    return read_contents([content], "assistant") if isinstance(content, dict) and "parts" in content else None


def _turn(content: Any, role: str) -> Message:
    if not isinstance(content, dict):
        return message({"role": role, "content": content})
    role_of_turn = content.get("role") or role
    fields = content if content.keys() & {"role", "parts"} else {"parts": [content]}
    return message({**fields, "role": role_of_turn})
