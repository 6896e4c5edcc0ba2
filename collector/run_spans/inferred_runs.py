"""Runs of sub-agents of which only the calls are known, from those of the run that called them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tracegrade.evaluators.model import AgentTrace, ToolCall

__all__ = ["infer_runs"]

_UNRECORDED = ("content_not_captured", "model_calls_not_captured")


def infer_runs(parent: AgentTrace, run_ids: Collection[str]) -> list[AgentTrace]:
    """Return the runs with these ids whose calls `parent` has, in the order of their first calls.

    Such a run has its calls, the name of the agent that made them, and where its parent ran. One whose calls all stand
    between those of another was called by that one, which has them, too.
    """
    calls = [call for call in parent.tool_calls if call.child_agent_trace_id in run_ids]
    extents = _find_extents(calls)
    return [_infer_run(parent, run_id, calls, extents) for run_id in extents]


def _find_extents(calls: Sequence[ToolCall]) -> dict[str, range]:
    """Return the positions from the first to the last call of each run."""
    extents: dict[str, range] = {}
    for position, call in enumerate(calls):
        run_id = call.child_agent_trace_id or ""
        extents[run_id] = range(extents[run_id].start if run_id in extents else position, position + 1)
    return extents


def _infer_run(parent: AgentTrace, run_id: str, calls: Sequence[ToolCall], extents: Mapping[str, range]) -> AgentTrace:
    own = [call for call in calls if call.child_agent_trace_id == run_id]
    around = [other for other, extent in extents.items() if _is_within(extents[run_id], extent)]
    return AgentTrace(
        agent_trace_id=run_id,
        parent_agent_trace_id=around[-1] if around else parent.agent_trace_id,
        agent_name=next((call.agent_name for call in own if call.agent_name is not None), None),
        service_name=parent.service_name,
        service_version=parent.service_version,
        environment=parent.environment,
        session_id=parent.session_id,
        user_id=parent.user_id,
        experiment_id=parent.experiment_id,
        tool_calls=tuple(
            call.model_copy(update={"child_agent_trace_id": None}) if call.child_agent_trace_id == run_id else call
            for call in calls
            if call.child_agent_trace_id == run_id
            or _is_within(extents[call.child_agent_trace_id or ""], extents[run_id])
        ),
        gaps=_UNRECORDED,
    )


def _is_within(inner: range, outer: range) -> bool:
    return outer.start < inner.start and inner.stop < outer.stop
