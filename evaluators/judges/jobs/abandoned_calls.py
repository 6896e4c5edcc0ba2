"""Settles abandoned calls in batches, whose evaluator is gone or now asks another question.

Their answers are paid for, so they are stored for the same question later, and their reservations are released.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from ...definition.dialogue import Question
from ...ports import JudgeCall
from ..batch.batch_lines import Unanswered
from ..batch.batches import Batches
from ..exchange.failure import Failure, Waits
from ..exchange.judge import Judge
from ..exchange.outcome import outcome
from ..exchange.reply import Reply
from ..exchange.request import Request
from . import calls
from .context import JudgeContext

__all__ = ["settle_abandoned"]


async def settle_abandoned(context: JudgeContext, batches: Batches, pending: Sequence[JudgeCall]) -> None:
    """Record how abandoned calls among the `pending` ones ended, once per polling interval. Raises what the cache
    raises."""
    now, every = context.now(), timedelta(seconds=context.judge.poll_every_s)
    abandoned = [call for call in pending if context.polling.is_abandoned(call.batch_id or "", now, every=every)]
    if not abandoned or not context.polling.is_time(now, every=every):
        return
    settled = await asyncio.gather(*[_settled(context, batches, call) for call in abandoned])
    await context.cache.record(*filter(None, settled))


async def _settled(context: JudgeContext, batches: Batches, pending: JudgeCall) -> JudgeCall | None:
    """Return the call as it ended; None until that is known."""
    try:
        call = await _confirmed(batches, pending)
        reply = await batches.fetch_abandoned_reply(call)
    except Waits:
        return None
    except Failure as failure:
        return await _fail_call(context, pending, failure)
    return await _answered(context, call, reply)


async def _confirmed(batches: Batches, pending: JudgeCall) -> JudgeCall:
    """Return the call with the id of its batch. Raises Waits and Unanswered."""
    call = await batches.confirmed(pending)
    if call is None:
        raise Unanswered("the server lists no batch with this question")
    return call


async def _fail_call(context: JudgeContext, call: JudgeCall, failure: Failure) -> JudgeCall:
    call = await _with_request(context, call)
    took = None if failure.took is None else failure.took.estimated(_request(context.judge, call))
    return calls.failed(context.judge, call, failure, took, attempts=1)


async def _answered(context: JudgeContext, call: JudgeCall, reply: Reply) -> JudgeCall:
    call = await _with_request(context, call)
    request = _request(context.judge, call)
    reply = reply.estimated(request)
    waited = context.now() - call.started_at
    call = calls.paid(context.judge, call, reply, duration_ms=waited.total_seconds() * 1000)
    return calls.kept(calls.answered(call, outcome(request.question, reply)), call.request or {}, reply, attempts=1)


async def _with_request(context: JudgeContext, call: JudgeCall) -> JudgeCall:
    """Return the call with its request, unless its question has been answered elsewhere."""
    stored_call = await context.cache.lookup(call.request_hash)
    if stored_call is None or stored_call.judge_call_id != call.judge_call_id:
        return call
    return replace(call, request=stored_call.request)


def _request(judge: Judge, call: JudgeCall) -> Request:
    """Return the request as far as it can be restored from its stored form; it accepts any text as an answer."""
    contents = [str(message.get("content") or "") for message in (call.request or {}).get("messages", ())]
    return Request(judge, Question(instructions="".join(contents[:-1]), evidence="".join(contents[-1:]), read=str))
