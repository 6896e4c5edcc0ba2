"""Limits the concurrency and rate of a judge's calls, retries them, and refuses them while the judge is down.

The retry loop is our own, since permits, breaker and Retry-After interlock: each attempt takes its turn anew and may
find the breaker open, and one Retry-After holds back all callers.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Final, TypeAlias, TypeVar

from ...ports import DeferralKind
from ..exchange.failure import Busy, Endless, Failure, Late, Misconfigured, Refused, Strange, Unreachable, Waits
from ..exchange.judge import Judge
from .breaker import Breaker
from .rate_limits import RateLimits

__all__ = ["Sleep", "Throttle"]

Sleep: TypeAlias = Callable[[float], Awaitable[object]]

_ATTEMPTS: Final = 5
_COSTLY_ATTEMPTS: Final = 2
"""Where an attempt took long, or was paid for."""

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 8.0
_LONGEST_HOLD_S: Final = 60.0
_AGAIN_AFTER_S: Final = 60.0
_FAILURES: Final = 5
_PATIENCE: Final = 3

_T = TypeVar("_T")


class Throttle:
    """Makes the calls to the judge called `name`. A call that cannot be made now raises Waits."""

    def __init__(
        self,
        name: str,
        judge: Judge,
        *,
        now: Callable[[], datetime],
        elapsed_s: Callable[[], float],
        sleep: Sleep,
    ) -> None:
        self._name = name
        self._now = now
        self._sleep = sleep
        self._slots = asyncio.Semaphore(judge.concurrency)
        self._breaker = Breaker(max(_FAILURES, judge.concurrency))  # all calls in flight may fail of one cause
        self._trial: asyncio.Future[None] | None = None
        self._is_closed = False
        self.rate_limits = RateLimits(judge, elapsed_s=elapsed_s, sleep=sleep)

    def close(self) -> None:
        """Begins no further call; those under way go on to their end."""
        self._is_closed = True

    async def run(
        self,
        call: Callable[[], Awaitable[_T]],
        *,
        question: str | None = None,
        tokens: int = 0,
        permit: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    ) -> _T:
        """Return what `call` returns, made within `permit` and retried. `question` is the request_hash of what it
        asks, None where it asks nothing; `tokens` is the most that one attempt may take. Raises Refused, Endless and
        Waits."""
        attempt, tried = 0, None
        while True:
            attempt += 1
            try:
                return await self._once(call, question, tokens, permit)
            except (Busy, Unreachable) as failure:
                tried = failure
            except Waits as waits:
                waits.tried = waits.tried or tried
                raise
            self._refuse_while_open(question, tried)
            if attempt >= (_COSTLY_ATTEMPTS if isinstance(tried, (Late, Strange)) else _ATTEMPTS):
                raise self._waits(self._now() + timedelta(seconds=_AGAIN_AFTER_S), tried, tried)
            await self._sleep(_pause_s(attempt, tried))

    async def _once(
        self,
        call: Callable[[], Awaitable[_T]],
        question: str | None,
        tokens: int,
        permit: Callable[[], AbstractAsyncContextManager[None]],
    ) -> _T:
        async with self._slots:
            trial = await self._admitted(question)
            try:
                async with permit(), self.rate_limits.turn(tokens):
                    self._refuse_while_open(question)  # it may have opened during the wait
                    return await self._call(call, question)
            finally:
                if trial is not None:
                    self._trial = None
                    trial.set_result(None)

    async def _admitted(self, question: str | None) -> asyncio.Future[None] | None:
        """Returns when the judge may be asked. While it is in doubt, one call is the trial: it gets a future, to be set
        when it is over, for which the others wait."""
        while True:
            self._refuse_while_open(question)
            if not self._breaker.is_in_doubt:
                return None
            if self._trial is None:
                self._trial = asyncio.get_running_loop().create_future()
                return self._trial
            await asyncio.shield(self._trial)

    async def _call(self, call: Callable[[], Awaitable[_T]], question: str | None) -> _T:
        try:
            result = await call()
        except Busy as failure:
            self._hold(failure, question)
            raise
        except Misconfigured as failure:
            self._breaker.open(self._now(), failure, question=question)
            self._refuse_while_open(question, failure)
            raise
        except Unreachable as failure:
            self._breaker.failed(self._now(), failure, question=question)
            raise
        except (Refused, Endless):
            self._breaker.succeeded()  # the server answered
            raise
        self._breaker.succeeded()
        return result

    def _hold(self, busy: Busy, question: str | None) -> None:
        """Holds back all callers, as the server asked of one."""
        pause_s = busy.retry_after_s
        if pause_s is not None and pause_s > _LONGEST_HOLD_S:
            self._breaker.open(self._now(), busy, question=question, for_s=pause_s)
            return
        self._breaker.failed(self._now(), busy, question=question, patience=_PATIENCE)
        self.rate_limits.hold(pause_s or 0.0)

    def _refuse_while_open(self, question: str | None, tried: Failure | None = None) -> None:
        if self._is_closed:
            reason = f"judge {self._name!r} is asked again after a reload or a restart"
            raise Waits(self._now(), reason, kind="restart", tried=tried)
        if (open_until := self._breaker.open_until(self._now(), question)) is not None:
            until, cause = open_until
            raise self._waits(until, cause, tried)

    def _waits(self, until: datetime, cause: Failure, tried: Failure | None) -> Waits:
        kind: DeferralKind
        match cause:
            case Misconfigured():
                kind, condition = "judge_misconfigured", "cannot be asked"
            case Busy():
                kind, condition = "judge_busy", "is busy"
            case Strange():
                kind, condition = "judge_unexpected", "returns unexpected responses"
            case _:
                kind, condition = "judge_unreachable", "cannot be reached"
        return Waits(until, f"judge {self._name!r} {condition}: {cause}", kind=kind, tried=tried)


def _pause_s(attempt: int, failure: Failure) -> float:
    """Exponential backoff with jitter, in seconds, beside what the server asks for."""
    most_s = min(_FIRST_PAUSE_S * 2**attempt, _LONGEST_PAUSE_S)
    jitter_s = random.uniform(0, most_s)  # noqa: S311 - nobody has to be unable to guess it
    return jitter_s + (failure.retry_after_s or 0.0) if isinstance(failure, Busy) else most_s / 2 + jitter_s / 2
