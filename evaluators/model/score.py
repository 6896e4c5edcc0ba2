"""Scores: what an evaluator says of a target."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from .value import JsonObject, Value

__all__ = ["Score", "ScoreStatus"]

ScoreStatus: TypeAlias = Literal["scored", "skipped", "error"]


class Score(Value):
    """What an evaluator says of a target. `value` is in [0, 1], higher is better; None if it was not scored."""

    value: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    label: str | None = None
    passed: bool | None = None
    threshold: float | None = None
    explanation: str | None = None
    details: JsonObject = Field(default_factory=dict)
    status: ScoreStatus = "scored"
    reason: str | None = Field(default=None, description="why it was skipped, or what went wrong")

    @classmethod
    def skip(cls, reason: str, **details: object) -> Score:
        """Return the score of a target that cannot be evaluated: stored and counted, but left out of averages."""
        return cls(status="skipped", reason=reason, details=dict(details))

    @classmethod
    def failed(cls, reason: str) -> Score:
        """Return the score of an evaluation that failed, which says nothing about the agent."""
        return cls(status="error", reason=reason)
