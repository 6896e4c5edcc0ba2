"""One job of a judge: each question of the dialogues is answered from the cache, asked, or deferred."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, TypeVar

from ...definition.dialogue import Answer, Question
from ...definition.registry import Configured
from ...definition.score_record import Target
from ...ports import EvaluationPass, JudgeCall, Spent
from ..batch.batches import Batches, Reworded
from ..budget.job_budget import JobBudget
from ..budget.price import most_of
from ..exchange.evaluation import Evaluation
from ..exchange.failure import Endless, Failure, Refused, Unready, Waits
from ..exchange.outcome import Broken, Outcome, outcome, unwrap
from ..exchange.reply import Reply
from ..exchange.request import Request
from . import calls
from .abandoned_calls import settle_abandoned
from .context import JudgeContext
from .retry_cap import refuse_unended

__all__ = ["Job"]

_T = TypeVar("_T")

_LOOKED_UP_FOR: Final = timedelta(seconds=5)
"""How long a look-up stays valid; a question that is sent later is looked up again."""


class _Known(Exception):
    """The answer was stored while the question waited to be sent."""

    def __init__(self, call: JudgeCall, reply: Reply) -> None:
        super().__init__()
        self.call = call
        self.reply = reply


class Job:
    """Asks about admitted pairs in one pass. `spent` is what today has cost, by evaluator, and of the judge under
    ""."""

    def __init__(self, context: JudgeContext, evaluation_pass: EvaluationPass, *, spent: Mapping[str, Spent]) -> None:
        self._context = context
        self._pass = evaluation_pass
        self._budget = JobBudget(
            context.name, context.judge, spent=spent, midnight=evaluation_pass.midnight, now=context.now
        )
        self._budget.book(*context.cache.unkept)
        self._lost: Exception | None = None
        self._under_way: dict[str, asyncio.Future[None]] = {}
        self._sent: set[asyncio.Task[Outcome]] = set()
        self._batches = context.backend.batches(context.throttle, polling=context.polling, now=context.now)
        self._pending = spent.get("", Spent()).pending_calls

    @property
    def midnight(self) -> datetime:
        """The start (UTC) of the day whose budgets apply."""
        return self._pass.midnight

    def admit(self, pairs: Sequence[tuple[Configured, Target]]) -> None:
        """Let these pairs be asked about, within the budgets of their evaluators and agents."""
        self._budget.admit(pairs)

    def count_spent(self, spent: Mapping[str, Spent]) -> None:
        """Count what others have spent meanwhile: `spent` is what today has cost so far, with the calls of this job."""
        self._budget.raise_to(spent)

    async def answer(self, evaluation: Evaluation, question: Question) -> Answer:
        """Return the answer. Raises BadAnswer, Broken, Waits, or a Failure if there will never be an answer."""
        try:
            request = Request.of(self._context.judge, question)
            request_hash = request.request_hash
        except (AttributeError, TypeError, ValueError) as error:  # it is not a question
            raise Broken(error) from error
        async with self._alone(request_hash):
            known = await self._looked_up(request)
            if known is not None and known.status == "pending" and self._batches is not None:
                return await self._collected(evaluation, request, self._batches, known)
            reply = Reply.of_kept(known.response) if known is not None else None
            if known is None or reply is None:
                return await self._ask(evaluation, request)
            row = calls.begun(self._context, self._pass, evaluation, request)
            return await self._remembered(evaluation, request, reply, replace(row, recorded_by=known.recorded_by))

    async def send(self) -> Mapping[str, Waits]:
        """Send the batches, and settle abandoned calls. Return {request_hash: reason} for questions not sent."""
        if self._batches is None:
            return {}
        unsent = await self._batches.send(self._record)
        await settle_abandoned(self._context, self._batches, self._pending)
        return unsent

    async def close(self) -> None:
        """Wait for the answers to all questions that were sent, even of cancelled callers: they are paid for."""
        await asyncio.gather(*self._sent, return_exceptions=True)
        if self._batches is not None:
            await self._batches.close()

    @asynccontextmanager
    async def _alone(self, request_hash: str) -> AsyncIterator[None]:
        """Let one caller at a time ask the same question; the others then find the answer in the cache."""
        while (other := self._under_way.get(request_hash)) is not None:
            await asyncio.shield(other)
        mine = self._under_way[request_hash] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._under_way[request_hash]
            mine.set_result(None)

    async def _remembered(self, evaluation: Evaluation, request: Request, reply: Reply, row: JudgeCall) -> Answer:
        return unwrap(
            await self._use_reply(evaluation, request, reply, calls.known(row, reply, at=self._context.now()))
        )

    async def _ask(self, evaluation: Evaluation, request: Request, *, instead_of: JudgeCall | None = None) -> Answer:
        """Return the answer to a new call. It replaces the row of the pending call `instead_of`."""
        row = calls.begun(self._context, self._pass, evaluation, request)
        if instead_of is not None:
            row = replace(row, judge_call_id=instead_of.judge_call_id)
        if self._context.judge.mode == "batch" and self._batches is not None:
            raise self._put(request, self._batches, row)
        return await self._ask_live(evaluation, request, calls.Attempted(row, most_of(request)))

    async def _ask_live(self, evaluation: Evaluation, request: Request, call: calls.Attempted) -> Answer:
        try:
            outcome = await self._context.throttle.run(
                lambda: self._ask_once(evaluation, request, call),
                question=request.request_hash,
                tokens=call.most.tokens,
                permit=lambda: self._budget.reserved(call.row, call.most),
            )
        except _Known as known:
            row = replace(call.row, recorded_by=known.call.recorded_by)
            return await self._remembered(evaluation, request, known.reply, row)
        except Waits as waits:
            if waits.tried is not None:
                await self._note(call.row, waits.tried, call.took, attempts=call.attempts)
            refuse_unended(self._context.unended, request.request_hash, waits)
            raise
        except Failure as failure:
            await self._note(call.row, failure, call.took, attempts=call.attempts)
            raise
        self._context.unended.pop(request.request_hash, None)
        return unwrap(outcome)

    async def _ask_once(self, evaluation: Evaluation, request: Request, call: calls.Attempted) -> Outcome:
        """Return the outcome of the reply, which is booked and recorded. Raises _Known."""
        await self._refuse_known(request, call)
        await self._context.backend.ready()
        if self._lost is not None:  # answers cannot be stored, and would be paid for again
            raise self._lost
        sent = asyncio.create_task(self._sent_now(evaluation, request, call))
        self._sent.add(sent)
        sent.add_done_callback(self._sent.discard)
        return await asyncio.shield(sent)

    async def _sent_now(self, evaluation: Evaluation, request: Request, call: calls.Attempted) -> Outcome:
        """Send the request and return its outcome. Never cancelled, since the server charges for what it was sent."""
        call.row = replace(call.row, started_at=self._context.now())
        began = time.perf_counter()
        try:
            reply = await self._context.backend.say(request)
        except Failure as failure:
            call.attempts += failure.posts
            self._lose(request, call, failure.took)
            raise
        took_ms = (time.perf_counter() - began) * 1000
        call.attempts += reply.posts
        reply = reply.estimated(request)
        self._budget.pay(call.row, reply)
        self._context.throttle.rate_limits.correct(call.most.tokens - reply.took_tokens)
        reply = reply.plus(call.took)
        row = calls.paid(self._context.judge, call.row, reply, duration_ms=took_ms)
        return await self._use_reply(evaluation, request, reply, row, attempts=call.attempts)

    def _lose(self, request: Request, call: calls.Attempted, took: Reply | None) -> None:
        """Book the tokens of a request that gave no answer."""
        if took is not None:
            took = took.estimated(request)
            self._budget.pay(call.row, took)
            call.took = took.plus(call.took)

    async def _refuse_known(self, request: Request, call: calls.Attempted) -> None:
        """Raise _Known, and give back the turn, if the answer was stored while the question waited: two judges may ask
        the same model."""
        if self._context.now() - call.row.started_at < _LOOKED_UP_FOR:
            return
        known = await self._looked_up(request)
        if known is not None and (reply := Reply.of_kept(known.response)) is not None:
            self._context.throttle.rate_limits.give_back(call.most.tokens)
            raise _Known(known, reply)

    def _put(self, request: Request, batches: Batches, row: JudgeCall) -> Waits:
        """Add the question once to the batches to send, and return its Waits. Raises Waits if a budget is full."""
        if not batches.holds(request.request_hash):
            most = most_of(request)
            self._budget.pend(row, most)
            batches.put(request, calls.pending(row, most))
        return batches.sending(request.request_hash)

    async def _collected(
        self, evaluation: Evaluation, request: Request, batches: Batches, pending: JudgeCall
    ) -> Answer:
        call = await self._confirmed(request, batches, pending)
        if call is None:
            return await self._ask(evaluation, request, instead_of=pending)
        call = replace(call, pass_id=self._pass.id)
        try:
            reply = (await batches.reply(request, call)).estimated(request)
        except Failure as failure:
            took = None if failure.took is None else failure.took.estimated(request)
            self._budget.collect(call, took)
            await self._note(call, failure, took)
            if isinstance(failure, Reworded):
                return await self._ask(evaluation, request)
            if isinstance(failure, (Refused, Endless)):
                raise
            waits = batches.later(failure)
            refuse_unended(self._context.unended, request.request_hash, waits)
            raise waits from failure
        self._context.unended.pop(request.request_hash, None)
        self._budget.collect(call, reply)
        waited = self._context.now() - call.started_at
        row = calls.paid(self._context.judge, call, reply, duration_ms=waited.total_seconds() * 1000)
        return unwrap(await self._use_reply(evaluation, request, reply, row))

    async def _confirmed(self, request: Request, batches: Batches, pending: JudgeCall) -> JudgeCall | None:
        """Return the call with the id of its batch, after recording it; None if no batch of the server has it."""
        self._context.polling.mark_awaited(pending.batch_id or "", self._context.now())
        call = await batches.confirmed(pending)
        if call is None or call == pending:
            return call
        self._context.polling.mark_awaited(call.batch_id or "", self._context.now())
        call = calls.pending(call, most_of(request))
        await self._record([call])
        self._budget.hold(call)
        return call

    async def _use_reply(
        self, evaluation: Evaluation, request: Request, reply: Reply, call: JudgeCall, *, attempts: int = 1
    ) -> Outcome:
        """Record the reply, and return its outcome."""
        came = outcome(request.question, reply)
        call = calls.answered(call, came)
        if not call.from_cache:
            call = calls.kept(call, self._context.backend.sent(request), reply, attempts=attempts)
        await self._record([call])
        evaluation.calls.append(call)
        return came

    async def _note(self, call: JudgeCall, failure: Failure, took: Reply | None, *, attempts: int = 1) -> None:
        """Record a call without an answer, unless it was never sent."""
        if took is not None or not isinstance(failure, Unready):
            await self._record([calls.failed(self._context.judge, call, failure, took, attempts=attempts)])

    async def _looked_up(self, request: Request) -> JudgeCall | None:
        return await self._reached(self._context.cache.lookup(request.request_hash))

    async def _record(self, rows: Sequence[JudgeCall]) -> None:
        await self._reached(self._context.cache.record(*rows))

    async def _reached(self, work: Awaitable[_T]) -> _T:
        """Return what the cache returns. After it has failed, no more questions are asked."""
        try:
            return await work
        except Exception as error:
            self._lost = error
            raise
