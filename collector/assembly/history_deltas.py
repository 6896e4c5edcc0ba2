"""Completes histories that were recorded as the difference from an earlier model call."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from .run import Reading

__all__ = ["HISTORY_MISSING", "complete_histories"]

HISTORY_MISSING = "history_not_captured"


def complete_histories(readings: dict[str, Reading]) -> None:
    """Prepend to each input that continues an earlier one the messages of that one; `readings` is in order of time.

    If the earlier call is not in this trace, the input stays as it was recorded, with a gap.
    """
    for span_id, reading in readings.items():
        step = reading.step
        if step.continues is None:
            continue
        base = readings.get(step.continues)
        if base is None:
            changed = replace(step, gaps=(*step.gaps, HISTORY_MISSING))
        else:
            changed = replace(step, input=_join_history(base.step.input or (), step.input or (), step.dropped))
        readings[span_id] = reading._replace(step=changed)


def _join_history(base: Sequence[Message], own: Sequence[Message], dropped: int) -> tuple[Message, ...]:
    """Return the base without its last `dropped` messages, then the own ones; an own system message replaces its."""
    system = [message for message in base[:1] if message.role == "system"]
    conversation = base[len(system) :]
    repeated = conversation[: max(0, len(conversation) - dropped)]
    has_own_system = bool(own) and own[0].role == "system"
    return (*own[:1], *repeated, *own[1:]) if has_own_system else (*system, *repeated, *own)
