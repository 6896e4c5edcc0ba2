"""Whether the calls of a run, and what came of them, were recorded."""

from __future__ import annotations

from typing import Final

from ..model import AgentTrace
from ..text.messages import NO_CALLS

__all__ = ["unrecorded_calls", "why_no_calls", "why_no_tools", "why_open"]

_HIDING_GAPS: Final = (
    "content_not_captured",
    "content_elsewhere",
    "unreadable_content",
    "unreadable_span",
    "too_large",
    "too_many_attributes",
    "too_many_events",
    "dropped_by_exporter",
)
"""The gaps that may hide tool calls: those that only messages tell of go missing with the content."""

_NO_TOOLS: Final = "the trace does not record which tools were offered"
_UNREAD_GAPS: Final = ("unreadable_content", "truncated")
"""The gaps of what is recorded and yet cannot be read, a list of tools among it."""

_NO_AGENT_SPAN: Final = "no_agent_span"

_CALLING: Final = frozenset({"functioncall", "functioncalls", "toolcall", "toolcalls", "tooluse"})
"""Finish reasons that say that the model asked for tools, without separators and in small letters."""


def why_no_calls(trace: AgentTrace) -> str:
    """Return why a run without tool calls is skipped: it called no tools, or its calls were not recorded."""
    return unrecorded_calls(trace) or NO_CALLS


def unrecorded_calls(trace: AgentTrace) -> str | None:
    """Return why `trace`, which has no tool calls, may have made some all the same; None when it made none or has
    some."""
    if trace.tool_calls:
        return None
    if any(_asks_for_tools(reason) for call in trace.llm_calls for reason in call.finish_reasons or ()):
        return "tool calls were not recorded (the model asked for tools)"
    gap = next((gap for gap in _HIDING_GAPS if gap in trace.gaps), None)
    return f"tool calls were not recorded ({gap})" if gap else None


def why_no_tools(trace: AgentTrace) -> str:
    """Return why nobody knows which tools a run was offered; with the gap, where something recorded could not be
    read."""
    gap = next((gap for gap in _UNREAD_GAPS if gap in trace.gaps), None)
    return f"{_NO_TOOLS} ({gap})" if gap else _NO_TOOLS


def why_open(trace: AgentTrace) -> str | None:
    """Return why nothing says how the run went on: it ends with calls that may have run outside of it. None where it
    says.

    A program that calls a model without an agent span around its loop sends each call as a run of its own.
    """
    if _NO_AGENT_SPAN not in trace.gaps:
        return None
    last = next((message for message in reversed(trace.messages) if message.role == "assistant"), None)
    requested = {part.id or part.name for part in last.tool_calls} if last is not None else set()
    is_open = any(call.status is None and (call.id or call.name) in requested for call in trace.trajectory)
    return _NO_AGENT_SPAN if is_open else None


def _asks_for_tools(finish_reason: str) -> bool:
    return finish_reason.lower().replace("_", "").replace("-", "") in _CALLING
