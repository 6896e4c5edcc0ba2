"""Tool calls that wait for an answer from outside of the run, recognised by the missing answer alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracegrade.evaluators.model import ToolCall, ToolDefinition

from .. import dialects
from ..spans.frozen import replace
from ..spans.step import Step
from ..spans.values import canonical
from .run import Reading, Run

__all__ = ["drop_resumed", "find_calls_left_open", "mark_unapproved"]

_TO_TOOLS = frozenset({"tool-calls", "tool_calls", "tool_call"})
"""The finish reasons of an answer that asks for tools."""


def mark_unapproved(run: Run) -> None:
    """Mark tool spans of calls that wait for approval.

    Some frameworks close the span of such a call without error and result, and end the run without calling the model
    again. Strands records on the span of the run that it was interrupted (strands-agents 1.62,
    strands/event_loop/event_loop.py); for others the dialect declares that they do not record it.
    """
    silent = [tool for tool in run.of("tool") if _lacks_result(tool.step)]
    if not silent or not run.top.end_ns:
        return
    last_model_ns = max((tool.span.start_ns for tool in run.of("model")), default=0)
    is_interrupted = run.own is not None and run.own.interrupt is not None
    for tool in silent:
        if 0 < last_model_ns < tool.span.start_ns and (is_interrupted or _pauses(tool)):
            run.replace_step(tool, _mark_waiting(tool))


def _pauses(tool: Reading) -> bool:
    return dialects.leaves_unrecorded("pauses", tool.dialect, tool.span.scope_name)


def _lacks_result(step: Step) -> bool:
    return step.error is None and step.result is None and step.args is not None


def _mark_waiting(tool: Reading) -> Reading:
    return tool._replace(step=replace(tool.step, interrupt=tool.step.interrupt or tool.step.tool_name or ""))


def drop_resumed(ran: Sequence[Reading]) -> list[Reading]:
    """Return the tool spans without those that were interrupted and whose call was executed later in the same run."""
    done = {_call_key(tool) for tool in ran if tool.step.interrupt is None}
    return [tool for tool in ran if tool.step.interrupt is None or _call_key(tool) not in done]


def _call_key(tool: Reading) -> tuple[str | None, str]:
    return tool.step.tool_name, tool.step.call_id or canonical(tool.step.args)


def find_calls_left_open(run: Run, calls: Iterable[ToolCall]) -> Iterator[str]:
    """Yield the tools whose calls ended the run, in frameworks that leave a call only to be executed elsewhere."""
    models = run.of("model")
    if not models or not run.top.end_ns:
        return
    if not dialects.leaves_unrecorded("leaves", models[-1].dialect, models[-1].span.scope_name):
        return
    if not _TO_TOOLS & {*(models[-1].step.finish_reasons or _TO_TOOLS)}:
        return
    requested = {part.id or part.name for message in models[-1].step.output or () for part in message.tool_calls}
    offered = {tool.name: tool for tool in models[-1].step.definitions or ()}
    for call in calls:
        is_last = (call.id or call.name) in requested and call.status == "not_executed"
        if is_last and (not offered or _can_run(call, offered.get(call.name))):
            yield call.name


def _can_run(call: ToolCall, tool: ToolDefinition | None) -> bool:
    """Return whether the tool was offered and has its required arguments: else the framework refuses the call."""
    if tool is None or call.args is None:
        return False
    required = (tool.input_schema or {}).get("required")
    return all(name in call.args for name in required) if isinstance(required, list) else True
