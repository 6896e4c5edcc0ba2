"""The configured evaluators of a server, and how far each is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from .words import Time

__all__ = ["EvaluatorProgress", "EvaluatorState", "LastPass", "RunningEvaluator"]

EvaluatorState: TypeAlias = Literal["running", "scheduled", "paused", "cannot ask", "not enrolled"]


class LastPass(BaseModel):
    """The newest pass of an evaluator that had targets: how many were due, and how many ended in an error."""

    model_config = ConfigDict(frozen=True)

    started_at: Time
    due: int
    errors: int


class EvaluatorProgress(BaseModel):
    """What waits for an evaluator: new targets, those that it deferred, and those of backfills.

    `lag_s` is for how long the oldest run has been waiting; None if only tools wait, which have no time.
    """

    model_config = ConfigDict(frozen=True)

    new: int
    deferred: int
    deferred_reason: str | None
    deferred_until: Time | None
    backfill: int
    lag_s: float | None


class RunningEvaluator(BaseModel):
    """An evaluator of the configuration that the server runs, with its state."""

    model_config = ConfigDict(frozen=True)

    name: str
    type: str
    kind: str
    version: int
    config_hash: str = Field(description="of its type, options and threshold: another one is another form")
    scope: str
    state: EvaluatorState
    threshold: float | None = Field(description="the least value that passes")
    options: Mapping[str, Any]
    when: str | None = Field(description="the condition that selects runs")
    sample: float = Field(description="share of the selected targets that is evaluated")
    else_sample: float = Field(description="share of those that are not selected which is evaluated all the same")
    schedule: str | None
    next_at: Time | None = Field(description="the next scheduled pass")
    after: tuple[str, ...] = Field(description="evaluators that evaluate a run first")
    judge: str | None = Field(description="the judge that it asks")
    usd_per_day: float | None
    tokens_per_day: int | None
    enrolled_at: Time | None
    paused_at: Time | None
    progress: EvaluatorProgress
    last_pass: LastPass | None
