"""The tool calls of a run: the union of what ran (tool spans) and what the model asked for, each call once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from tracegrade.evaluators.model import CallStatus, JsonObject, ToolCall, ToolCallPart

from ..spans.envelopes import mcp_error
from ..spans.frozen import replace, updated
from ..spans.span import Span, instant
from ..spans.step import Step
from ..spans.values import UNNAMED, canonical
from .answers import Answers
from .metadata import metadata_of
from .run import Read, overlap, plain

__all__ = ["foreign_calls", "once", "partners", "tool_calls"]

Services: TypeAlias = Collection[str | None]
"""The services that an agent runs in (`Run.services`)."""


def once(around_tool: Mapping[str, Span | None], ran: Sequence[Read], services: Services | None = None) -> list[Read]:
    """Tool spans of a run, each call once, whoever else recorded it too; `around_tool` is what Whole has.

    Of one within another of the same tool, such as the client of a tool server and the server, the outer stays, with
    what only the inner tells; of two beside each other with the same id at the same time, the first, but rather one
    that the agent's own `services` recorded (None: all are).
    """
    outermost = _outermost(around_tool, ran)
    kept: dict[str, Read] = {}
    by_id: dict[tuple[str | None, str | None], Read] = {}
    for one in sorted(ran, key=lambda one: (outermost[one.span.span_id] != one.span.span_id, _is_other(one, services))):
        twin = kept.get(outermost[one.span.span_id]) or _beside(by_id.get(_named(one.step)), one)
        if twin is None:
            kept[one.span.span_id] = by_id[_named(one.step)] = one
        else:
            known = kept[twin.span.span_id]
            kept[twin.span.span_id] = known._replace(step=_completed(known.step, one.step))
    return [twin for one in ran if (twin := kept.get(one.span.span_id)) is not None and twin.step.tool_name is not None]


def _outermost(around_tool: Mapping[str, Span | None], ran: Sequence[Read]) -> dict[str, str]:
    """For each tool span the outermost of the spans of the same tool that it is directly within, or itself."""
    by_id = {one.span.span_id: one for one in ran}
    found: dict[str, str] = {}
    for one in ran:
        path, at = [one.span.span_id], one
        while at.span.span_id not in found and (span := around_tool[at.span.span_id]) is not None:
            outer = by_id.get(span.span_id)
            if outer is None or not _is_same_tool(outer.step, one.step):
                break
            at = outer
            path.append(at.span.span_id)
        found.update(dict.fromkeys(path, found.get(at.span.span_id, at.span.span_id)))
    return found


def _is_same_tool(outer: Step, inner: Step) -> bool:
    """A step without the name of a tool is the execution of the one around it; one with an empty name may be it, too,
    and what is within that."""
    return not inner.tool_name or outer.tool_name in {inner.tool_name, ""}


def _beside(twin: Read | None, one: Read) -> Read | None:
    is_twin = twin is not None and one.step.call_id is not None and overlap(twin.span, one.span)
    return twin if is_twin else None


def _named(step: Step) -> tuple[str | None, str | None]:
    return step.tool_name, step.call_id


def _completed(outer: Step, inner: Step) -> Step:
    return replace(
        outer,
        tool_name=outer.tool_name or inner.tool_name,
        call_id=outer.call_id or inner.call_id,
        args=outer.args if outer.args is not None else inner.args,
        result=outer.result if outer.result is not None else inner.result,
        error=outer.error or inner.error,
        interrupt=outer.interrupt if outer.interrupt is not None else inner.interrupt,
        duration_ms=inner.duration_ms if outer.duration_ms is None else outer.duration_ms,
        session_id=outer.session_id or inner.session_id,
    )


def tool_calls(
    ran: Sequence[Read],
    asked: Sequence[ToolCallPart],
    answers: Answers,
    *,
    unseen: Mapping[int, str | None] | None = None,
    is_whole: bool = True,
    services: Services | None = None,
) -> list[ToolCall]:
    """Calls in the order they ran; one that was only asked for stands behind the one asked for before it.

    `unseen` has the calls that ran where no span tells of it, at the model's provider, as an agent of its own or as a
    hand-off: what each gave, by `id` of its part; None where that is not recorded. Where `is_whole` is False, a call
    that nothing answers may have run outside of what was recorded. A call that nobody asked for is foreign where none
    of the `services` recorded it, and tells nothing of the others.
    """
    partner_of = partners(ran, asked, services)
    unseen = unseen or {}
    foreign = {at for at, one in enumerate(ran) if at not in partner_of and _is_other(one, services)}
    placed = [
        (at, _foreign(one) if at in foreign else _ran(one, partner_of.get(at), answers)) for at, one in enumerate(ran)
    ]
    at_of = {id(part): at for at, part in partner_of.items()}
    behind = -1
    for part in asked:
        behind = at_of.get(id(part), behind)
        if id(part) not in at_of:
            is_answered = answers.has(part)
            result = answers.take(part.id, part) if is_answered else unseen.get(id(part))
            status: CallStatus | None = "not_executed" if is_answered or is_whole else None
            if id(part) in unseen or (is_answered and len(ran) == len(foreign)):
                status = "ok"
            call = _only_asked(part, result, status)
            placed.append((behind, _as_failed(call) if answers.has_failed(part.id, part) else call))
    return [call for _, call in sorted(placed, key=lambda one: one[0])]


def foreign_calls(ran: Sequence[Read], asked: Sequence[ToolCallPart], services: Services) -> list[Read]:
    """The tool spans that none of the agent's `services` recorded, of calls that its model did not ask for."""
    if not any(_is_other(one, services) for one in ran):
        return []
    paired = partners(ran, asked, services)
    return [one for at, one in enumerate(ran) if at not in paired and _is_other(one, services)]


