"""Shared by DeepEval's metrics that ask a judge: `strict_mode`, and reasons that may be left out."""

from __future__ import annotations

from pydantic import Field

from ...llm.base import Judged
from ...model import JsonObject, Score

__all__ = ["StrictlyJudged"]


class StrictlyJudged(Judged):
    """Base of metrics that ask a judge."""

    strict_mode: bool = Field(default=False, description="1 or 0: the threshold is 1, and a lower score is 0")
    include_reason: bool = Field(default=True, description="explain the score")

    @property
    def own_threshold(self) -> float | None:
        return 1.0 if self.strict_mode else None

    @property
    def decided_by(self) -> str | None:
        """None: the peer accepts a threshold together with `strict_mode`, and overrides it."""
        return None

    def make_score(self, share: float, explanation: str | None, details: JsonObject) -> Score:
        """Return the score of a value in [0, 1], which `strict_mode` turns to 0 if it is below 1."""
        value = 0.0 if self.strict_mode and share < 1 else share
        return Score(
            value=value,
            passed=value == 1 if self.strict_mode else None,
            explanation=explanation if self.include_reason else None,
            details=details,
        )
