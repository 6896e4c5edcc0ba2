"""Runs and the runs that called them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tracegrade.evaluators.model import AgentTrace, ToolCall

__all__ = ["Family", "find_family"]

_UNRECORDED = ("content_not_captured", "model_calls_not_captured")
"""The gaps of a sub-agent of which only the calls are known."""


@dataclass(frozen=True, slots=True)
class Family:
    """Runs, and the position of the run that called each, by the position of the latter."""

    runs: Sequence[AgentTrace]
    parents: Mapping[int, int]

    @property
    def parents_first(self) -> list[int]:
        """The positions of the runs, each after that of its parent."""
        ordered = [position for position in range(len(self.runs)) if position not in self.parents]
        children = self.children
        for position in ordered:
            ordered += children.get(position, ())
        return ordered

    @property
    def tops(self) -> list[int]:
        """The position of the outermost run around each run."""
        tops = list(range(len(self.runs)))
        for position in self.parents_first:
            tops[position] = tops[self.parents[position]] if position in self.parents else position
        return tops

    @property
    def children(self) -> dict[int, list[int]]:
        """The positions of the runs that each run called."""
        children: dict[int, list[int]] = {}
        for child, parent in self.parents.items():
            children.setdefault(parent, []).append(child)
        return children


def find_family(runs: Sequence[AgentTrace]) -> Family:
    """Return the runs with their parents, and with a run for each sub-agent whose calls they have without its run.

    Such a run has the calls, the name of the agent that made them, and where its parent ran.
    """
    parents = _find_parents(runs)
    depths = [0] * len(runs)
    for position in Family(runs, parents).parents_first:
        depths[position] = depths[parents[position]] + 1 if position in parents else 0
    given = {run.agent_trace_id for run in runs}
    callers: dict[str, int] = {}
    for position in sorted(range(len(runs)), key=depths.__getitem__):
        for call in runs[position].tool_calls:
            if call.child_agent_trace_id is not None and call.child_agent_trace_id not in given:
                callers[call.child_agent_trace_id] = position  # the innermost run that has it
    made = [_make_sub_agent(runs[position], run_id) for run_id, position in callers.items()]
    return Family([*runs, *made], {**parents, **dict(enumerate(callers.values(), len(runs)))})


def _find_parents(runs: Sequence[AgentTrace]) -> dict[int, int]:
    """Return the parents that are among the runs; a circle is cut."""
    position_of = {run.agent_trace_id: position for position, run in enumerate(runs) if run.agent_trace_id}
    parents: dict[int, int] = {}
    for position, run in enumerate(runs):
        parent = above = position_of.get(run.parent_agent_trace_id or "")
        while above is not None and above != position:
            above = parents.get(above)
        if parent is not None and above is None:
            parents[position] = parent
    return parents


def _make_sub_agent(parent: AgentTrace, run_id: str) -> AgentTrace:
    calls = [call for call in parent.tool_calls if call.child_agent_trace_id == run_id]
    return AgentTrace(
        agent_trace_id=run_id,
        agent_name=next((call.agent_name for call in calls if call.agent_name is not None), None),
        service_name=parent.service_name,
        service_version=parent.service_version,
        environment=parent.environment,
        session_id=parent.session_id,
        user_id=parent.user_id,
        experiment_id=parent.experiment_id,
        tool_calls=tuple(map(_as_own, calls)),
        gaps=_UNRECORDED,
    )


def _as_own(call: ToolCall) -> ToolCall:
    return call.model_copy(update={"child_agent_trace_id": None})
