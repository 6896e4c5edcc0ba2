"""Sub-agents whose run has no agent span of its own: the execution of the tool that called them is their run."""

from __future__ import annotations

from collections.abc import Iterator

from ..spans.frozen import replace
from ..spans.step import Step
from .run import Read
from .tree import Tree

__all__ = ["mark_delegated_runs"]


def mark_delegated_runs(tree: Tree, read: dict[str, Read]) -> None:
    """Makes an agent's run of the execution of a tool in which an agent asked a model; `read` is changed.

    The execution of a tool is a step without the name of the tool, which the step around it has. That an agent worked
    within it is known by the agent's id on the model call.
    """
    for call in [one for one in read.values() if one.step.kind == "model" and one.step.agent_id is not None]:
        around = _steps_around(tree, read, call)
        execution = next(around, None)
        if execution is None or execution.step.kind != "tool" or execution.step.tool_name is not None:
            continue
        tool = next((step for step in around if step.step.kind == "tool"), None)
        name = tool.step.target if tool is not None else None
        read[execution.span.span_id] = execution._replace(step=_run_of(execution.step, call.step, name=name))
        if tool is not None:
            read[tool.span.span_id] = tool._replace(step=_completed(tool.step, execution.step))


def _steps_around(tree: Tree, read: dict[str, Read], call: Read) -> Iterator[Read]:
    return (read[span.span_id] for span in tree.ancestors(call.span) if span.span_id in read)


def _run_of(execution: Step, call: Step, *, name: str | None) -> Step:
    fields = {
        "agent_id": call.agent_id,
        "agent_name": name,
        "session_id": execution.session_id,
        "user_id": execution.user_id,
        "error": execution.error,
    }
    return Step.of("agent", {field: value for field, value in fields.items() if value is not None})


def _completed(tool: Step, execution: Step) -> Step:
    duration_ms = execution.duration_ms if tool.duration_ms is None else tool.duration_ms
    return replace(tool, error=tool.error or execution.error, duration_ms=duration_ms)