def partners(
    ran: Sequence[Read], asked: Sequence[ToolCallPart], services: Services | None = None
) -> dict[int, ToolCallPart]:
    """Which asked-for call each tool span carried out: by id, else by name and arguments, else by name, in order.

    Spans of other services, such as those of tool servers, have what is left by those of the agent's own `services`.
    """
    own = {at: one for at, one in enumerate(ran) if not _is_other(one, services)}
    paired = _paired(own, asked)
    if len(own) == len(ran):
        return paired
    taken = {id(part) for part in paired.values()}
    others = {at: one for at, one in enumerate(ran) if at not in own}
    return paired | _paired(others, [part for part in asked if id(part) not in taken])


def _paired(ran: Mapping[int, Read], asked: Sequence[ToolCallPart]) -> dict[int, ToolCallPart]:
    paired: dict[int, ToolCallPart] = {}
    left = list(asked)
    for of_step, of_part in _SAME:
        if not left or len(paired) == len(ran):
            break
        same: dict[Hashable, deque[ToolCallPart]] = {}
        for part in left:
            same.setdefault(of_part(part), deque()).append(part)
        for at, one in ran.items():
            found = same.get(of_step(one.step)) if at not in paired else None
            if found:
                paired[at] = found.popleft()
        taken = {id(part) for part in paired.values()}
        left = [part for part in left if id(part) not in taken]
    return paired


def _is_other(one: Read, services: Services | None) -> bool:
    return services is not None and one.span.service_name not in services


def _last_word(name: str | None) -> str:
    """The same for `mcp__github__create_issue` and the `create_issue` as which a server runs it."""
    return plain(name or "").rpartition("_")[2]


_SAME: tuple[tuple[Callable[[Step], Hashable], Callable[[ToolCallPart], Hashable]], ...] = (
    (lambda step: (step.tool_name, step.call_id or id(step)), lambda part: (part.name, part.id or id(part))),
    (
        lambda step: (_last_word(step.tool_name), step.call_id or id(step)),
        lambda part: (_last_word(part.name), part.id or id(part)),
    ),
    (
        lambda step: (step.tool_name, canonical(step.args)),
        lambda part: (part.name, canonical(part.arguments)),
    ),
    (lambda step: step.tool_name, lambda part: part.name),
    (lambda step: (not step.tool_name and step.call_id) or id(step), lambda part: part.id or id(part)),
    (lambda step: step.call_id or id(step), lambda part: (part.name == UNNAMED and part.id) or id(part)),
)
"""What makes a tool span and an asked-for call the same, the surest sign first."""


def _foreign(one: Read) -> ToolCall:
    """A call that another service wrote into the run; the answers that the model heard are not to it."""
    return updated(_ran(one, None, Answers({})), is_foreign=True)


def _ran(one: Read, part: ToolCallPart | None, answers: Answers) -> ToolCall:
    step, span = one.step, one.span
    call_id = step.call_id or (part.id if part else None)
    args, args_text = _arguments(step, part)
    waits = step.interrupt is not None and step.result is None
    fields: dict[str, Any] = {
        "id": call_id,
        "name": step.tool_name or (part.name if part else UNNAMED),
        "args": args,
        "args_text": args_text,
        "result": step.result if waits or step.result is not None else answers.take(call_id, part),
        "error": step.error,
    }
    call = ToolCall(
        **fields,
        status="not_executed" if waits else "error" if step.error else "ok",
        started_at=instant(span.start_ns),
        duration_ms=span.duration_ms if step.duration_ms is None else step.duration_ms,
        span_id=span.span_id,
        source="both" if part else "span",
        agent_name=step.agent_name,
        metadata=metadata_of(span, step, fields),
    )
    return _as_failed(call) if answers.has_failed(call_id, part) else call


def _only_asked(part: ToolCallPart, answer: str | None, status: CallStatus | None) -> ToolCall:
    """A call without a span. Where other calls have spans this one never ran: somebody answered in its place."""
    args, args_text = _object_or_text(part.arguments)
    return ToolCall(
        id=part.id, name=part.name, args=args, args_text=args_text, result=answer, status=status, source="message"
    )


def _as_failed(call: ToolCall) -> ToolCall:
    if call.status != "ok":
        return call
    return updated(call, status="error", error=mcp_error(call.result) or call.result or "error")


def _arguments(step: Step, part: ToolCallPart | None) -> tuple[JsonObject | None, str | None]:
    """What the model wrote where the span is surely of that call, or has but more or less of the same.

    A framework may fill in defaults, drop what the tool does not know, or keep a bare value of an object; where it
    made an object of a text that is none, the text is told beside it.
    """
    args, text = _object_or_text(step.args)
    if part is None:
        return args, text
    asked, asked_text = _object_or_text(part.arguments)
    if args is None:
        return asked, text if asked is None and text is not None else asked_text
    if asked is not None and (_is_of(step, part) or _agree(args, asked) or _is_positional(args)):
        return asked, None
    return args, asked_text


def _object_or_text(value: object) -> tuple[JsonObject | None, str | None]:
    return (value, None) if isinstance(value, dict) else (None, value if isinstance(value, str) else None)


def _is_of(step: Step, part: ToolCallPart) -> bool:
    return step.call_id is not None and step.call_id == part.id


def _agree(args: JsonObject, asked: JsonObject) -> bool:
    """Whether both say the same of whatever both name: defaults may be filled in, unknown names dropped."""
    common = args.keys() & asked.keys()
    return (bool(common) or not asked) and all(args[key] == asked[key] for key in common)


def _is_positional(args: JsonObject) -> bool:
    """Whether the names are those that `envelopes.call_arguments` gives to arguments without one."""
    return bool(args) and all(key.startswith("arg") and key[3:].isdigit() for key in args)
