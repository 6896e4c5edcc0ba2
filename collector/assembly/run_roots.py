"""Which spans are the tops of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..spans.span import Span
from .run import CALLERS, Read, covering
from .tree import Tree

__all__ = ["tops"]

_COVERS = 0.9
"""A nested agent span without a name of its own is the same run when it fills this much of the outer one."""


def tops(tree: Tree, read: Mapping[str, Read]) -> tuple[list[Span], list[Span]]:
    """The top spans of runs that an agent leads, and those of what was done without one, each in order of time.

    Agents lead runs, and so do workflows in which they take turns.
    """
    agents = [one for one in read.values() if one.step.kind == "agent"]
    if not agents:
        return [], _without_agents(tree, read)
    led = [agents[0].span] if len(agents) == 1 else _led(tree, read, agents)
    return _in_order(led), _in_order(_beside(tree, read, led))


def _led(tree: Tree, read: Mapping[str, Read], agents: Sequence[Read]) -> list[Span]:
    """The runs of several agents, and those of the workflows in which they take turns."""
    callers = tree.nearest({span_id for span_id, one in read.items() if one.step.kind in CALLERS})
    repeated = _repeated(read, agents, callers)
    found = [one.span for one in agents if one.span.span_id not in repeated]
    leading = [span for span in found if callers[span.span_id] is None]
    return [*found, *_teams(tree, read, leading, _names(agents, repeated))]


def _beside(tree: Tree, read: Mapping[str, Read], led: Sequence[Span]) -> list[Span]:
    """Where a model or tool was called beside the agents: the topmost workflow around it, else the model call.

    A model call that is cut off from its ancestors may be part of an agent's run that it fits.
    """
    tops = {span.span_id for span in led}
    within = tree.nearest(tops)
    left = [
        one
        for span_id, one in read.items()
        if one.step.kind in {"model", "tool"} and span_id not in tops and within[span_id] is None
    ]
    if not left:
        return []
    above = tree.nearest({one.span.span_id for one in left})
    fits = _fitting(read, led)
    found: dict[str, Span] = {}
    for one in left:
        if above[one.span.span_id] is not None:
            continue
        workflow = _topmost_workflow(tree, read, one.span)
        if workflow is not None:
            found.setdefault(workflow.span_id, workflow)
        elif one.step.kind == "model" and not (tree.is_cut_off(one.span) and fits(one)):
            found.setdefault(one.span.span_id, one.span)
    return list(found.values())


def _topmost_workflow(tree: Tree, read: Mapping[str, Read], span: Span) -> Span | None:
    line = [at for at in _line(tree, span) if at.span_id in read and read[at.span_id].step.kind == "workflow"]
    return line[-1] if line else None


def _fitting(read: Mapping[str, Read], led: Sequence[Span]) -> Callable[[Read], bool]:
    """Whether a step may be part of one of the runs: it names the same invocation, or lies within the time."""
    is_covered = covering(led)
    run_ids = {read[span.span_id].step.run_id for span in led} - {None}
    return lambda one: one.step.run_id in run_ids or is_covered(one.span)


def _repeated(read: Mapping[str, Read], agents: Sequence[Read], callers: Mapping[str, Span | None]) -> dict[str, str]:
    """The agent spans that only repeat the run of the agent span around them, and which one that is."""
    around = {one.span.span_id: caller for one in agents if (caller := callers[one.span.span_id]) is not None}
    called = Counter(caller.span_id for caller in around.values())
    busy = {
        caller.span_id
        for span_id, one in read.items()
        if one.step.kind in {"model", "tool"} and (caller := callers[span_id]) is not None
    }
    found: dict[str, str] = {}
    for one in agents:
        caller = around.get(one.span.span_id)
        if caller is None or read[caller.span_id].step.kind != "agent":
            continue
        is_only = called[caller.span_id] == 1
        is_all = is_only and caller.span_id not in busy
        if _is_same_agent(read[caller.span_id], one, is_only=is_only, is_all=is_all):
            found[one.span.span_id] = caller.span_id
    return found


def _is_same_agent(outer: Read, inner: Read, *, is_only: bool, is_all: bool) -> bool:
    """By name, else by the id of the run, else when the inner span is the only one and all of the outer one's work."""
    if outer.step.agent_name is not None and inner.step.agent_name is not None:
        return outer.step.agent_name == inner.step.agent_name
    if outer.step.run_id is not None and outer.step.run_id == inner.step.run_id:
        return True
    inner_ns, outer_ns = inner.span.end_ns - inner.span.start_ns, outer.span.end_ns - outer.span.start_ns
    return is_all or (is_only and inner_ns >= _COVERS * outer_ns)


def _names(agents: Iterable[Read], repeated: Mapping[str, str]) -> dict[str, str | None]:
    """The agents' names by span id; a span without one has that of the span in it that repeats its run."""
    names = {one.span.span_id: one.step.agent_name for one in agents}
    for one in agents:
        outer = repeated.get(one.span.span_id)
        if outer is not None and names[outer] is None:
            names[outer] = one.step.agent_name
    return names


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
    """Where no agent span is: the topmost workflow over a model call, else the topmost span, else the call itself.

    Where no model call is either, the same for tool calls, and where these are not, for workflows that record what a
    model said.
    """
    calls = {span_id: one.span for span_id, one in read.items() if one.step.kind == "model"}
    calls = calls or {span.span_id: span for span in (*_lone_tools(tree, read),) or _retelling(read)}
    within = tree.nearest(calls)
    found: dict[str, Span] = {}
    for span_id, span in calls.items():
        if within[span_id] is None:
            top = _topmost_workflow(tree, read, span) or [*_line(tree, span)][-1]
            found.setdefault(top.span_id, top)
    return _in_order(found.values())


def _lone_tools(tree: Tree, read: Mapping[str, Read]) -> Iterator[Span]:
    """Tool calls of which everything above is here, but for those that only show the server's side of a call."""
    for one in read.values():
        is_client = one.step.kind == "tool" and one.span.kind != "server"
        if is_client and tree.missing_parent(one.span) is None:
            yield one.span


def _retelling(read: Mapping[str, Read]) -> Iterator[Span]:
    """Workflows in whose output a model speaks, such as the state of a graph."""
    for workflow in read.values():
        output = workflow.step.output or () if workflow.step.kind == "workflow" else ()
        if any(message.role == "assistant" for message in output):
            yield workflow.span


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
