"""Explanations over HTTP: why a run has its scores, or has none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from .api import Api
from .endpoint import Call, endpoint

__all__ = ["explain"]


class Subject(BaseModel):
    """The body of a request to explain: the beginning of a trace id or agent_trace_id."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str = Field(min_length=1, max_length=100)


class ExplainedScore(BaseModel):
    """A score on one target, or the reason why there is none; `until` is when that reason ends."""

    evaluator: str
    target_id: str
    about: str
    state: str
    because: str | None
    value: float | None
    label: str | None
    passed: bool | None
    author: str | None
    until: datetime | None


class ExplainedRun(BaseModel):
    """A run with the scores of the configured evaluators and of others. `prospect` says how it may still change."""

    agent_trace_id: str
    trace_id: str
    agent_name: str | None
    session_id: str | None
    experiment_id: str | None
    completeness: str
    revision: int
    assembled_at: datetime
    gaps: list[str]
    prospect: str | None
    evaluators: list[ExplainedScore]
    others: list[ExplainedScore]


class TraceWithoutRun(BaseModel):
    """A trace of which no run is assembled."""

    trace_id: str
    spans: int
    arrived_at: datetime
    is_open: bool
    failures: int | None
    failed_at: datetime | None
    retry_at: datetime | None
    cause: str | None
    because: str


class Account(BaseModel):
    """What an id stands for."""

    runs: list[ExplainedRun]
    without_runs: list[TraceWithoutRun]


@endpoint(
    "POST",
    "/api/v1/explain",
    "explain why a run has its scores, or has none",
    only_reads=True,
    body=Subject,
    answer=Account,
    example='{"id": "5f0c"}',
)
async def explain(api: Api, call: Call) -> Mapping[str, Any]:
    """Answer with explanations of the runs whose id has this prefix."""
    subject = call.body(Subject)
    return await asyncio.get_running_loop().run_in_executor(api.queries, api.explain, subject.id.lower())
