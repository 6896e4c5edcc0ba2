"""Tool calls whose answer has to come from outside of the run, where only the absence of it says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tracegrade.evaluators.model import ToolCall, ToolDefinition

from .. import dialects
from ..spans.frozen import replace
from ..spans.step import Step
from ..spans.values import canonical
from .run import Read, Run

__all__ = ["calls_left_to_others", "mark_unapproved", "without_resumed"]

_TO_TOOLS = frozenset({"tool-calls", "tool_calls", "tool_call"})
"""The finish reasons of an answer that asks for tools."""


def mark_unapproved(run: Run) -> None:
    """Marks tool spans that stand for a call which waits for approval.

    Some frameworks close the span of such a call without error and result, and end the run without asking the model
    again. Strands says on the span of the run that it was interrupted (strands-agents 1.62,
    strands/event_loop/event_loop.py); of others the dialect says that they do so silently.
    """
    silent = [one for one in run.of("tool") if _lacks_result(one.step)]
    if not silent or not run.top.end_ns:
        return
    last_model_ns = max((one.span.start_ns for one in run.of("model")), default=0)
    is_interrupted = run.own is not None and run.own.interrupt is not None
    for one in silent:
        if 0 < last_model_ns < one.span.start_ns and (is_interrupted or _pauses(one)):
            run.exchange(one, _unapproved(one))


def _pauses(one: Read) -> bool:
    return dialects.leaves_unsaid("pauses", one.dialect, one.span.scope_name)


def _lacks_result(step: Step) -> bool:
    return step.error is None and step.result is None and step.args is not None


def _unapproved(one: Read) -> Read:
    return one._replace(step=replace(one.step, interrupt=one.step.interrupt or one.step.tool_name or ""))


def without_resumed(ran: Sequence[Read]) -> list[Read]:
    """The tool spans without those that were interrupted and whose call was carried out later in the same run."""
    done = {_call_of(one) for one in ran if one.step.interrupt is None}
    return [one for one in ran if one.step.interrupt is None or _call_of(one) not in done]


def _call_of(one: Read) -> tuple[str | None, str]:
    return one.step.tool_name, one.step.call_id or canonical(one.step.args)


def calls_left_to_others(run: Run, calls: Iterable[ToolCall]) -> Iterator[str]:
    """The tools whose calls ended the run, in frameworks that leave a call only to somebody else."""
    models = run.of("model")
    if not models or not run.top.end_ns:
        return
    if not dialects.leaves_unsaid("leaves", models[-1].dialect, models[-1].span.scope_name):
        return
    if not _TO_TOOLS & {*(models[-1].step.finish_reasons or _TO_TOOLS)}:
        return
    asked = {part.id or part.name for message in models[-1].step.output or () for part in message.tool_calls}
    offered = {tool.name: tool for tool in models[-1].step.definitions or ()}
    for call in calls:
        is_last = (call.id or call.name) in asked and call.status == "not_executed"
        if is_last and (not offered or _can_run(call, offered.get(call.name))):
            yield call.name


def _can_run(call: ToolCall, tool: ToolDefinition | None) -> bool:
    """Whether the tool was offered and has the arguments it requires: else the framework refuses the call itself."""
    if tool is None or call.args is None:
        return False
    required = (tool.input_schema or {}).get("required")
    return all(name in call.args for name in required) if isinstance(required, list) else True
