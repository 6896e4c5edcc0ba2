"""The tool calls of a run: the union of what ran (tool spans) and what the model asked for, each call once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from tracegrade.evaluators.model import CallStatus, JsonObject, ToolCall, ToolCallPart

from ..span import instant
from ..step import Step
from ..values import canonical
from .runs import Read

__all__ = ["tool_calls"]

Same = Callable[[Step, ToolCallPart], bool]


def tool_calls(
    ran: Sequence[Read], asked: Sequence[ToolCallPart], answers: Mapping[str, str], *, failed: Collection[str] = ()
) -> list[ToolCall]:
    """Calls in the order they ran; one that was only asked for stands behind the one asked for before it.

    `answers` are results by call id, `failed` the ids of those that are errors.
    """
    partners = _partners(ran, asked)
    placed = [(at, _ran(one, partners.get(at), answers)) for at, one in enumerate(ran)]
    at_of = {id(part): at for at, part in partners.items()}
    behind = -1
    for part in asked:
        behind = at_of.get(id(part), behind)
        if id(part) not in at_of:
            call = _only_asked(part, answers, others_ran=bool(ran))
            placed.append((behind, _as_failed(call) if part.id in failed else call))
    return [call for _, call in sorted(placed, key=lambda one: one[0])]


def _partners(ran: Sequence[Read], asked: Sequence[ToolCallPart]) -> dict[int, ToolCallPart]:
    """Which asked-for call each tool span carried out: by id, else by name and arguments, else by name, in order."""
    partners: dict[int, ToolCallPart] = {}
    left = list(asked)
    tests: tuple[Same, ...] = (_same_id, _same_arguments, _same_name)
    for same in tests:
        for at, one in enumerate(ran):
            if at in partners:
                continue
            index = next((index for index, part in enumerate(left) if same(one.step, part)), None)
            if index is not None:
                partners[at] = left.pop(index)
    return partners


def _same_id(step: Step, part: ToolCallPart) -> bool:
    return step.call_id is not None and step.call_id == part.id and step.tool_name == part.name


def _same_arguments(step: Step, part: ToolCallPart) -> bool:
    return step.tool_name == part.name and canonical(step.args) == canonical(part.arguments)


def _same_name(step: Step, part: ToolCallPart) -> bool:
    return step.tool_name == part.name


def _ran(one: Read, part: ToolCallPart | None, answers: Mapping[str, str]) -> ToolCall:
    step, span = one.step, one.span
    call_id = step.call_id or (part.id if part else None)
    args, args_text = _arguments(step.args, part.arguments if part else None)
    return ToolCall(
        id=call_id,
        name=step.tool_name or span.name or "unknown",
        args=args,
        args_text=args_text,
        result=step.result if step.result is not None else answers.get(call_id or ""),
        error=step.error,
        status="error" if step.error else "ok",
        started_at=instant(span.start_ns),
        duration_ms=span.duration_ms,
        span_id=span.span_id,
        source="both" if part else "span",
        agent_name=step.agent_name,
    )


def _only_asked(part: ToolCallPart, answers: Mapping[str, str], *, others_ran: bool) -> ToolCall:
    """A call without a span. Where other calls have spans this one never ran: somebody answered in its place."""
    answer = answers.get(part.id or "")
    status: CallStatus = "not_executed" if answer is None or others_ran else "ok"
    args, args_text = _arguments(part.arguments, None)
    return ToolCall(
        id=part.id, name=part.name, args=args, args_text=args_text, result=answer, status=status, source="message"
    )


def _as_failed(call: ToolCall) -> ToolCall:
    if call.status != "ok":
        return call
    return call.model_copy(update={"status": "error", "error": call.result or "error"})


def _arguments(recorded: object, asked: object) -> tuple[JsonObject | None, str | None]:
    """Arguments as an object, or as the text that is none. A bare value gives way to the object it was cut from."""
    for candidate in (recorded, asked):
        if isinstance(candidate, dict):
            return candidate, None
    text = recorded if recorded is not None else asked
    return None, text if isinstance(text, str) else None
