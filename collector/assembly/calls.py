"""The tool calls of a run: those that ran (tool spans) and those that the model requested, each call once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from tracegrade.evaluators.model import CallStatus, JsonObject, ToolCall, ToolCallPart

from ..spans.envelopes import mcp_error
from ..spans.frozen import copy_with, replace
from ..spans.span import Span, instant
from ..spans.step import Step
from ..spans.values import UNNAMED, canonical
from .answers import Answers
from .metadata import collect_metadata
from .run import Reading, overlap, plain_name

__all__ = ["build_tool_calls", "find_foreign_calls", "merge_tool_spans", "pair_calls"]

Services: TypeAlias = Collection[str | None]
"""The services that an agent runs in (`Run.services`)."""


def merge_tool_spans(
    around_tool: Mapping[str, Span | None], ran: Sequence[Reading], services: Services | None = None
) -> list[Reading]:
    """Return the tool spans of a run, each call once, however many spans record it.

    `around_tool` is that of the TraceContext. Of two spans of the same tool, one within the other, such as client and
    server of a tool server, the outer stays, completed by the inner; of two side by side with the same id at the same
    time, one that the agent's own `services` recorded (None: all of them), else the first.
    """
    outermost = _find_outermost(around_tool, ran)
    kept: dict[str, Reading] = {}
    by_id: dict[tuple[str | None, str | None], Reading] = {}
    for tool in sorted(
        ran, key=lambda tool: (outermost[tool.span.span_id] != tool.span.span_id, _is_of_other_service(tool, services))
    ):
        twin = kept.get(outermost[tool.span.span_id]) or _find_twin(by_id.get(_name_and_id(tool.step)), tool)
        if twin is None:
            kept[tool.span.span_id] = by_id[_name_and_id(tool.step)] = tool
        else:
            former = kept[twin.span.span_id]
            kept[twin.span.span_id] = former._replace(step=_fill_missing(former.step, tool.step))
    return [
        twin for tool in ran if (twin := kept.get(tool.span.span_id)) is not None and twin.step.tool_name is not None
    ]


def _find_outermost(around_tool: Mapping[str, Span | None], ran: Sequence[Reading]) -> dict[str, str]:
    """Return for each tool span the outermost of the spans of the same tool that it is directly within, or itself."""
    by_id = {tool.span.span_id: tool for tool in ran}
    outermost: dict[str, str] = {}
    for tool in ran:
        path, at = [tool.span.span_id], tool
        while at.span.span_id not in outermost and (span := around_tool[at.span.span_id]) is not None:
            outer = by_id.get(span.span_id)
            if outer is None or not _is_same_tool(outer.step, tool.step):
                break
            at = outer
            path.append(at.span.span_id)
        outermost.update(dict.fromkeys(path, outermost.get(at.span.span_id, at.span.span_id)))
    return outermost


def _is_same_tool(outer: Step, inner: Step) -> bool:
    """Return whether the inner step is the execution of the outer one, or records the same call.

    An execution has no name of a tool. A step with an empty name may be around a call of any tool.
    """
    return not inner.tool_name or outer.tool_name in {inner.tool_name, ""}


def _find_twin(twin: Reading | None, tool: Reading) -> Reading | None:
    is_twin = twin is not None and tool.step.call_id is not None and overlap(twin.span, tool.span)
    return twin if is_twin else None


def _name_and_id(step: Step) -> tuple[str | None, str | None]:
    return step.tool_name, step.call_id


def _fill_missing(outer: Step, inner: Step) -> Step:
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


def build_tool_calls(
    ran: Sequence[Reading],
    requested: Sequence[ToolCallPart],
    answers: Answers,
    *,
    unseen: Mapping[int, str | None] | None = None,
    is_whole: bool = True,
    services: Services | None = None,
) -> list[ToolCall]:
    """Return the calls in the order they ran; one that was only requested follows the one requested before it.

    `unseen` has the calls that ran without a span, at the model's provider, as an agent of its own or as a
    hand-off: the result of each, by `id` of its part; None where that is not recorded. If `is_whole` is False, a call
    without an answer may have run outside of the recorded spans. A call that was not requested is foreign where none
    of the `services` recorded it, and says nothing about the others.
    """
    partner_of = pair_calls(ran, requested, services)
    unseen = unseen or {}
    foreign = {at for at, tool in enumerate(ran) if at not in partner_of and _is_of_other_service(tool, services)}
    placed = [
        (at, _foreign_call(tool) if at in foreign else _executed_call(tool, partner_of.get(at), answers))
        for at, tool in enumerate(ran)
    ]
    at_of = {id(part): at for at, part in partner_of.items()}
    behind = -1
    for part in requested:
        behind = at_of.get(id(part), behind)
        if id(part) not in at_of:
            is_answered = answers.has(part)
            result = answers.take(part.id, part) if is_answered else unseen.get(id(part))
            status: CallStatus | None = "not_executed" if is_answered or is_whole else None
            if id(part) in unseen or (is_answered and len(ran) == len(foreign)):
                status = "ok"
            call = _unexecuted_call(part, result, status)
            placed.append((behind, _mark_failed(call) if answers.has_failed(part.id, part) else call))
    return [call for _, call in sorted(placed, key=lambda entry: entry[0])]


def find_foreign_calls(ran: Sequence[Reading], requested: Sequence[ToolCallPart], services: Services) -> list[Reading]:
    """Return the tool spans that none of the agent's `services` recorded, of calls that its model did not request."""
    if not any(_is_of_other_service(tool, services) for tool in ran):
        return []
    paired = pair_calls(ran, requested, services)
    return [tool for at, tool in enumerate(ran) if at not in paired and _is_of_other_service(tool, services)]


