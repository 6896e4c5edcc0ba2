"""Haystack's ChatMessage: its fields, from whatever it was written into a span as, as a message.

Source: haystack-ai 2.31 and 3.4 (dataclasses/chat_message.py)
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message

from .messages import message

__all__ = ["chat_message"]

_WRAPPED = ("tool_call", "tool_call_result", "reasoning", "image", "file")
"""Under what the kinds of content stand when they are written as JSON; a text stands for itself."""


def chat_message(fields: Any) -> Message | None:
    """The message of `{role, content, name}`, each with or without an underscore before it; None when it is none."""
    if not isinstance(fields, dict):
        return None
    role, content, name = (fields.get(key, fields.get(f"_{key}")) for key in ("role", "content", "name"))
    if not isinstance(role, str):
        return None
    held = content if isinstance(content, list) else [{"text": content}] if isinstance(content, str) else []
    return message({"role": role, "name": name, "parts": [_part(one) for one in held if isinstance(one, dict)]})


def _part(item: dict[str, Any]) -> dict[str, Any]:
    kind = next((kind for kind in _WRAPPED if isinstance(item.get(kind), dict)), None)
    held = item if kind is None else item[kind]
    if "tool_name" in held:
        return {
            "type": "tool_call",
            "id": held.get("id"),
            "name": held["tool_name"],
            "arguments": held.get("arguments"),
        }
    if "result" in held:
        return {
            "type": "tool_call_response",
            "id": _origin(held).get("id"),
            "response": held["result"],
            "is_error": held.get("error"),
        }
    if "reasoning_text" in held:
        return {"type": "reasoning", "content": held["reasoning_text"]}
    return {"type": kind, **held} if kind else {"type": "text", "content": held.get("text", "")}


def _origin(result: dict[str, Any]) -> dict[str, Any]:
    """The call that was answered."""
    origin = result.get("origin")
    return origin if isinstance(origin, dict) else {}
