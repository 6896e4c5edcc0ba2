"""Calls of a model by which its run handed over to another agent, without a tool span of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tracegrade.evaluators.model import ToolCallPart

from .. import dialects
from ..spans.values import as_object
from .run import Run, plain_name

__all__ = ["agent_of", "find_handoff_calls"]

_PREFIXES = ("transfer_to_", "handoff_to_", "hand_off_to_")
_LONGEST = 500
_UNKNOWN = "unknown"
"""The target that OpenLLMetry writes where it does not know the agent that took over."""


def agent_of(tool_name: str) -> str:
    """Return the plain name of the agent that a tool of this name would call, or hand over to."""
    name = plain_name(tool_name)
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
    return name.removeprefix(prefix)


def find_handoff_calls(
    run: Run, requested: Sequence[ToolCallPart], answers: Mapping[str, Sequence[str | None]]
) -> Iterator[int]:
    """Yield the `id` of the parts that were executed as a hand-off.

    The span of a hand-off records one such call, to its target if this is known. OpenAI's Agents SDK answers the
    call itself, with the name of the agent that takes over: `{"assistant": "hotel_agent"}`. If that agent does not
    receive the answer, the call is the only one of the last output that has none, and an agent follows.
    """
    remaining = []
    for part in requested:
        if any(_names_agent(answer) for answer in answers.get(part.id or "", ())):
            yield id(part)
        else:
            remaining.append(part)
    for handoff in run.of("handoff") if remaining else ():
        call = next(
            (part for part in remaining if handoff.step.error is None and _is_to(part, handoff.step.target)), None
        )
        if call is not None:
            remaining = [part for part in remaining if part is not call]
            yield id(call)
    yield from _find_followed_call(run, [part for part in remaining if part.id is None or not answers.get(part.id)])


def _find_followed_call(run: Run, remaining: Sequence[ToolCallPart]) -> Iterator[int]:
    models = run.of("model")
    if not remaining or not models or run.top.error is not None or not _hands_over(run):
        return
    last = {id(part) for message in models[-1].step.output or () for part in message.tool_calls}
    ran = {reading.step.tool_name for reading in run.of("tool")}
    calls = [part for part in remaining if id(part) in last and part.name not in ran]
    beside = (*run.children, *(run.parent.children if run.parent is not None else ()))
    is_followed = any(other.top.start_ns >= models[-1].span.end_ns for other in beside if other is not run)
    if is_followed and len(calls) == 1:
        yield id(calls[0])


def _hands_over(run: Run) -> bool:
    """Return whether the framework that recorded the run hands over without recording it."""
    top = next((reading for reading in run.steps if reading.span.span_id == run.top.span_id), None)
    return top is not None and dialects.leaves_unrecorded("hands_over", top.dialect, top.span.scope_name)


def _names_agent(answer: str | None) -> bool:
    is_short = answer is not None and len(answer) <= _LONGEST and answer.startswith('{"assistant"')
    fields = as_object(answer) if is_short else None
    return fields is not None and fields.keys() == {"assistant"} and isinstance(fields["assistant"], str)


def _is_to(part: ToolCallPart, target: str | None) -> bool:
    name = plain_name(part.name)
    if target is not None and target != _UNKNOWN:
        return plain_name(target) in name
    return name.startswith(_PREFIXES)
