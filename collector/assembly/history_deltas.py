"""Histories that were recorded as what was new since an earlier model call, made whole."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from .run import Read

__all__ = ["HISTORY_MISSING", "complete_histories"]

HISTORY_MISSING = "history_not_captured"


def complete_histories(read: dict[str, Read]) -> None:
    """Puts before each input that continues an earlier one what that one had; `read` is in order of time.

    Where the earlier call is not in this trace, the input stays as it was recorded, with a gap.
    """
    for span_id, one in read.items():
        step = one.step
        if step.continues is None:
            continue
        base = read.get(step.continues)
        if base is None:
            changed = replace(step, gaps=(*step.gaps, HISTORY_MISSING))
        else:
            changed = replace(step, input=_joined(base.step.input or (), step.input or (), step.dropped))
        read[span_id] = one._replace(step=changed)


def _joined(base: Sequence[Message], own: Sequence[Message], dropped: int) -> tuple[Message, ...]:
    """The base without its last `dropped` messages, then the own ones; an own system message takes that one's place."""
    system = [message for message in base[:1] if message.role == "system"]
    rest = base[len(system) :]
    kept = rest[: max(0, len(rest) - dropped)]
    has_own_system = bool(own) and own[0].role == "system"
    return (*own[:1], *kept, *own[1:]) if has_own_system else (*system, *kept, *own)
