"""Applies one evaluator to each turn of a conversation and to the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..conversation import ConversationTrajectory
from ..definition.answer import as_score, failure
from ..definition.registry import Configured
from ..definition.score_record import ScoreRecord
from ..execution.run import Clock, evaluate
from ..judges.backends.in_process import JudgeFunction
from ..model import AgentTrace, Score

__all__ = ["ConversationScores", "OverTurns", "evaluate_conversation"]


@dataclass(frozen=True, slots=True)
class ConversationScores:
    """The scores of one evaluator on a conversation. Turns and whole may differ: a repetition may span two turns."""

    turns: tuple[tuple[ScoreRecord, ...], ...]
    whole: tuple[ScoreRecord, ...]

    @property
    def mean(self) -> float | None:
        """The mean of the values of the turns, in [0, 1]; None if no turn has a value."""
        values = [score.value for score in chain.from_iterable(self.turns) if score.value is not None]
        return sum(values) / len(values) if values else None


def evaluate_conversation(
    evaluator: Configured,
    conversation: ConversationTrajectory,
    *,
    now: Clock | None = None,
    judge: JudgeFunction | None = None,
) -> ConversationScores:
    """Return the scores of `evaluator` on each turn, and on the conversation as one run. Kind llm asks `judge`.

    Raises TypeError as `evaluate` does, and for an evaluator of scope session.
    """
    if evaluator.scope == "session":
        raise TypeError(
            f"{evaluator.name} evaluates conversations (scope session): "
            "give both to `evaluate`, or leave `scope: session` out"
        )
    return ConversationScores(
        turns=tuple(tuple(evaluate(evaluator, turn, now=now, judge=judge)) for turn in conversation.turns),
        whole=tuple(evaluate(evaluator, conversation.whole, now=now, judge=judge)),
    )


@dataclass(frozen=True, slots=True)
class OverTurns:
    """Evaluates a conversation with an evaluator of runs.

    The score is that of the whole; `details` has the scores of the turns and their mean. A turn on which the evaluator
    fails has the status `error`. References belong to runs, so they count only for the turns.
    """

    function: Callable[[AgentTrace], Any]

    def __call__(self, turns: Sequence[AgentTrace]) -> Score:
        """Return the score of the whole, with those of the turns in details. Raises what the evaluator raises on it."""
        whole = as_score(self.function(ConversationTrajectory(tuple(turns)).whole))
        by_turn = [self._on(turn) for turn in turns]
        values = [score.value for score in by_turn if score.value is not None]
        turn_details = {
            "turns": [_turn_score(turn, score) for turn, score in zip(turns, by_turn, strict=True)],
            "mean": sum(values) / len(values) if values else None,
        }
        return whole.model_copy(update={"details": {**whole.details, **turn_details}})

    def _on(self, turn: AgentTrace) -> Score:
        try:
            return as_score(self.function(turn))
        except Exception as error:  # noqa: BLE001 - user code may raise anything
            return failure(error)


def _turn_score(turn: AgentTrace, score: Score) -> Mapping[str, object]:
    fields = {"value": score.value, "status": score.status, "label": score.label, "reason": score.reason}
    recorded = {name: value for name, value in fields.items() if value is not None or name == "value"}
    return {"agent_trace_id": turn.agent_trace_id, **recorded}
