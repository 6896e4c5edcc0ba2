"""Reads Haystack's ChatMessage from its fields, in any of the forms in which spans have it.

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
    """Read a message from `{role, content, name}`, with or without leading underscores; None if it is not one."""
    if not isinstance(fields, dict):
        return None
    role, content, name = (fields.get(key, fields.get(f"_{key}")) for key in ("role", "content", "name"))
    if not isinstance(role, str):
        return None
    items = content if isinstance(content, list) else [{"text": content}] if isinstance(content, str) else []
    return message({"role": role, "name": name, "parts": [_part(item) for item in items if isinstance(item, dict)]})


def _part(item: dict[str, Any]) -> dict[str, Any]:
    kind = next((kind for kind in _WRAPPED if isinstance(item.get(kind), dict)), None)
    fields = item if kind is None else item[kind]
    if "tool_name" in fields:
        return {
            "type": "tool_call",
            "id": fields.get("id"),
            "name": fields["tool_name"],
            "arguments": fields.get("arguments"),
        }
    if "result" in fields:
        return {
            "type": "tool_call_response",
            "id": _origin(fields).get("id"),
            "response": fields["result"],
            "is_error": fields.get("error"),
        }
    if "reasoning_text" in fields:
        return {"type": "reasoning", "content": fields["reasoning_text"]}
    return {"type": kind, **fields} if kind else {"type": "text", "content": fields.get("text", "")}


def _origin(result: dict[str, Any]) -> dict[str, Any]:
    """Return the call that a result answers."""
    origin = result.get("origin")
    return origin if isinstance(origin, dict) else {}
