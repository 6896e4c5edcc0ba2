"""The rows of `judge_calls`: what is recorded when a call begins, is sent, is answered or fails."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime

from ...definition.dialogue import Answer
from ...model import JsonObject
from ...ports import EvaluationPass, JudgeCall
from ..budget.price import Most, cost_of
from ..exchange.evaluation import Evaluation
from ..exchange.failure import Failure
from ..exchange.judge import Judge
from ..exchange.outcome import Outcome
from ..exchange.reply import Reply
from ..exchange.request import Request
from .context import JudgeContext

__all__ = ["Attempted", "answered", "begun", "failed", "kept", "known", "paid", "pending"]


@dataclass(slots=True)
class Attempted:
    """A call under way: its row as of the last try, the most that it may take, how many requests it has taken, and what
    those that gave no answer took."""

    row: JudgeCall
    most: Most
    attempts: int = 0
    took: Reply | None = None


def begun(
    context: JudgeContext, evaluation_pass: EvaluationPass, evaluation: Evaluation, request: Request
) -> JudgeCall:
    """Return a call that begins now."""
    return JudgeCall(
        judge_call_id=uuid.uuid4().hex,
        request_hash=request.request_hash,
        evaluator=evaluation.evaluator.name,
        target_id=evaluation.target_id,
        pass_id=evaluation_pass.id,
        judge=context.name,
        model=context.judge.called,
        status="ok",
        started_at=context.now(),
    )


def known(call: JudgeCall, reply: Reply, *, at: datetime) -> JudgeCall:
    """Return a call that was not made, because the answer was stored: it took nothing. `at` is in UTC."""
    return replace(
        call,
        model=reply.model,
        from_cache=True,
        input_tokens=0,
        output_tokens=0,
        cost_usd=0.0,
        started_at=at,
        duration_ms=0.0,
    )


def pending(call: JudgeCall, most: Most) -> JudgeCall:
    """Return a call that is sent in a batch, with the most that it may take."""
    return replace(
        call,
        status="pending",
        input_tokens=most.input_tokens,
        output_tokens=most.output_tokens,
        cost_usd=most.usd,
    )


def paid(judge: Judge, call: JudgeCall, reply: Reply, *, duration_ms: float) -> JudgeCall:
    """Return the call with what it took."""
    return replace(
        call,
        model=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=cost_of(judge, reply),
        duration_ms=duration_ms,
    )


def answered(call: JudgeCall, outcome: Outcome) -> JudgeCall:
    """Return the call with what is wrong with its answer, if something is."""
    if isinstance(outcome, Answer):
        return replace(call, status="ok", error=None)
    return replace(call, status="unusable", error=str(outcome))


def kept(call: JudgeCall, request: JsonObject, reply: Reply, *, attempts: int) -> JudgeCall:
    """Return the call with its request and response, and the number of requests where there was more than one."""
    response = {**reply.kept, "attempts": attempts} if attempts > 1 else reply.kept
    return replace(call, request=request, response=response)


def failed(judge: Judge, call: JudgeCall, failure: Failure, took: Reply | None, *, attempts: int) -> JudgeCall:
    """Return a call that got no answer, with what it took all the same, if anything."""
    error = f"{failure} (after {attempts} attempts)" if attempts > 1 else str(failure)
    call = replace(call, status="error", error=error, input_tokens=None, output_tokens=None, cost_usd=None)
    if took is None:
        return call
    return replace(
        call,
        input_tokens=took.input_tokens,
        output_tokens=took.output_tokens,
        cost_usd=cost_of(judge, took),
        response={"estimated": True} if took.is_estimated else None,
    )
