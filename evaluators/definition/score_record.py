"""A score record: a score with everything that identifies it, as in a row of the table `scores`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final, TypeAlias

from ..conversation import ConversationTrajectory
from ..model import AgentTrace, Score, ToolDefinition
from .registry import Configured, EvaluatorKind, Scope

__all__ = ["AUTHOR", "Effort", "ScoreRecord", "Target", "score_of_experiment", "score_record", "target_id"]

AUTHOR: Final = "tracegrade"
"""The author of scores that Tracegrade computes."""

Target: TypeAlias = AgentTrace | ToolDefinition | ConversationTrajectory
"""What is evaluated: a run; in scope `tool` a tool as it was offered, in scope `session` a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What an evaluation took: time and, of a judge, the model that it reported, tokens, and US dollars if the price is
    known."""

    duration_ms: float | None = None
    judge_model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRecord:
    """The columns of `scores` (see queries/docs/tables.md), except `superseded_at` and `superseded_reason`, which are
    written later."""

    score_id: str
    target_id: str
    scope: Scope
    agent_trace_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
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
    experiment_id: str | None = None
    scored_at: datetime


def score_record(
    evaluator: Configured,
    target: Target,
    score: Score,
    *,
    scored_at: datetime,
    took: Effort | None = None,
    tool_call_position: int | None = None,
) -> ScoreRecord:
    """Return the record of `score` by `evaluator` on `target`, or on the call at `tool_call_position` in it."""
    about = _about(target, tool_call_position)
    return ScoreRecord(
        score_id=_score_id(
            about["target_id"],
            _state(target),
            evaluator.name,
            evaluator.version,
            evaluator.config_hash,
            about.get("reference_hash"),
            evaluator.kind,
            AUTHOR,
        ),
        **about,
        scope=evaluator.scope,
        evaluator=evaluator.name,
        evaluator_type=evaluator.type,
        evaluator_kind=evaluator.kind,
        evaluator_version=evaluator.version,
        config_hash=evaluator.config_hash,
        value=score.value,
        label=score.label,
        passed=evaluator.passes(score),
        threshold=score.threshold if score.value is None else evaluator.threshold,
        explanation=score.explanation,
        details=score.details,
        status=score.status,
        reason=score.reason,
        author=AUTHOR,
        **_columns(took or Effort()),
        scored_at=scored_at,
    )


def score_of_experiment(record: ScoreRecord, experiment_id: str, *, agent_trace_id: str | None = None) -> ScoreRecord:
    """Return the record as one of an experiment: it stands beside a score in production on the same target.

    A score on a tool is that of one run, which offers the tool: `agent_trace_id`.
    """
    run = record.agent_trace_id or agent_trace_id
    score_id = _score_id(record.score_id, experiment_id, run)
    return replace(record, score_id=score_id, agent_trace_id=run, experiment_id=experiment_id)


def target_id(target: Target) -> str:
    """Return the id of `target`."""
    return str(_about(target, None)["target_id"])


def _columns(took: Effort) -> dict[str, Any]:
    return {field.name: getattr(took, field.name) for field in fields(took)}


def _about(target: Target, position: int | None) -> dict[str, Any]:
    """Return the columns that identify what is evaluated, and the reference that it is compared with."""
    if isinstance(target, ToolDefinition):
        return _of_tool(target)
    return _of_session(target) if isinstance(target, ConversationTrajectory) else _of_run(target, position)


def _state(target: Target) -> object:
    """Return what distinguishes the present state of `target` from others: revisions, of a session one for each turn.

    The sum of the revisions of a session is not enough: other turns may have the same sum.
    """
    if isinstance(target, ConversationTrajectory):
        return [(turn.agent_trace_id, turn.revision) for turn in target.turns]
    return target.revision if isinstance(target, AgentTrace) else None


def _of_session(conversation: ConversationTrajectory) -> dict[str, Any]:
    """Return the columns of a session, whose revision grows with each new turn and each revision of a turn."""
    whole = conversation.whole
    return {
        "target_id": f"session:{whole.session_id}",
        "session_id": whole.session_id,
        "agent_name": whole.agent_name,
        "target_time": whole.started_at,
        "revision": sum(turn.revision for turn in conversation.turns),
    }


def _of_run(trace: AgentTrace, position: int | None) -> dict[str, Any]:
    """Return the columns of a run, or of the tool call at `position` in it, and of its reference."""
    call = None if position is None else trace.tool_calls[position]
    reference = trace.reference
    return {
        "target_id": trace.agent_trace_id if call is None else f"{trace.agent_trace_id}#{position}",
        "agent_trace_id": trace.agent_trace_id,
        "trace_id": trace.trace_id,
        "span_id": call.span_id if call and call.span_id else trace.agent_span_id,
        "tool_call_position": position,
        "session_id": trace.session_id,
        "agent_name": trace.agent_name,
        "target_time": call.started_at if call and call.started_at else trace.started_at,
        "revision": trace.revision,
        "reference_hash": reference.hash if reference else None,
        "reference_source": reference.source if reference else None,
    }


def _of_tool(definition: ToolDefinition) -> dict[str, Any]:
    """Return the columns of a tool. It has no time and no run: the same definition may be offered by many."""
    return {"target_id": f"tool:{definition.hash}"}


def _score_id(*identity: object) -> str:
    """Return the hash of `identity` (32 hex digits), so that the same score written twice has one id."""
    text = "\x1f".join(["" if part is None else str(part) for part in identity])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
