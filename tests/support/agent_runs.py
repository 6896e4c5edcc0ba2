"""Agent runs as evaluators get them: messages, calls that were made, and calls that were expected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Message, Reference, TextPart, ToolCall

__all__ = ["expect_call", "expect_calls", "make_call", "make_message", "make_run"]


def make_call(call: Any, **fields: Any) -> ToolCall:
    """A call: itself, or of this name, or of this (name, arguments) or (name, arguments, result)."""
    return call if isinstance(call, ToolCall) else ToolCall(**_read(call), **fields)


def expect_call(call: Any) -> ExpectedCall:
    """The same of a call that was expected; a name alone expects no arguments."""
    return call if isinstance(call, ExpectedCall) else ExpectedCall(**_read(call))


def expect_calls(calls: Iterable[Any], **fields: Any) -> Reference:
    """A reference that expects these calls."""
    return Reference(expected_tool_calls=tuple(map(expect_call, calls)), **fields)


def make_run(actual: Iterable[Any], expected: Iterable[Any] | None = None, **fields: Any) -> AgentTrace:
    """A run that made these calls, and those that were expected of it; None is a run without a reference."""
    reference = None if expected is None else expect_calls(expected)
    return AgentTrace(**{"tool_calls": tuple(map(make_call, actual)), "reference": reference, **fields})


def make_message(role: str, *parts: Any) -> Message:
    """A message of these parts; a part may be given as its text."""
    return Message(role=role, parts=tuple(TextPart(content=part) if isinstance(part, str) else part for part in parts))


def _read(call: Any) -> dict[str, Any]:
    name, args, *results = call if isinstance(call, tuple) else (call, {})
    return {"name": name, "args": args, **({"result": results[0]} if results else {})}
