"""Whether the calls of a run, its tools and its end were recorded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ..model import AgentTrace

__all__ = ["CALLS_NOT_RECORDED", "unrecorded_calls", "why_no_tools", "why_open", "why_unrecorded"]

CALLS_NOT_RECORDED: Final = "tool_calls_not_recorded"
"""The gap of a run without a record of its tool calls, which is different from a run without calls."""
_NO_CONTENT: Final = "content_not_captured"
_HIDING_GAPS: Final = (
    _NO_CONTENT,
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


def unrecorded_calls(trace: AgentTrace) -> str | None:
    """Return why the calls of `trace` were not recorded, so that nothing can be said about them; None if they were.

    Calls that spans of tools recorded are evaluated by what they have. Without content, the messages of a model may
    name calls, but neither all of them nor what became of them.
    """
    if CALLS_NOT_RECORDED in trace.gaps:
        return f"tool calls were not recorded ({CALLS_NOT_RECORDED})"
    if any(call.source != "message" for call in trace.tool_calls):
        return None
    if trace.tool_calls:
        return f"tool calls were not recorded ({_NO_CONTENT})" if _NO_CONTENT in trace.gaps else None
    if any(_asks_for_tools(reason) for call in trace.llm_calls for reason in call.finish_reasons or ()):
        return "tool calls were not recorded (the model asked for tools)"
    gap = next((gap for gap in _HIDING_GAPS if gap in trace.gaps), None)
    return f"tool calls were not recorded ({gap})" if gap else None


def why_unrecorded(target: object, fields: Collection[str]) -> str | None:
    """Return why a target cannot be evaluated by an evaluator that needs these fields; None if they were recorded.

    The only place that decides it, for all evaluators. Of a conversation, one turn is enough.
    """
    if "tool_calls" not in fields:
        return None
    if isinstance(target, AgentTrace):
        return unrecorded_calls(target)
    runs = [run for run in target if isinstance(run, AgentTrace)] if isinstance(target, Sequence) else []
    reasons = [unrecorded_calls(run) for run in runs]
    return reasons[0] if reasons and None not in reasons else None


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
