"""Which spans are the runs of an agent, and which steps belong to which run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..span import Span
from ..step import Step
from .tree import Tree

__all__ = ["Read", "Run", "runs"]

_COVERS = 0.9
"""A nested agent span without a name of its own is the same run when it fills this much of the outer one."""


@dataclass(frozen=True, slots=True)
class Read:
    """A span and the step it records."""

    span: Span
    step: Step
    dialect: str


@dataclass(slots=True)
class Run:
    """One run: its top span, the steps within it in order of time, and the run it was called from."""

    top: Span
    parent: Run | None = None
    children: list[Run] = field(default_factory=list)
    steps: list[Read] = field(default_factory=list)
    missing_parent: bool = False

    @property
    def own(self) -> Step | None:
        """What the run's top span itself records, unless the run is but a single model call."""
        return next((one.step for one in self.steps if one.span is self.top and one.step.kind != "model"), None)

    def of(self, kind: str) -> list[Read]:
        """Its steps of one kind."""
        return [one for one in self.steps if one.step.kind == kind]


def runs(tree: Tree, read: Mapping[str, Read]) -> list[Run]:
    """The runs of a trace in order of time, every step in exactly one of them or in none."""
    found = {span.span_id: Run(top=span) for span in _tops(tree, read)}
    for run in found.values():
        run.parent = next((found[above.span_id] for above in tree.ancestors(run.top) if above.span_id in found), None)
        if run.parent is not None:
            run.parent.children.append(run)
    for one in read.values():
        owner = _owner(tree, found, one.span)
        if owner is not None:
            owner.steps.append(one)
    _mark_missing(tree, found)
    return list(found.values())


def _tops(tree: Tree, read: Mapping[str, Read]) -> list[Span]:
    agents = [one for one in read.values() if one.step.kind == "agent"]
    if agents:
        return [one.span for one in agents if not _is_same_run(tree, read, one)]
    return _without_agents(tree, read)


def _is_same_run(tree: Tree, read: Mapping[str, Read], agent: Read) -> bool:
    """Whether this agent span only repeats the run of the agent span around it."""
    for above in tree.ancestors(agent.span):
        one = read.get(above.span_id)
        if one is None:
            continue
        if one.step.kind in {"tool", "handoff"}:
            return False
        if one.step.kind == "agent":
            return _is_same_agent(one, agent)
    return False


def _is_same_agent(outer: Read, inner: Read) -> bool:
    if outer.step.agent_name is not None and inner.step.agent_name is not None:
        return outer.step.agent_name == inner.step.agent_name
    return (inner.span.end_ns - inner.span.start_ns) >= _COVERS * (outer.span.end_ns - outer.span.start_ns)


def _without_agents(tree: Tree, read: Mapping[str, Read]) -> list[Span]:
    """Where no agent span is: the topmost workflow over a model call, else the topmost span, else the call itself."""
    tops: dict[str, Span] = {}
    for one in read.values():
        if one.step.kind == "model":
            line = list(_line(tree, one.span))
            workflows = [span for span in line if span.span_id in read and read[span.span_id].step.kind == "workflow"]
            top = workflows[-1] if workflows else line[-1]
            tops.setdefault(top.span_id, top)
    return sorted(tops.values(), key=lambda span: (span.start_ns, span.span_id))


def _line(tree: Tree, span: Span) -> Iterator[Span]:
    """A span and what it is part of. What began after its parent had ended was only left under it by accident."""
    yield span
    for above in tree.ancestors(span):
        if above.end_ns and span.start_ns >= above.end_ns:
            return
        yield above
        span = above


def _owner(tree: Tree, found: Mapping[str, Run], span: Span) -> Run | None:
    """The nearest run at or above a span. One that is cut off from its ancestors goes to the run around its time."""
    last = span
    for at in (span, *tree.ancestors(span)):
        if at.span_id in found:
            return found[at.span_id]
        last = at
    if not tree.lacks_parent(last):
        return None
    return next((run for run in _innermost(found.values()) if _contains(run.top, span)), None)


def _innermost(found: Iterable[Run]) -> list[Run]:
    return sorted(found, key=lambda run: (run.top.end_ns - run.top.start_ns, run.top.span_id))


def _contains(top: Span, span: Span) -> bool:
    return top.start_ns <= span.start_ns and span.end_ns <= top.end_ns


def _mark_missing(tree: Tree, found: Mapping[str, Run]) -> None:
    """A run lacks something when a span within its time names a parent that is not here.

    What lies above an agent span is never waited for, nor is it for a span that stands beside the agent span.
    Above any other top it is: the agent span may still come.
    """
    above_runs = {above.span_id for run in found.values() for above in tree.ancestors(run.top)}
    lost = {span.span_id: span for span in tree.spans.values() if tree.lacks_parent(span)}
    elsewhere = {span.parent_span_id for span_id, span in lost.items() if span_id in above_runs or span_id in found}
    below = [span for span in lost.values() if span.parent_span_id not in elsewhere]
    for run in found.values():
        is_agent = run.own is not None and run.own.kind == "agent"
        top_is_lost = any(span.span_id in lost for span in (run.top, *tree.ancestors(run.top)))
        run.missing_parent = (top_is_lost and not is_agent) or any(_contains(run.top, span) for span in below)
