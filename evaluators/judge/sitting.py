"""One job of a judge: every question of every dialogue is answered, from memory or by asking, or waits."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar

from ..dialogue import Answer, BadAnswer, Question
from ..model import JsonObject
from ..ports import JudgeCall, Pass, Spent
from ..registry import Configured
from ..verdict import Effort
from .batches import Batches, Polls, Reworded
from .endpoint import Endpoint
from .failure import Endless, Failure, Refused, Unended, Unready, Waits
from .judge import Judge
from .line import Line
from .memory import Memory
from .price import cost_of, expected, usd
from .prompt import Prompt
from .purse import Cost, Purse, Purses
from .reply import Reply
from .way import Way

__all__ = ["Broken", "Desk", "Pair", "Sitting"]

_T = TypeVar("_T")

_MOST_UNENDED: Final = 3
"""So often a question is put off because its answers have no end; then it is an error."""


class Broken(Exception):
    """An evaluator failed over an answer: `error` is what it raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


_Outcome: TypeAlias = Answer | BadAnswer | Broken


@dataclass(slots=True)
class _Attempted:
    """A call under way, and how often it was tried."""

    row: JudgeCall
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all jobs of a judge share."""

    name: str
    judge: Judge
    way: Way
    line: Line
    memory: Memory
    now: Callable[[], datetime]
    polls: Polls = field(default_factory=Polls)
    unended: Counter[str] = field(default_factory=Counter)
    """How often the answers to a question, by its request_hash, had no end."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An evaluator and what it judges, and the calls that it has taken."""

    evaluator: Configured
    target_id: str
    calls: list[JudgeCall] = field(default_factory=list)

    @property
    def effort(self) -> Effort:
        """What nobody told of one call is not known of the whole."""
        return Effort(
            duration_ms=sum(call.duration_ms or 0.0 for call in self.calls),
            judge_model=self.calls[-1].model if self.calls else None,
            input_tokens=_sum([call.input_tokens for call in self.calls]),
            output_tokens=_sum([call.output_tokens for call in self.calls]),
            cost_usd=_sum([call.cost_usd for call in self.calls]),
        )


