"""Whether the calls of a run, its tools and its end were recorded."""

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
"""The gaps that may hide tool calls: without content, calls that only messages record are missing."""

_NO_TOOLS: Final = "the trace does not record which tools were offered"
_UNREAD_GAPS: Final = ("unreadable_content", "truncated")
"""The gaps of recorded values that cannot be read, such as a list of tools."""

_NO_AGENT_SPAN: Final = "no_agent_span"

_CALLING: Final = frozenset({"functioncall", "functioncalls", "toolcall", "toolcalls", "tooluse"})
"""Finish reasons of models that requested tools, without separators and in lower case."""


def why_no_calls(trace: AgentTrace) -> str:
    """Return why a run without tool calls is skipped: it called no tools, or its calls were not recorded."""
    return unrecorded_calls(trace) or NO_CALLS


def unrecorded_calls(trace: AgentTrace) -> str | None:
    """Return why `trace`, which has no tool calls, may have made some; None if it made none, or has some."""
    if trace.tool_calls:
        return None
    if any(_asks_for_tools(reason) for call in trace.llm_calls for reason in call.finish_reasons or ()):
        return "tool calls were not recorded (the model asked for tools)"
    gap = next((gap for gap in _HIDING_GAPS if gap in trace.gaps), None)
    return f"tool calls were not recorded ({gap})" if gap else None


def why_no_tools(trace: AgentTrace) -> str:
    """Return why the tools offered to a run are not known, with the gap if something recorded cannot be read."""
    gap = next((gap for gap in _UNREAD_GAPS if gap in trace.gaps), None)
    return f"{_NO_TOOLS} ({gap})" if gap else _NO_TOOLS


def why_open(trace: AgentTrace) -> str | None:
    """Return why the end of the run is not known: it ends with calls that may have run outside of it. None if it is
    known.

    A program that calls a model without an agent span around its loop sends each model call as a separate run.
    """
    if _NO_AGENT_SPAN not in trace.gaps:
        return None
    last = next((message for message in reversed(trace.messages) if message.role == "assistant"), None)
    requested = {part.id or part.name for part in last.tool_calls} if last is not None else set()
    is_open = any(call.status is None and (call.id or call.name) in requested for call in trace.trajectory)
    return _NO_AGENT_SPAN if is_open else None


def _asks_for_tools(finish_reason: str) -> bool:
    return finish_reason.lower().replace("_", "").replace("-", "") in _CALLING
