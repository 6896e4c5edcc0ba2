"""Which spans are the runs of an agent, and which steps belong to which run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..span import Span
from ..step import Step
from .tree import Tree

__all__ = ["Read", "Run", "overlap", "runs"]

_CALLERS = frozenset({"agent", "tool", "handoff"})

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

    @property
    def hands_over(self) -> bool:
        """Whether this run only hands over to agents: what these do is its trajectory."""
        return bool(self.children) and not any(one.step.kind in {"model", "tool"} for one in self.steps)

    @property
    def own_steps(self) -> list[Step]:
        """What its agent spans record, the top one first."""
        return [one.step for one in self.steps if one.step.kind == "agent"]

    def of(self, kind: str) -> list[Read]:
        """Its steps of one kind."""
        return [one for one in self.steps if one.step.kind == kind]


def runs(tree: Tree, read: Mapping[str, Read]) -> list[Run]:
    """The runs of a trace in order of time, every step in exactly one of them or in none."""
    found = {span.span_id: Run(top=span) for span in _tops(tree, read)}
    above = tree.nearest(found)
    for run in found.values():
        around = above[run.top.span_id]
        if around is not None:
            run.parent = found[around.span_id]
            run.parent.children.append(run)
    innermost = sorted(found.values(), key=lambda run: (run.top.end_ns - run.top.start_ns, run.top.span_id))
    uppermost = _uppermost(tree)
    for one in read.values():
        owner = one.span if one.span.span_id in found else above[one.span.span_id]
        at = found[owner.span_id] if owner else _fitting(innermost, one, is_cut_off=uppermost[one.span.span_id])
        if at is not None:
            at.steps.append(one)
    _mark_missing(tree, found)
    return list(found.values())


def _tops(tree: Tree, read: Mapping[str, Read]) -> list[Span]:
    agents = [one for one in read.values() if one.step.kind == "agent"]
    if not agents:
        return _without_agents(tree, read)
    callers = tree.nearest({span_id for span_id, one in read.items() if one.step.kind in _CALLERS})
    calling = {one.span.span_id: read[caller.span_id] for one in agents if (caller := callers[one.span.span_id])}
    tops = [one for one in agents if not _is_same_run(calling.get(one.span.span_id), one)]
    leading = [one.span for one in tops if one.span.span_id not in calling]
    return _in_order([*(one.span for one in tops), *_teams(tree, read, leading, _names(agents, calling))])


def _names(agents: Iterable[Read], calling: Mapping[str, Read]) -> dict[str, str | None]:
    """The agents' names by span id; a span without one has that of the span in it that repeats its run."""
    names = {one.span.span_id: one.step.agent_name for one in agents}
    for one in agents:
        caller = calling.get(one.span.span_id)
        if _is_same_run(caller, one) and caller is not None and names[caller.span.span_id] is None:
            names[caller.span.span_id] = one.step.agent_name
    return names


def _is_same_run(caller: Read | None, agent: Read) -> bool:
    """Whether this agent span only repeats the run of the agent span around it."""
    return caller is not None and caller.step.kind == "agent" and _is_same_agent(caller, agent)


def _is_same_agent(outer: Read, inner: Read) -> bool:
    if outer.step.agent_name is not None and inner.step.agent_name is not None:
        return outer.step.agent_name == inner.step.agent_name
    return (inner.span.end_ns - inner.span.start_ns) >= _COVERS * (outer.span.end_ns - outer.span.start_ns)


def _teams(
    tree: Tree, read: Mapping[str, Read], agents: Iterable[Span], names: Mapping[str, str | None]
) -> Iterator[Span]:
    """The workflows within which agents of several names take turns: each is a run, that of all of them.

    `agents` are those that no other agent, tool or hand-off called. Of two workflows around the same agents it is
    the inner one.
    """
    members: dict[str, dict[str, str | None]] = {}
    for agent in agents:
        for above in tree.ancestors(agent):
            if above.span_id in read:
                members.setdefault(above.span_id, {})[agent.span_id] = names[agent.span_id]
    teams = {
        frozenset(team): span_id for span_id, team in reversed(members.items()) if len({*team.values()} - {None}) > 1
    }
    yield from (tree.spans[span_id] for span_id in teams.values())


def _without_agents(tree: Tree, read: Mapping[str, Read]) -> list[Span]:
    """Where no agent span is: the topmost workflow over a model call, else the topmost span, else the call itself."""
    tops: dict[str, Span] = {}
    for one in read.values():
        if one.step.kind == "model":
            line = list(_line(tree, one.span))
            workflows = [span for span in line if span.span_id in read and read[span.span_id].step.kind == "workflow"]
            top = workflows[-1] if workflows else line[-1]
            tops.setdefault(top.span_id, top)
    return _in_order(tops.values())


def _in_order(spans: Iterable[Span]) -> list[Span]:
    return sorted(spans, key=lambda span: (span.start_ns, span.span_id))


def _line(tree: Tree, span: Span) -> Iterator[Span]:
    """A span and what it is part of. What began after its parent had ended was only left under it by accident."""
    yield span
    for above in tree.ancestors(span):
        if above.end_ns and span.start_ns >= above.end_ns:
            return
        yield above
        span = above


def _uppermost(tree: Tree) -> dict[str, bool]:
    """For every span, whether the line of its ancestors ends at a span whose parent could still come."""
    lost = {span_id for span_id, span in tree.spans.items() if tree.lacks_parent(span)}
    above = tree.nearest(lost)
    return {span_id: span_id in lost or above[span_id] is not None for span_id in tree.spans}


def _fitting(innermost: Sequence[Run], one: Read, *, is_cut_off: bool) -> Run | None:
    """For a span that is cut off: the run that says it is the same invocation, else the one of the same agent around
    its time, else any around."""
    if not is_cut_off:
        return None
    around = [run for run in innermost if _contains(run.top, one.span)]
    same = [run for run in innermost if run.own and _are_same(run.own.run_id, one.step.run_id)]
    named = [run for run in around if run.own and _are_same(run.own.agent_name, one.step.agent_name)]
    return next(iter((*same, *named, *around)), None)


def _are_same(left: str | None, right: str | None) -> bool:
    return left is not None and left == right


def overlap(left: Span, right: Span) -> bool:
    """Whether both were going on at one time."""
    return left.start_ns < right.end_ns and right.start_ns < left.end_ns


def _contains(top: Span, span: Span) -> bool:
    return top.start_ns <= span.start_ns and span.end_ns <= top.end_ns


def _mark_missing(tree: Tree, found: Mapping[str, Run]) -> None:
    """A run lacks something when a span within its time names a parent that is not here.

    What lies above an agent span is never waited for, nor is it for a span that stands beside the agent span.
    Above any other top it is: the agent span may still come.
    """
    above_runs = _above(tree, found)
    lost = {span.span_id: span for span in tree.spans.values() if tree.lacks_parent(span)}
    elsewhere = {span.parent_span_id for span_id, span in lost.items() if span_id in above_runs or span_id in found}
    below = [span for span in lost.values() if span.parent_span_id not in elsewhere]
    for run in found.values():
        is_agent = run.own is not None and run.own.kind == "agent"
        top_is_lost = any(span.span_id in lost for span in (run.top, *tree.ancestors(run.top)))
        run.missing_parent = (top_is_lost and not is_agent) or any(_contains(run.top, span) for span in below)


def _above(tree: Tree, found: Mapping[str, Run]) -> set[str]:
    seen: set[str] = set()
    for run in found.values():
        for above in tree.ancestors(run.top):
            if above.span_id in seen:
                break
            seen.add(above.span_id)
    return seen
