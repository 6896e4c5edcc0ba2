"""Conversations judged: each turn with the same evaluator, and the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from .conversation import ConversationTrajectory
from .model import AgentTrace, Score
from .registry import Configured
from .run import Clock, as_score, evaluate
from .verdict import Verdict

__all__ = ["ConversationVerdicts", "evaluate_conversation", "over_turns"]


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


def over_turns(judge: Callable[[AgentTrace], Any]) -> Callable[[Sequence[AgentTrace]], Score]:
    """An evaluator of runs as one of conversations: its word on the whole; on each turn, and their mean, in details."""

    def judged(turns: Sequence[AgentTrace]) -> Score:
        whole = as_score(judge(ConversationTrajectory(tuple(turns)).whole))
        by_turn = [as_score(judge(turn)) for turn in turns]
        values = [score.value for score in by_turn if score.value is not None]
        told = {
            "turns": [
                {"agent_trace_id": turn.agent_trace_id, "value": score.value, "status": score.status}
                for turn, score in zip(turns, by_turn, strict=True)
            ],
            "mean": sum(values) / len(values) if values else None,
        }
        return whole.model_copy(update={"details": {**whole.details, **told}})

    return judged
