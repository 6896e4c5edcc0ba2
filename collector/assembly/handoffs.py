"""Calls of a model by which its run handed over to another agent, where no tool span tells of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tracegrade.evaluators.model import ToolCallPart

from ..values import as_object
from .run import Run, plain

__all__ = ["handed_over"]

_PREFIXES = ("transfer_to_", "handoff_to_", "hand_off_to_")
_LONGEST = 500
_UNKNOWN = "unknown"
"""What OpenLLMetry writes where it does not know who took over."""


def handed_over(run: Run, asked: Sequence[ToolCallPart], answers: Mapping[str, Sequence[str | None]]) -> Iterator[int]:
    """The `id` of the parts that were carried out as a hand-off.

    A hand-off's span tells of one such call, that to its target where this is known. OpenAI's Agents SDK answers the
    call itself, with the name of the agent that takes over: `{"assistant": "hotel_agent"}`.
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


def _names_agent(answer: str | None) -> bool:
    is_short = answer is not None and len(answer) <= _LONGEST and answer.startswith('{"assistant"')
    held = as_object(answer) if is_short else None
    return held is not None and held.keys() == {"assistant"} and isinstance(held["assistant"], str)


def _is_to(part: ToolCallPart, target: str | None) -> bool:
    name = plain(part.name)
    if target is not None and target != _UNKNOWN:
        return plain(target) in name
    return name.startswith(_PREFIXES)
