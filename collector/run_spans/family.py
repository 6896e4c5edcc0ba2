"""Runs and the runs that called them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tracegrade.evaluators.model import AgentTrace

from .inferred_runs import infer_runs

__all__ = ["Family", "find_family"]


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
    """Return the runs with their parents, and with a run for each sub-agent whose calls they have without its run."""
    parents = _find_parents(runs)
    depths = [0] * len(runs)
    for position in Family(runs, parents).parents_first:
        depths[position] = depths[parents[position]] + 1 if position in parents else 0
    known = {run.agent_trace_id for run in runs}
    callers: dict[str, int] = {}
    for position in sorted(range(len(runs)), key=depths.__getitem__):
        for call in runs[position].tool_calls:
            if call.child_agent_trace_id is not None and call.child_agent_trace_id not in known:
                callers[call.child_agent_trace_id] = position  # the innermost run that has it
    everyone = list(runs)
    for caller in dict.fromkeys(callers.values()):
        inferred = infer_runs(runs[caller], {run_id for run_id, position in callers.items() if position == caller})
        position_of = {run.agent_trace_id: position for position, run in enumerate(inferred, len(everyone))}
        parents |= {
            position: position_of.get(run.parent_agent_trace_id or "", caller)
            for position, run in enumerate(inferred, len(everyone))
        }
        everyone += inferred
    return Family(everyone, parents)


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