class Sitting:
    """Asks for the evaluators of one pass. `spent` is of the day so far, by evaluator and under "" of the judge."""

    def __init__(self, desk: Desk, this: Pass, spent: Mapping[str, Spent]) -> None:
        self._desk = desk
        self._this = this
        self._spent = spent
        self._change = asyncio.Event()
        judge = desk.judge
        self._whole = Purse(f"judge {desk.name!r}", judge.usd_per_day, judge.tokens_per_day, spent.get("", Spent()))
        self._purses: dict[str, Purses] = {}
        self._lost: Exception | None = None
        self._under_way: dict[str, asyncio.Future[None]] = {}
        self._batches = _batches(desk, desk.way) if isinstance(desk.way, Endpoint) else None

    async def answer(self, pair: Pair, question: Question) -> Answer:
        """Raises BadAnswer, Broken, Waits, and a Failure where there will never be an answer."""
        try:
            prompt = Prompt.of(self._desk.judge, question)
            request_hash = prompt.request_hash
        except (AttributeError, TypeError, ValueError) as error:  # it is no question
            raise Broken(error) from error
        async with self._alone(request_hash):
            known = await self._reached(self._desk.memory.lookup(request_hash))
            if known is not None and known.status == "pending" and self._batches is not None:
                return await self._collected(pair, prompt, self._batches, known)
            reply = Reply.of_kept(known.response) if known is not None else None
            return await (self._asked(pair, prompt) if reply is None else self._remembered(pair, prompt, reply))

    async def send(self) -> Waits | None:
        """Sends what is to go in a batch; what keeps it from that, if something does."""
        if self._batches is None:
            return None
        try:
            async for calls in self._batches.sent():
                await self._reached(self._desk.memory.record(*calls))
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

    async def _remembered(self, pair: Pair, prompt: Prompt, reply: Reply) -> Answer:
        call = replace(
            self._call(pair, prompt),
            model=reply.model,
            from_cache=True,
            input_tokens=0,
            output_tokens=0,
            cost_usd=0.0,
            duration_ms=0.0,
        )
        return _told(await self._used(pair, prompt, reply, call))

    async def _asked(self, pair: Pair, prompt: Prompt) -> Answer:
        if self._desk.judge.mode == "batch" and self._batches is not None:
            raise self._put(pair, prompt, self._batches)
        call = _Attempted(self._call(pair, prompt))
        try:
            outcome = await self._desk.line.through(
                lambda: self._said(pair, prompt, call),
                tokens=prompt.most_tokens,
                permit=lambda: self._purses_of(pair).promised(self._expected(prompt), self._desk.now()),
            )
        except Waits as waits:
            if waits.tried is not None:
                await self._note(call.row, waits.tried, attempts=call.attempts)
            self._refuse_unended(prompt.request_hash, waits)
            raise
        except Failure as failure:
            await self._note(call.row, failure, attempts=call.attempts)
            raise
        self._desk.unended.pop(prompt.request_hash, None)
        return _told(outcome)

    def _refuse_unended(self, request_hash: str, waits: Waits) -> None:
        """Raises Endless where waiting has been tried often enough."""
        if not isinstance(waits.tried, Unended):
            return
        self._desk.unended[request_hash] += 1
        if (times := self._desk.unended[request_hash]) >= _MOST_UNENDED:
            del self._desk.unended[request_hash]
            raise Endless(f"{waits.tried}, {times} times") from waits

    async def _said(self, pair: Pair, prompt: Prompt, call: _Attempted) -> _Outcome:
        """What comes of the reply, which is paid and recorded: whoever is next in line asks only then."""
        await self._desk.way.ready()
        if self._lost is not None:  # an answer could not be kept, and would be paid for again
            raise self._lost
        call.attempts += 1
        began = time.perf_counter()
        reply = await self._desk.way.say(prompt)
        took_ms = (time.perf_counter() - began) * 1000
        counted = _tokens(reply)
        tokens = prompt.input_tokens + len(reply.text) // 4 if counted is None else counted
        self._purses_of(pair).pay(Cost(tokens, cost_of(self._desk.judge, reply) or 0.0))
        self._desk.line.pace.correct(prompt.most_tokens - tokens)
        paid = self._paid(call.row, reply, duration_ms=took_ms)
        return await self._used(pair, prompt, reply, paid, attempts=call.attempts)

    def _put(self, pair: Pair, prompt: Prompt, batches: Batches) -> Waits:
        """Puts the question into the batch that will be sent, once. Raises Exhausted."""
        if not batches.holds(prompt.request_hash):
            cost = self._expected(prompt)
            self._purses_of(pair).promise(cost, self._desk.now())
            most = self._desk.judge.max_output_tokens
            call = replace(
                self._call(pair, prompt), status="pending", input_tokens=prompt.input_tokens, output_tokens=most
            )
            batches.put(
                prompt,
                replace(call, cost_usd=usd(self._desk.judge, input_tokens=prompt.input_tokens, output_tokens=most)),
            )
        return batches.sending

    async def _collected(self, pair: Pair, prompt: Prompt, batches: Batches, pending: JudgeCall) -> Answer:
        call = replace(pending, pass_id=self._this.id)
        try:
            reply = await batches.reply(prompt, pending)
        except Reworded:
            await self._note(call, Refused("it is asked once more in another way"))
            return await self._asked(pair, prompt)
        except Failure as failure:
            await self._note(call, failure)
            raise
        took = self._desk.now() - pending.started_at
        self._purses_of(pair).pay(Cost(_tokens(reply) or 0, cost_of(self._desk.judge, reply) or 0.0))
        paid = self._paid(call, reply, duration_ms=took.total_seconds() * 1000)
        return _told(await self._used(pair, prompt, reply, paid))

    async def _used(self, pair: Pair, prompt: Prompt, reply: Reply, call: JudgeCall, *, attempts: int = 1) -> _Outcome:
        """The answer, or what is wrong with it, once it is recorded."""
        value, fault = _read(prompt.question, reply)
        call = replace(call, status="ok" if fault is None else "unusable", error=None if fault is None else str(fault))
        if not call.from_cache:
            call = replace(call, request=self._desk.way.request(prompt), response=_kept(reply, attempts))
        await self._reached(self._desk.memory.record(call))
        pair.calls.append(call)
        if fault is not None:
            return fault if isinstance(fault, BadAnswer) else Broken(fault)
        return Answer(text=reply.text, value=value, tokens=reply.tokens)

    async def _note(self, call: JudgeCall, failure: Failure, *, attempts: int = 1) -> None:
        """A call that nobody answered. It took nothing that anybody told. What was never sent is none."""
        if isinstance(failure, Unready):
            return
        error = f"{failure} (after {attempts} attempts)" if attempts > 1 else str(failure)
        await self._reached(
            self._desk.memory.record(
                replace(call, status="error", error=error, input_tokens=None, output_tokens=None, cost_usd=None)
            )
        )

    async def _reached(self, work: Awaitable[_T]) -> _T:
        """What the memory gives. When it fails nobody is asked any more."""
        try:
            return await work
        except Exception as error:
            self._lost = error
            raise

    def _call(self, pair: Pair, prompt: Prompt) -> JudgeCall:
        return JudgeCall(
            judge_call_id=uuid.uuid4().hex,
            request_hash=prompt.request_hash,
            evaluator=pair.evaluator.name,
            target_id=pair.target_id,
            pass_id=self._this.id,
            judge=self._desk.name,
            model=self._desk.judge.called,
            status="ok",
            started_at=self._desk.now(),
        )

    def _paid(self, call: JudgeCall, reply: Reply, *, duration_ms: float) -> JudgeCall:
        return replace(
            call,
            model=reply.model,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            cost_usd=cost_of(self._desk.judge, reply),
            duration_ms=duration_ms,
        )

    def _expected(self, prompt: Prompt) -> Cost:
        return expected(self._desk.judge, input_tokens=prompt.input_tokens)

    def _purses_of(self, pair: Pair) -> Purses:
        evaluator = pair.evaluator
        if evaluator.name not in self._purses:
            budget, spent = evaluator.budget, self._spent.get(evaluator.name, Spent())
            own = Purse(f"evaluator {evaluator.name!r}", budget.usd_per_day, budget.tokens_per_day, spent)
            self._purses[evaluator.name] = Purses((self._whole, own), self._change)
        return self._purses[evaluator.name]


def _batches(desk: Desk, endpoint: Endpoint) -> Batches:
    return Batches(desk.judge, endpoint, desk.line, polls=desk.polls, now=desk.now)


def _told(outcome: _Outcome) -> Answer:
    if isinstance(outcome, Answer):
        return outcome
    raise outcome


def _kept(reply: Reply, attempts: int) -> JsonObject:
    """With how often it took, where that was more than once."""
    return {**reply.kept, "attempts": attempts} if attempts > 1 else reply.kept


def _read(question: Question, reply: Reply) -> tuple[Any, Exception | None]:
    """What the question makes of the reply, or what is wrong with it."""
    if reply.fault is not None:
        return None, BadAnswer(reply.fault, reply.text)
    try:
        return question.read(reply.text), None
    except Exception as error:  # noqa: BLE001 - the evaluator may be anybody's
        return None, error


def _tokens(reply: Reply) -> int | None:
    if reply.input_tokens is None or reply.output_tokens is None:
        return None
    return reply.input_tokens + reply.output_tokens


def _sum(amounts: list[Any]) -> Any:
    return None if not amounts or None in amounts else sum(amounts)
