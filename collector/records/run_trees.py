"""The outermost run around each run, and between which times the runs of its tree and their calls began."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from tracegrade.evaluators.model import AgentTrace

from ..clock import as_utc

__all__ = ["RunTree", "find_trees"]


@dataclass(frozen=True, slots=True)
class RunTree:
    """The outermost run around a run; of an outermost run itself also the first and last start in its tree (UTC)."""

    root_agent_trace_id: str
    earliest_at: datetime | None = None
    latest_at: datetime | None = None


def find_trees(runs: Sequence[AgentTrace]) -> dict[str, RunTree]:
    """Return by agent_trace_id the tree of each run, if `runs` are all runs of their traces.

    A parent that is not among them counts as the outermost run. Scores are found by the times of their targets, which
    are runs and calls.
    """
    roots = _find_roots(runs)
    starts: dict[str, list[datetime]] = {}
    for run in runs:
        times = (run.started_at, *(call.started_at for call in run.tool_calls))
        starts.setdefault(roots[run.agent_trace_id], []).extend(as_utc(time) for time in times if time is not None)
    return {run.agent_trace_id: _build_tree(run, roots[run.agent_trace_id], starts) for run in runs}


def _find_roots(runs: Iterable[AgentTrace]) -> dict[str, str]:
    """Return by agent_trace_id the outermost run of each run, however deep they are nested."""
    parents = {run.agent_trace_id: run.parent_agent_trace_id for run in runs}
    roots: dict[str, str] = {}
    for key in parents:
        path, top = [key], key
        while top not in roots and (parent := parents.get(top)) is not None:
            top = parent
            path.append(top)
        root = roots.get(top, top)
        roots.update(dict.fromkeys(path, root))
    return roots


def _build_tree(run: AgentTrace, root: str, starts: Mapping[str, Sequence[datetime]]) -> RunTree:
    times = starts.get(root)
    if root != run.agent_trace_id or not times:
        return RunTree(root)
    return RunTree(root, min(times), max(times))
