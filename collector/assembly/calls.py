"""The tool calls of a run: the union of what ran (tool spans) and what the model asked for, each call once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace

from tracegrade.evaluators.model import CallStatus, JsonObject, ToolCall, ToolCallPart

from ..span import instant
from ..step import Step
from ..values import canonical
from .runs import Read, overlap
from .tree import Tree

__all__ = ["once", "tool_calls"]


def once(tree: Tree, ran: Sequence[Read]) -> list[Read]:
    """Tool spans, each call once, whoever else recorded it too.

    Of one within another of the same tool, such as the client of a tool server and the server, the outer stays, with
    what only the inner tells; of two beside each other with the same id at the same time, the first.
    """
    outermost = _outermost(tree, ran)
    kept: dict[str, Read] = {}
    by_id: dict[tuple[str | None, str | None], Read] = {}
    for one in sorted(ran, key=lambda one: outermost[one.span.span_id] != one.span.span_id):
        twin = kept.get(outermost[one.span.span_id]) or _beside(by_id.get(_named(one.step)), one)
        if twin is None:
            kept[one.span.span_id] = by_id[_named(one.step)] = one
        else:
            known = kept[twin.span.span_id]
            kept[twin.span.span_id] = replace(known, step=_completed(known.step, one.step))
    return [kept[one.span.span_id] for one in ran if one.span.span_id in kept]


def _outermost(tree: Tree, ran: Sequence[Read]) -> dict[str, str]:
    """For each tool span the outermost of the spans of the same tool that it is directly within, or itself."""
    by_id = {one.span.span_id: one for one in ran}
    above = tree.nearest(by_id)
    found: dict[str, str] = {}
    for one in ran:
        path, at = [one.span.span_id], one
        while at.span.span_id not in found and (outer := above[at.span.span_id]) is not None:
            if by_id[outer.span_id].step.tool_name != one.step.tool_name:
                break
            at = by_id[outer.span_id]
            path.append(at.span.span_id)
        found.update(dict.fromkeys(path, found.get(at.span.span_id, at.span.span_id)))
    return found


def _beside(twin: Read | None, one: Read) -> Read | None:
    is_twin = twin is not None and one.step.call_id is not None and overlap(twin.span, one.span)
    return twin if is_twin else None


def _named(step: Step) -> tuple[str | None, str | None]:
    return step.tool_name, step.call_id


def _completed(outer: Step, inner: Step) -> Step:
    return replace(
        outer,
        call_id=outer.call_id or inner.call_id,
        args=outer.args if outer.args is not None else inner.args,
        result=outer.result if outer.result is not None else inner.result,
        error=outer.error or inner.error,
        session_id=outer.session_id or inner.session_id,
    )


def tool_calls(
    ran: Sequence[Read],
    asked: Sequence[ToolCallPart],
    answers: Mapping[str, str],
    *,
    failed: Collection[str] = (),
    ran_unseen: Collection[str] = (),
) -> list[ToolCall]:
    """Calls in the order they ran; one that was only asked for stands behind the one asked for before it.

    `answers` are results by call id, `failed` the ids of those that are errors, `ran_unseen` the ids of calls that ran
    where no span tells of it: at the model's provider, or as an agent of its own.
    """
    partners = _partners(ran, asked)
    placed = [(at, _ran(one, partners.get(at), answers)) for at, one in enumerate(ran)]
    at_of = {id(part): at for at, part in partners.items()}
    behind = -1
    for part in asked:
        behind = at_of.get(id(part), behind)
        if id(part) not in at_of:
            call = _only_asked(part, answers, was_possible=not ran or part.id in ran_unseen)
            placed.append((behind, _as_failed(call) if part.id in failed else call))
    return [call for _, call in sorted(placed, key=lambda one: one[0])]


def _partners(ran: Sequence[Read], asked: Sequence[ToolCallPart]) -> dict[int, ToolCallPart]:
    """Which asked-for call each tool span carried out: by id, else by name and arguments, else by name, in order."""
    partners: dict[int, ToolCallPart] = {}
    taken: set[int] = set()
    for of_step, of_part in _SAME:
        left: dict[Hashable, deque[ToolCallPart]] = {}
        for part in asked:
            if id(part) not in taken:
                left.setdefault(of_part(part), deque()).append(part)
        for at, one in enumerate(ran):
            same = left.get(of_step(one.step)) if at not in partners else None
            if same:
                partners[at] = same.popleft()
                taken.add(id(partners[at]))
    return partners


_SAME: tuple[tuple[Callable[[Step], Hashable], Callable[[ToolCallPart], Hashable]], ...] = (
    (lambda step: (step.tool_name, step.call_id or id(step)), lambda part: (part.name, part.id or id(part))),
    (
        lambda step: (step.tool_name, canonical(step.args)),
        lambda part: (part.name, canonical(part.arguments)),
    ),
    (lambda step: step.tool_name, lambda part: part.name),
)
"""What makes a tool span and an asked-for call the same, the surest sign first."""


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


def _only_asked(part: ToolCallPart, answers: Mapping[str, str], *, was_possible: bool) -> ToolCall:
    """A call without a span. Where other calls have spans this one never ran: somebody answered in its place."""
    answer = answers.get(part.id or "")
    status: CallStatus = "ok" if answer is not None and was_possible else "not_executed"
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
