"""Calls of a model by which its run handed over to another agent, where no tool span tells of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tracegrade.evaluators.model import ToolCallPart

from .. import dialects
from ..spans.values import as_object
from .run import Run, plain

__all__ = ["agent_of", "handed_over"]

_PREFIXES = ("transfer_to_", "handoff_to_", "hand_off_to_")
_LONGEST = 500
_UNKNOWN = "unknown"
"""What OpenLLMetry writes where it does not know who took over."""


def agent_of(tool_name: str) -> str:
    """The plain name of the agent that a tool of this name would call, or hand over to."""
    name = plain(tool_name)
    prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
    return name.removeprefix(prefix)


def handed_over(run: Run, asked: Sequence[ToolCallPart], answers: Mapping[str, Sequence[str | None]]) -> Iterator[int]:
    """The `id` of the parts that were carried out as a hand-off.

    A hand-off's span tells of one such call, that to its target where this is known. OpenAI's Agents SDK answers the
    call itself, with the name of the agent that takes over: `{"assistant": "hotel_agent"}`. Where that agent does not
    hear the answer, the call is the only one of the last output that has none, and an agent follows.
    """
    left = []
    for part in asked:
        if any(_names_agent(answer) for answer in answers.get(part.id or "", ())):
            yield id(part)
        else:
            left.append(part)
    for one in run.of("handoff") if left else ():
        call = next((part for part in left if one.step.error is None and _is_to(part, one.step.target)), None)
        if call is not None:
            left = [part for part in left if part is not call]
            yield id(call)
    yield from _followed(run, [part for part in left if part.id is None or not answers.get(part.id)])


def _followed(run: Run, left: Sequence[ToolCallPart]) -> Iterator[int]:
    models = run.of("model")
    if not left or not models or run.top.error is not None or not _hands_over(run):
        return
    last = {id(part) for message in models[-1].step.output or () for part in message.tool_calls}
    ran = {one.step.tool_name for one in run.of("tool")}
    calls = [part for part in left if id(part) in last and part.name not in ran]
    beside = (*run.children, *(run.parent.children if run.parent is not None else ()))
    is_followed = any(other.top.start_ns >= models[-1].span.end_ns for other in beside if other is not run)
    if is_followed and len(calls) == 1:
        yield id(calls[0])


def _hands_over(run: Run) -> bool:
    """Whether the framework that recorded the run hands over silently."""
    top = next((one for one in run.steps if one.span.span_id == run.top.span_id), None)
    return top is not None and dialects.leaves_unsaid("hands_over", top.dialect, top.span.scope_name)


def _names_agent(answer: str | None) -> bool:
    is_short = answer is not None and len(answer) <= _LONGEST and answer.startswith('{"assistant"')
    held = as_object(answer) if is_short else None
    return held is not None and held.keys() == {"assistant"} and isinstance(held["assistant"], str)


def _is_to(part: ToolCallPart, target: str | None) -> bool:
    name = plain(part.name)
    if target is not None and target != _UNKNOWN:
        return plain(target) in name
    return name.startswith(_PREFIXES)
