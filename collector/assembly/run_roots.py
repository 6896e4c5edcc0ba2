"""Finds the top spans of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..spans.span import Span
from .run import CALLERS, Reading, covering
from .tree import Tree

__all__ = ["find_run_roots"]

_COVERS = 0.9
"""A nested agent span without a name of its own is the same run when it fills this much of the outer one."""


def find_run_roots(tree: Tree, readings: Mapping[str, Reading]) -> tuple[list[Span], list[Span]]:
    """Return the top spans of runs that an agent leads, and those of work without one, each in order of time.

    Agents lead runs, and so do workflows in which they take turns.
    """
    agents = [reading for reading in readings.values() if reading.step.kind == "agent"]
    if not agents:
        return [], _find_roots_without_agents(tree, readings)
    led = [agents[0].span] if len(agents) == 1 else _find_led_runs(tree, readings, agents)
    return _sort_by_start(led), _sort_by_start(_find_roots_beside(tree, readings, led))


def _find_led_runs(tree: Tree, readings: Mapping[str, Reading], agents: Sequence[Reading]) -> list[Span]:
    """Return the top spans of runs of several agents, and those of the workflows in which they take turns."""
    callers = tree.nearest({span_id for span_id, reading in readings.items() if reading.step.kind in CALLERS})
    repeated = _find_repeated(readings, agents, callers)
    roots = [agent.span for agent in agents if agent.span.span_id not in repeated]
    leading = [span for span in roots if callers[span.span_id] is None]
    return [*roots, *_find_teams(tree, readings, leading, _resolve_names(agents, repeated))]


def _find_roots_beside(tree: Tree, readings: Mapping[str, Reading], led: Sequence[Span]) -> list[Span]:
    """Return for models and tools called beside the agents the topmost workflow around them, else the model call.

    A model call that is cut off from its ancestors may belong to an agent's run that fits.
    """
    led_ids = {span.span_id for span in led}
    within = tree.nearest(led_ids)
    readings_beside = [
        reading
        for span_id, reading in readings.items()
        if reading.step.kind in {"model", "tool"} and span_id not in led_ids and within[span_id] is None
    ]
    if not readings_beside:
        return []
    above = tree.nearest({reading.span.span_id for reading in readings_beside})
    fits = _build_fit_test(readings, led)
    roots: dict[str, Span] = {}
    for reading in readings_beside:
        if above[reading.span.span_id] is not None:
            continue
        workflow = _find_topmost_workflow(tree, readings, reading.span)
        if workflow is not None:
            roots.setdefault(workflow.span_id, workflow)
        elif reading.step.kind == "model" and not (tree.is_cut_off(reading.span) and fits(reading)):
            roots.setdefault(reading.span.span_id, reading.span)
    return list(roots.values())


def _find_topmost_workflow(tree: Tree, readings: Mapping[str, Reading], span: Span) -> Span | None:
    workflows = [
        above
        for above in _iterate_enclosing(tree, span)
        if above.span_id in readings and readings[above.span_id].step.kind == "workflow"
    ]
    return workflows[-1] if workflows else None


def _build_fit_test(readings: Mapping[str, Reading], led: Sequence[Span]) -> Callable[[Reading], bool]:
    """Return a test whether a step may belong to one of the runs: by its invocation id, or by its time."""
    is_covered = covering(led)
    run_ids = {readings[span.span_id].step.run_id for span in led} - {None}
    return lambda reading: reading.step.run_id in run_ids or is_covered(reading.span)


def _find_repeated(
    readings: Mapping[str, Reading], agents: Sequence[Reading], callers: Mapping[str, Span | None]
) -> dict[str, str]:
    """Return the agent spans that only repeat the run of the agent span around them, with the id of that one."""
    around = {agent.span.span_id: caller for agent in agents if (caller := callers[agent.span.span_id]) is not None}
    called = Counter(caller.span_id for caller in around.values())
    busy = {
        caller.span_id
        for span_id, reading in readings.items()
        if reading.step.kind in {"model", "tool"} and (caller := callers[span_id]) is not None
    }
    repeated: dict[str, str] = {}
    for agent in agents:
        caller = around.get(agent.span.span_id)
        if caller is None or readings[caller.span_id].step.kind != "agent":
            continue
        is_only = called[caller.span_id] == 1
        is_all = is_only and caller.span_id not in busy
        if _is_same_agent(readings[caller.span_id], agent, is_only=is_only, is_all=is_all):
            repeated[agent.span.span_id] = caller.span_id
    return repeated


def _is_same_agent(outer: Reading, inner: Reading, *, is_only: bool, is_all: bool) -> bool:
    """Compare two agents by name, else by the id of the run, else by whether the inner span is all of the outer."""
    if outer.step.agent_name is not None and inner.step.agent_name is not None:
        return outer.step.agent_name == inner.step.agent_name
    if outer.step.run_id is not None and outer.step.run_id == inner.step.run_id:
        return True
    inner_ns, outer_ns = inner.span.end_ns - inner.span.start_ns, outer.span.end_ns - outer.span.start_ns
    return is_all or (is_only and inner_ns >= _COVERS * outer_ns)


def _resolve_names(agents: Iterable[Reading], repeated: Mapping[str, str]) -> dict[str, str | None]:
    """Return the agents' names by span id; a span without one has that of the span in it that repeats its run."""
    names = {agent.span.span_id: agent.step.agent_name for agent in agents}
    for agent in agents:
        outer = repeated.get(agent.span.span_id)
        if outer is not None and names[outer] is None:
            names[outer] = agent.step.agent_name
    return names


