"""The totals of a run: its own tokens, costs and calls and those of its sub-agents, each counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tracegrade.evaluators.model import AgentTrace, ToolCall

from ..spans.step import Usage

__all__ = ["sum_totals"]

_TOTALLED = ("input_tokens", "output_tokens", "cost_usd")


def sum_totals(
    own: Mapping[str, Any], *, tool_calls: Sequence[ToolCall], children: Sequence[AgentTrace], recorded: Usage
) -> dict[str, Any]:
    """Return the fields of an AgentTrace that begin with `total_`: the sum of the known values, None without any.

    `own` has the run's own values. If these are not known, its agent span may still have `recorded` a total, and
    whether it includes sub-agents is not known: it counts if it is more than theirs.

    A sub-agent whose span is within a model call is counted like any other: instrumentations of streamed answers leave
    the call open while its tools run, and its usage is its own alone.
    """
    own_calls = sum(call.child_agent_trace_id is None and not call.is_foreign for call in tool_calls)
    if not children:
        return {**{f"total_{name}": own[name] for name in _TOTALLED}, "total_tool_call_count": own_calls}
    tokens_and_cost = {
        f"total_{name}": _sum_total(
            own[name], [getattr(child, f"total_{name}") for child in children], getattr(recorded, name)
        )
        for name in _TOTALLED
    }
    of_children = sum(child.total_tool_call_count or 0 for child in children)
    return {**tokens_and_cost, "total_tool_call_count": own_calls + of_children}


def _sum_total(own: Any, of_children: Sequence[Any], recorded: Any) -> Any:
    recorded_values = [value for value in (own, *of_children) if value is not None]
    total = sum(recorded_values) if recorded_values else None
    if own is not None or recorded is None:
        return total
    return recorded if total is None else max(total, recorded)
