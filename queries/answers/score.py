"""Scores."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from .row import Json, Row

__all__ = ["Score", "ScorePage"]


class Score(Row):
    """A row of `scores`; it is active where `superseded_at` is null."""

    score_id: str
    target_id: str
    scope: str
    agent_trace_id: str | None
    trace_id: str | None
    span_id: str | None
    tool_call_position: int | None
    session_id: str | None
    agent_name: str | None
    target_time: datetime | None
    revision: int | None
    evaluator: str
    evaluator_type: str
    evaluator_kind: str
    evaluator_version: int
    config_hash: str
    reference_hash: str | None
    reference_source: str | None
    value: float | None
    label: str | None
    passed: bool | None
    threshold: float | None
    explanation: str | None
    details: Json
    status: str
    reason: str | None
    author: str
    judge_model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    duration_ms: float | None
    pass_id: str | None
    scored_at: datetime
    superseded_at: datetime | None
    superseded_reason: str | None
    experiment_id: str | None


class ScorePage(BaseModel):
    """A part of a list of scores, newest first."""

    model_config = ConfigDict(frozen=True)

    scores: list[Score]
    next: str | None = Field(description="the cursor of the next part; null: there is none")