def _find_teams(
    tree: Tree, readings: Mapping[str, Reading], agents: Iterable[Span], names: Mapping[str, str | None]
) -> Iterator[Span]:
    """Yield the workflows within which agents of several names take turns: each is one run of all of them.

    `agents` are those that no other agent, tool or hand-off called. Of two workflows around the same agents it is
    the inner one.
    """
    members: dict[str, dict[str, str | None]] = {}
    for agent in agents:
        for above in tree.ancestors(agent):
            if above.span_id in readings:
                members.setdefault(above.span_id, {})[agent.span_id] = names[agent.span_id]
    teams = {
        frozenset(team): span_id for span_id, team in reversed(members.items()) if len({*team.values()} - {None}) > 1
    }
    yield from (tree.spans[span_id] for span_id in teams.values())


def _find_roots_without_agents(tree: Tree, readings: Mapping[str, Reading]) -> list[Span]:
    """Return the topmost workflow over a model call, else the topmost span, else the call, if there is no agent span.

    If there is no model call either, the same for tool calls, and without these for workflows that record messages of a
    model.
    """
    calls = {span_id: reading.span for span_id, reading in readings.items() if reading.step.kind == "model"}
    calls = calls or {
        span.span_id: span for span in (*_find_lone_tools(tree, readings),) or _find_workflows_with_output(readings)
    }
    within = tree.nearest(calls)
    roots: dict[str, Span] = {}
    for span_id, span in calls.items():
        if within[span_id] is None:
            top = _find_topmost_workflow(tree, readings, span) or [*_iterate_enclosing(tree, span)][-1]
            roots.setdefault(top.span_id, top)
    return _sort_by_start(roots.values())


def _find_lone_tools(tree: Tree, readings: Mapping[str, Reading]) -> Iterator[Span]:
    """Yield the tool calls with all their ancestors, or of an agent that they name.

    Those that only record the server's side of a call are left out.
    """
    for reading in readings.values():
        is_client = reading.step.kind == "tool" and reading.span.kind != "server"
        if is_client and (tree.missing_parent(reading.span) is None or reading.step.agent_name is not None):
            yield reading.span


def _find_workflows_with_output(readings: Mapping[str, Reading]) -> Iterator[Span]:
    """Yield the workflows with a message of a model in their output, such as the state of a graph."""
    for workflow in readings.values():
        output = workflow.step.output or () if workflow.step.kind == "workflow" else ()
        if any(message.role == "assistant" for message in output):
            yield workflow.span


def _sort_by_start(spans: Iterable[Span]) -> list[Span]:
    return sorted(spans, key=lambda span: (span.start_ns, span.span_id))


def _iterate_enclosing(tree: Tree, span: Span) -> Iterator[Span]:
    """Yield a span and those that enclose it, without parents that ended before their child began."""
    yield span
    for above in tree.ancestors(span):
        if above.end_ns and span.start_ns >= above.end_ns:
            return
        yield above
        span = above
