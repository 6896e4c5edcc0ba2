"""Sub-agents whose run has no agent span of its own: the execution of the tool that called them is their run."""

from __future__ import annotations

from collections.abc import Iterator

from ..spans.frozen import replace
from ..spans.step import Step
from .run import Reading
from .tree import Tree

__all__ = ["UNNAMED_GRAPH", "mark_delegated_runs"]

UNNAMED_GRAPH = "LangGraph"
"""The name of a graph of LangGraph that got none."""
_AGENT_ARGUMENTS = frozenset({"subagent_type"})
"""The arguments of the tools that start a sub-agent, in which they have its name."""


def mark_delegated_runs(tree: Tree, readings: dict[str, Reading]) -> None:
    """Turn the execution of a tool in which an agent called a model into an agent's run; `readings` is changed.

    The execution of a tool is a step without the name of the tool, which the step around it has. An agent that worked
    within it is recognised by the agent's id on the model call.
    """
    _mark_graphs_of_tasks(tree, readings)
    for call in [call for call in readings.values() if call.step.kind == "model" and call.step.agent_id is not None]:
        around = _iterate_steps_around(tree, readings, call)
        execution = next(around, None)
        if execution is None or execution.step.kind != "tool" or execution.step.tool_name is not None:
            continue
        tool = next((step for step in around if step.step.kind == "tool"), None)
        name = tool.step.target if tool is not None else None
        readings[execution.span.span_id] = execution._replace(step=_as_agent_step(execution.step, call.step, name=name))
        if tool is not None:
            readings[tool.span.span_id] = tool._replace(step=_fill_missing(tool.step, execution.step))


def _mark_graphs_of_tasks(tree: Tree, readings: dict[str, Reading]) -> None:
    """Turn the graph that a tool ran into an agent's run, if the arguments of the call name it as the agent.

    The tool `task` of deepagents starts the graph of a sub-agent, which records no agent of its own.
    """
    tasks = {
        span_id
        for span_id, reading in readings.items()
        if reading.step.kind == "tool"
        and isinstance(reading.step.args, dict)
        and _AGENT_ARGUMENTS & {*reading.step.args}
    }
    for span_id, reading in [*readings.items()] if tasks else ():
        outer = next(_iterate_steps_around(tree, readings, reading), None)
        if reading.step.kind not in {"agent", "workflow"} or outer is None or outer.span.span_id not in tasks:
            continue
        name = next((value for key in _AGENT_ARGUMENTS if isinstance(value := outer.step.args.get(key), str)), None)
        names = {reading.span.name, reading.step.agent_name}
        if name is not None and (reading.step.kind == "agent" or names & {name, UNNAMED_GRAPH}):
            own_name = reading.step.agent_name if reading.step.kind == "agent" else None
            readings[span_id] = reading._replace(step=replace(reading.step, kind="agent", agent_name=own_name or name))


def _iterate_steps_around(tree: Tree, readings: dict[str, Reading], call: Reading) -> Iterator[Reading]:
    return (readings[span.span_id] for span in tree.ancestors(call.span) if span.span_id in readings)


def _as_agent_step(execution: Step, call: Step, *, name: str | None) -> Step:
    fields = {
        "agent_id": call.agent_id,
        "agent_name": name,
        "session_id": execution.session_id,
        "user_id": execution.user_id,
        "error": execution.error,
    }
    return Step.of("agent", {field: value for field, value in fields.items() if value is not None})


def _fill_missing(tool: Step, execution: Step) -> Step:
    duration_ms = execution.duration_ms if tool.duration_ms is None else tool.duration_ms
    return replace(tool, error=tool.error or execution.error, duration_ms=duration_ms)
