"""Whether a run without tool calls called none, or its calls were merely not recorded."""

from __future__ import annotations

from typing import Final

from ..model import AgentTrace
from ..phrases import NO_CALLS

__all__ = ["unrecorded_calls", "why_no_calls"]

_HIDING_GAPS: Final = (
    "content_not_captured",
    "content_elsewhere",
    "unreadable_content",
    "unreadable_span",
    "too_large",
    "too_many_attributes",
    "dropped_by_exporter",
)
"""The gaps that may hide tool calls: those that only messages tell of go missing with the content."""

_CALLING: Final = frozenset({"functioncall", "functioncalls", "toolcall", "toolcalls", "tooluse"})
"""Finish reasons that say that the model asked for tools, without separators and in small letters."""


def why_no_calls(trace: AgentTrace) -> str:
    """Why a run without tool calls is skipped: it called no tools, or its calls were not recorded."""
    return unrecorded_calls(trace) or NO_CALLS


def unrecorded_calls(trace: AgentTrace) -> str | None:
    """Why `trace`, which has no tool calls, may have made some all the same; None when it made none or has some."""
    if trace.tool_calls:
        return None
    if any(_asks_for_tools(reason) for call in trace.llm_calls for reason in call.finish_reasons or ()):
        return "tool calls were not recorded (the model asked for tools)"
    gap = next((gap for gap in _HIDING_GAPS if gap in trace.gaps), None)
    return f"tool calls were not recorded ({gap})" if gap else None


def _asks_for_tools(finish_reason: str) -> bool:
    return finish_reason.lower().replace("_", "").replace("-", "") in _CALLING