def pair_calls(
    ran: Sequence[Reading], requested: Sequence[ToolCallPart], services: Services | None = None
) -> dict[int, ToolCallPart]:
    """Return the requested call that each tool span executed: by id, by name and arguments, or by name, in order.

    Spans of other services, such as those of tool servers, are paired after those of the agent's own `services`.
    """
    own = {at: tool for at, tool in enumerate(ran) if not _is_of_other_service(tool, services)}
    paired = _pair(own, requested)
    if len(own) == len(ran):
        return paired
    paired_parts = {id(part) for part in paired.values()}
    others = {at: tool for at, tool in enumerate(ran) if at not in own}
    return paired | _pair(others, [part for part in requested if id(part) not in paired_parts])


def _pair(ran: Mapping[int, Reading], requested: Sequence[ToolCallPart]) -> dict[int, ToolCallPart]:
    paired: dict[int, ToolCallPart] = {}
    remaining = list(requested)
    for of_step, of_part in _SAME:
        if not remaining or len(paired) == len(ran):
            break
        same: dict[Hashable, deque[ToolCallPart]] = {}
        for part in remaining:
            same.setdefault(of_part(part), deque()).append(part)
        for at, tool in ran.items():
            same_calls = same.get(of_step(tool.step)) if at not in paired else None
            if same_calls:
                paired[at] = same_calls.popleft()
        paired_parts = {id(part) for part in paired.values()}
        remaining = [part for part in remaining if id(part) not in paired_parts]
    return paired


def _is_of_other_service(tool: Reading, services: Services | None) -> bool:
    return services is not None and tool.span.service_name not in services


def _last_word_of(name: str | None) -> str:
    """Return the same for `mcp__github__create_issue` and for `create_issue`, the name on its server."""
    return plain_name(name or "").rpartition("_")[2]


_SAME: tuple[tuple[Callable[[Step], Hashable], Callable[[ToolCallPart], Hashable]], ...] = (
    (lambda step: (step.tool_name, step.call_id or id(step)), lambda part: (part.name, part.id or id(part))),
    (
        lambda step: (_last_word_of(step.tool_name), step.call_id or id(step)),
        lambda part: (_last_word_of(part.name), part.id or id(part)),
    ),
    (
        lambda step: (step.tool_name, canonical(step.args)),
        lambda part: (part.name, canonical(part.arguments)),
    ),
    (lambda step: step.tool_name, lambda part: part.name),
    (lambda step: (not step.tool_name and step.call_id) or id(step), lambda part: part.id or id(part)),
    (lambda step: step.call_id or id(step), lambda part: (part.name == UNNAMED and part.id) or id(part)),
)
"""Keys by which a tool span and a requested call are the same, the most certain first."""


def _foreign_call(tool: Reading) -> ToolCall:
    """Return a call that another service wrote into the run; the model's messages have no answer to it."""
    return copy_with(_executed_call(tool, None, Answers({})), is_foreign=True)


def _executed_call(tool: Reading, part: ToolCallPart | None, answers: Answers) -> ToolCall:
    step, span = tool.step, tool.span
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
        metadata=collect_metadata(span, step, fields),
    )
    return _mark_failed(call) if answers.has_failed(call_id, part) else call


def _unexecuted_call(part: ToolCallPart, answer: str | None, status: CallStatus | None) -> ToolCall:
    """Return a call without a span. Where other calls have spans, this one never ran and was answered otherwise."""
    args, args_text = _object_or_text(part.arguments)
    return ToolCall(
        id=part.id, name=part.name, args=args, args_text=args_text, result=answer, status=status, source="message"
    )


def _mark_failed(call: ToolCall) -> ToolCall:
    if call.status != "ok":
        return call
    return copy_with(call, status="error", error=mcp_error(call.result) or call.result or "error")


def _arguments(step: Step, part: ToolCallPart | None) -> tuple[JsonObject | None, str | None]:
    """Return the model's arguments if the span certainly is of that call, or has more or fewer of the same.

    A framework may fill in defaults, drop unknown names, or keep a bare value of an object; where it
    made an object of a text that is not one, the text is returned beside it.
    """
    args, text = _object_or_text(step.args)
    if part is None:
        return args, text
    requested, requested_text = _object_or_text(part.arguments)
    if args is None:
        return requested, text if requested is None and text is not None else requested_text
    if requested is not None and (_is_of(step, part) or _agree(args, requested) or _is_positional(args)):
        return requested, None
    return args, requested_text


def _object_or_text(value: object) -> tuple[JsonObject | None, str | None]:
    return (value, None) if isinstance(value, dict) else (None, value if isinstance(value, str) else None)


def _is_of(step: Step, part: ToolCallPart) -> bool:
    return step.call_id is not None and step.call_id == part.id


def _agree(args: JsonObject, requested: JsonObject) -> bool:
    """Return whether both have the same values for the names in common: there may be defaults, or dropped names."""
    common = args.keys() & requested.keys()
    return (bool(common) or not requested) and all(args[key] == requested[key] for key in common)


def _is_positional(args: JsonObject) -> bool:
    """Return whether the names are those that `envelopes.call_arguments` gives to positional arguments."""
    return bool(args) and all(key.startswith("arg") and key[3:].isdigit() for key in args)
