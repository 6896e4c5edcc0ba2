"""Finds the call that a message requests among those that were made."""

from __future__ import annotations

from ..model import ToolCall, ToolCallPart

__all__ = ["call_of_part", "take_call"]


def take_call(part: ToolCallPart, waiting: list[ToolCall]) -> ToolCall:
    """Remove and return the call that a message requests: that with its id, else the first of its name.

    Calls with different ids are different. If no such call was made, return the requested call without a result.
    """
    by_id = (at for at, call in enumerate(waiting) if part.id is not None and call.id == part.id)
    by_name = (at for at, call in enumerate(waiting) if call.name == part.name and None in {call.id, part.id})
    at = next(by_id, next(by_name, None))
    return call_of_part(part) if at is None else waiting.pop(at)


def call_of_part(part: ToolCallPart) -> ToolCall:
    """Return a requested call without a result."""
    is_object = isinstance(part.arguments, dict)
    return ToolCall(
        name=part.name,
        id=part.id,
        args=part.arguments if is_object else None,
        args_text=None if is_object else part.arguments,
    )
