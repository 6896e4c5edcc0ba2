"""The rows of `judge_calls`: what is written of a call when it begins, is sent, is answered or fails."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import datetime

from ..dialogue import Answer
from ..model import JsonObject
from ..ports import JudgeCall, Pass
from .desk import Desk
from .failure import Failure
from .judge import Judge
from .outcome import Outcome
from .pair import Pair
from .price import cost_of, usd
from .reply import Reply
from .request import Request

__all__ = ["answered", "begun", "failed", "kept", "known", "paid", "pending"]


def begun(desk: Desk, this: Pass, pair: Pair, request: Request) -> JudgeCall:
    """Of a call that nothing is known of yet."""
    return JudgeCall(
        judge_call_id=uuid.uuid4().hex,
        request_hash=request.request_hash,
        evaluator=pair.evaluator.name,
        target_id=pair.target_id,
        pass_id=this.id,
        judge=desk.name,
        model=desk.judge.called,
        status="ok",
        started_at=desk.now(),
    )


def known(call: JudgeCall, reply: Reply, *, at: datetime) -> JudgeCall:
    """Of one that nobody had to make: the question was answered at once, at that time (UTC)."""
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


def pending(judge: Judge, call: JudgeCall, request: Request) -> JudgeCall:
    """Of one that is sent in a batch, with the most that it may take."""
    sent, most = request.input_tokens, judge.max_output_tokens
    cost_usd = usd(judge, input_tokens=sent, output_tokens=most)
    return replace(call, status="pending", input_tokens=sent, output_tokens=most, cost_usd=cost_usd)


def paid(judge: Judge, call: JudgeCall, reply: Reply, *, duration_ms: float) -> JudgeCall:
    """With what it took."""
    return replace(
        call,
        model=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=cost_of(judge, reply),
        duration_ms=duration_ms,
    )


def answered(call: JudgeCall, outcome: Outcome) -> JudgeCall:
    """With what is wrong with the answer, if something is."""
    if isinstance(outcome, Answer):
        return replace(call, status="ok", error=None)
    return replace(call, status="unusable", error=str(outcome))


def kept(call: JudgeCall, request: JsonObject, reply: Reply, *, attempts: int) -> JudgeCall:
    """With what was sent and what came, and how often it took, where that was more than once."""
    response = {**reply.kept, "attempts": attempts} if attempts > 1 else reply.kept
    return replace(call, request=request, response=response)


def failed(call: JudgeCall, failure: Failure, *, attempts: int) -> JudgeCall:
    """Of one that nobody answered. It took nothing that anybody told."""
    error = f"{failure} (after {attempts} attempts)" if attempts > 1 else str(failure)
    return replace(call, status="error", error=error, input_tokens=None, output_tokens=None, cost_usd=None)
