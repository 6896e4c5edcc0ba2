"""One job of a judge: every question of every dialogue is answered, from memory or by asking, or waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final, TypeVar

from ..dialogue import Answer, Question
from ..ports import JudgeCall, Pass, Spent
from ..registry import Configured
from . import calls
from .batches import Batches, Reworded
from .desk import Desk
from .endpoint import Endpoint
from .failure import Endless, Failure, Refused, Unended, Unready, Waits
from .outcome import Broken, Outcome, outcome, told
from .pair import Pair
from .reply import Reply
from .request import Request
from .till import Till

__all__ = ["Sitting"]

_T = TypeVar("_T")

_MOST_UNENDED: Final = 3
"""So often a question is put off because its answers have no end; then it is an error."""

_LOOKED_UP_FOR: Final = timedelta(seconds=5)
"""So long what is looked up is taken for known; a question whose turn comes later is looked up again."""


class _Known(Exception):
    """Somebody else has had the answer meanwhile."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


@dataclass(slots=True)
class _Attempted:
    """A call under way, as of when it was last tried, and how many requests it has taken."""

    row: JudgeCall
    attempts: int = 0


class Sitting:
    """Asks for `evaluators` in one pass. `spent` is of the day so far, by evaluator and under "" of the judge."""

    def __init__(
        self, desk: Desk, this: Pass, *, evaluators: Collection[Configured], spent: Mapping[str, Spent]
    ) -> None:
        self._desk = desk
        self._this = this
        self._till = Till(
            desk.name, desk.judge, evaluators=evaluators, spent=spent, midnight=this.midnight, now=desk.now
        )
        self._till.book(*desk.memory.unkept)
        self._lost: Exception | None = None
        self._under_way: dict[str, asyncio.Future[None]] = {}
        self._batches = _batches(desk, desk.way) if isinstance(desk.way, Endpoint) else None

    async def answer(self, pair: Pair, question: Question) -> Answer:
        """Raises BadAnswer, Broken, Waits, and a Failure where there will never be an answer."""
        try:
            request = Request.of(self._desk.judge, question)
            request_hash = request.request_hash
        except (AttributeError, TypeError, ValueError) as error:  # it is no question
            raise Broken(error) from error
        async with self._alone(request_hash):
            known = await self._looked_up(request)
            if known is not None and known.status == "pending" and self._batches is not None:
                return await self._collected(pair, request, self._batches, known)
            reply = Reply.of_kept(known.response) if known is not None else None
            if reply is None:
                return await self._asked(pair, request)
            return await self._remembered(pair, request, reply, calls.begun(self._desk, self._this, pair, request))

    async def send(self) -> Waits | None:
        """Sends what is to go in a batch; what keeps it from that, if something does."""
        if self._batches is None:
            return None
        try:
            async for rows in self._batches.sent():
                await self._reached(self._desk.memory.record(*rows))
        except Waits as waits:
            return waits
        return None

    async def close(self) -> None:
        if self._batches is not None:
            await self._batches.close()

    @asynccontextmanager
    async def _alone(self, request_hash: str) -> AsyncIterator[None]:
        """Whoever has the same question waits, and finds the answer in memory."""
        while (other := self._under_way.get(request_hash)) is not None:
            await asyncio.shield(other)
        mine = self._under_way[request_hash] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._under_way[request_hash]
            mine.set_result(None)

    async def _remembered(self, pair: Pair, request: Request, reply: Reply, row: JudgeCall) -> Answer:
        return told(await self._used(pair, request, reply, calls.known(row, reply, at=self._desk.now())))

    async def _asked(self, pair: Pair, request: Request, *, instead_of: JudgeCall | None = None) -> Answer:
        """`instead_of` is a pending call whose place in the memory it takes."""
        row = calls.begun(self._desk, self._this, pair, request)
        if instead_of is not None:
            row = replace(row, judge_call_id=instead_of.judge_call_id)
        if self._desk.judge.mode == "batch" and self._batches is not None:
            raise self._put(pair, request, self._batches, row)
        return await self._asked_live(pair, request, _Attempted(row))

    async def _asked_live(self, pair: Pair, request: Request, call: _Attempted) -> Answer:
        try:
            said = await self._desk.line.through(
                lambda: self._said(pair, request, call),
                tokens=request.most_tokens,
                permit=lambda: self._till.promised(pair.evaluator.name, request),
            )
        except _Known as known:
            return await self._remembered(pair, request, known.reply, call.row)
        except Waits as waits:
            if waits.tried is not None:
                await self._note(call.row, waits.tried, attempts=call.attempts)
            self._refuse_unended(request.request_hash, waits)
            raise
        except Failure as failure:
            await self._note(call.row, failure, attempts=call.attempts)
            raise
        self._desk.unended.pop(request.request_hash, None)
        return told(said)

    def _refuse_unended(self, request_hash: str, waits: Waits) -> None:
        """Raises Endless where waiting has been tried often enough."""
        if not isinstance(waits.tried, Unended):
            return
        self._desk.unended[request_hash] += 1
        if (times := self._desk.unended[request_hash]) >= _MOST_UNENDED:
            del self._desk.unended[request_hash]
            raise Endless(f"{waits.tried}, {times} times") from waits

    async def _said(self, pair: Pair, request: Request, call: _Attempted) -> Outcome:
        """What comes of the reply, paid and recorded: whoever is next in line asks only then. Raises _Known."""
        await self._refuse_known(request, call)
        await self._desk.way.ready()
        if self._lost is not None:  # an answer could not be kept, and would be paid for again
            raise self._lost
        call.row = replace(call.row, started_at=self._desk.now())
        began = time.perf_counter()
        try:
            reply = await self._desk.way.say(request)
        except Failure as failure:
            call.attempts += failure.posts
            raise
        took_ms = (time.perf_counter() - began) * 1000
        call.attempts += reply.posts
        reply = reply.estimated(input_tokens=request.input_tokens)
        self._till.pay(pair.evaluator.name, reply)
        self._desk.line.pace.correct(request.most_tokens - reply.took_tokens)
        row = calls.paid(self._desk.judge, call.row, reply, duration_ms=took_ms)
        return await self._used(pair, request, reply, row, attempts=call.attempts)

    async def _refuse_known(self, request: Request, call: _Attempted) -> None:
        """Raises _Known where the answer came while the question waited for its turn, which it gives back: the same may
        be asked of a judge by another name."""
        if self._desk.now() - call.row.started_at < _LOOKED_UP_FOR:
            return
        known = await self._looked_up(request)
        if known is not None and (reply := Reply.of_kept(known.response)) is not None:
            self._desk.line.pace.give_back(request.most_tokens)
            raise _Known(reply)

    def _put(self, pair: Pair, request: Request, batches: Batches, row: JudgeCall) -> Waits:
        """Puts the question into the batch that will be sent, once. Raises Waits where there is no money for it."""
        if not batches.holds(request.request_hash):
            self._till.pend(pair.evaluator.name, request)
            batches.put(request, calls.pending(self._desk.judge, row, request))
        return batches.sending

    async def _collected(self, pair: Pair, request: Request, batches: Batches, pending: JudgeCall) -> Answer:
        call = await self._confirmed(request, batches, pending)
        if call is None:
            return await self._asked(pair, request, instead_of=pending)
        call = replace(call, pass_id=self._this.id)
        try:
            reply = (await batches.reply(request, call)).estimated(input_tokens=request.input_tokens)
        except Failure as failure:
            self._till.collect(call, None)
            await self._note(call, failure)
            if isinstance(failure, Reworded):
                return await self._asked(pair, request)
            if isinstance(failure, (Refused, Endless)):
                raise
            raise batches.later(failure) from failure
        self._till.collect(call, reply)
        took = self._desk.now() - call.started_at
        row = calls.paid(self._desk.judge, call, reply, duration_ms=took.total_seconds() * 1000)
        return told(await self._used(pair, request, reply, row))

    async def _confirmed(self, request: Request, batches: Batches, pending: JudgeCall) -> JudgeCall | None:
        """A call of which it is recorded in which batch it is, and what it may take; None when it is in none."""
        call = await batches.confirmed(pending)
        if call is None or call == pending:
            return call
        call = calls.pending(self._desk.judge, call, request)
        await self._reached(self._desk.memory.record(call))
        self._till.hold(call)
        return call

    async def _used(self, pair: Pair, request: Request, reply: Reply, call: JudgeCall, *, attempts: int = 1) -> Outcome:
        """What comes of the reply, once it is recorded."""
        came = outcome(request.question, reply)
        call = calls.answered(call, came)
        if not call.from_cache:
            call = calls.kept(call, self._desk.way.sent(request), reply, attempts=attempts)
        await self._reached(self._desk.memory.record(call))
        pair.calls.append(call)
        return came

    async def _note(self, call: JudgeCall, failure: Failure, *, attempts: int = 1) -> None:
        """Records a call that nobody answered. What was never sent is none."""
        if not isinstance(failure, Unready):
            await self._reached(self._desk.memory.record(calls.failed(call, failure, attempts=attempts)))

    async def _looked_up(self, request: Request) -> JudgeCall | None:
        return await self._reached(self._desk.memory.lookup(request.request_hash))

    async def _reached(self, work: Awaitable[_T]) -> _T:
        """What the memory gives. When it fails nobody is asked any more."""
        try:
            return await work
        except Exception as error:
            self._lost = error
            raise


def _batches(desk: Desk, endpoint: Endpoint) -> Batches:
    return Batches(desk.judge, endpoint, desk.line, polls=desk.polls, now=desk.now)
