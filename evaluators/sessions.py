"""Conversations judged: each turn with the same evaluator, and the whole."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from .conversation import ConversationTrajectory
from .registry import Configured
from .run import Clock, evaluate
from .verdict import Verdict

__all__ = ["ConversationVerdicts", "evaluate_conversation"]


@dataclass(frozen=True, slots=True)
class ConversationVerdicts:
    """One evaluator on a conversation. Turns and whole need not agree: a repetition may lie across two turns."""

    turns: tuple[tuple[Verdict, ...], ...]
    whole: tuple[Verdict, ...]

    @property
    def mean(self) -> float | None:
        """The mean over the values of the turns, in [0, 1]; None when no turn has one."""
        values = [verdict.value for verdict in chain.from_iterable(self.turns) if verdict.value is not None]
        return sum(values) / len(values) if values else None


def evaluate_conversation(
    evaluator: Configured, conversation: ConversationTrajectory, *, now: Clock | None = None
) -> ConversationVerdicts:
    """The verdicts of `evaluator` on each turn, and on the conversation as one run. Never raises."""
    return ConversationVerdicts(
        turns=tuple(tuple(evaluate(evaluator, turn, now=now)) for turn in conversation.turns),
        whole=tuple(evaluate(evaluator, conversation.whole, now=now)),
    )
