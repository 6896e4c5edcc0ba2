"""A verdict: a score with everything that identifies it. One row of the table `scores`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime

from .model import AgentTrace, Score
from .registry import Configured, EvaluatorKind, Scope

__all__ = ["Verdict", "verdict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The columns of `scores` (see queries/README.md), without `superseded_at`, which time writes."""

    score_id: str
    target_id: str
    scope: Scope
    agent_trace_id: str | None
    trace_id: str | None
    span_id: str | None
    tool_call_position: int | None = None
    session_id: str | None = None
    agent_name: str | None = None
    target_time: datetime | None = None
    revision: int | None = None
    evaluator: str
    evaluator_type: str
    evaluator_kind: EvaluatorKind
    evaluator_version: int
    config_hash: str
    reference_hash: str | None = None
    reference_source: str | None = None
    value: float | None = None
    label: str | None = None
    passed: bool | None = None
    threshold: float | None = None
    explanation: str | None = None
    details: dict[str, object] = field(default_factory=dict)
    status: str
    reason: str | None = None
    author: str
    judge_model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    duration_ms: float | None = None
    pass_id: str | None = None
    scored_at: datetime


def verdict(
    evaluator: Configured,
    trace: AgentTrace,
    score: Score,
    *,
    scored_at: datetime,
    duration_ms: float | None = None,
    tool_call_position: int | None = None,
) -> Verdict:
    """`score` as the verdict of `evaluator` on `trace`, or on the call at `tool_call_position` in it."""
    call = None if tool_call_position is None else trace.tool_calls[tool_call_position]
    target_id = trace.agent_trace_id if call is None else f"{trace.agent_trace_id}#{tool_call_position}"
    reference = trace.reference
    reference_hash = reference.hash if reference else None
    author = "tracegrade"
    return Verdict(
        score_id=_score_id(
            target_id,
            trace.revision,
            evaluator.name,
            evaluator.version,
            evaluator.config_hash,
            reference_hash,
            evaluator.kind,
            author,
        ),
        target_id=target_id,
        scope=evaluator.scope,
        agent_trace_id=trace.agent_trace_id,
        trace_id=trace.trace_id,
        span_id=(call.span_id if call and call.span_id else trace.agent_span_id),
        tool_call_position=tool_call_position,
        session_id=trace.session_id,
        agent_name=trace.agent_name,
        target_time=(call.started_at if call and call.started_at else trace.started_at),
        revision=trace.revision,
        evaluator=evaluator.name,
        evaluator_type=evaluator.type,
        evaluator_kind=evaluator.kind,
        evaluator_version=evaluator.version,
        config_hash=evaluator.config_hash,
        reference_hash=reference_hash,
        reference_source=reference.source if reference else None,
        value=score.value,
        label=score.label,
        passed=score.passed,
        threshold=score.threshold,
        explanation=score.explanation,
        details=score.details,
        status=score.status,
        reason=score.reason,
        author=author,
        duration_ms=duration_ms,
        scored_at=scored_at,
    )


def _score_id(*identity: object) -> str:
    """The same verdict on the same thing has the same id, however often it is written."""
    return hashlib.sha256("\x1f".join("" if part is None else str(part) for part in identity).encode()).hexdigest()[:32]
