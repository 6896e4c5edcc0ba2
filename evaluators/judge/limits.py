"""How fast a judge may be asked: token buckets, and the pause that the server itself demands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from .failure import Failure, Waits
from .judge import Judge

__all__ = ["Bucket", "Pace"]

_A_MINUTE_S: Final = 60.0
_A_MOMENT_S: Final = 1e-6
"""So short a wait is none: it comes of rounding."""


class Bucket:
    """Lets through so much a minute, and at most a second's worth at once. Times in seconds of any one clock."""

    def __init__(self, per_minute: float | None) -> None:
        self._per_s = None if per_minute is None else per_minute / _A_MINUTE_S
        self._most = max(1.0, self._per_s or 0)
        self._level = self._most
        self._at_s: float | None = None

    def wait_s(self, amount: float, at_s: float) -> float:
        """In how many seconds `amount` may be taken, as far as is known at `at_s`."""
        if self._per_s is None:
            return 0.0
        since_s = 0.0 if self._at_s is None else max(0.0, at_s - self._at_s)
        self._at_s = at_s
        self._level = min(self._most, self._level + since_s * self._per_s)
        wanted = min(amount, self._most)  # what is larger than the bucket waits for a full one
        return max(0.0, (wanted - self._level) / self._per_s)

    def take(self, amount: float) -> None:
        """May leave a debt."""
        self._level -= amount

    def give_back(self, amount: float) -> None:
        """Corrects what was taken; less than nothing where it was more."""
        self._level = min(self._most, self._level + amount)


class Pace:
    """The limits of one judge."""

    def __init__(
        self, judge: Judge, *, elapsed_s: Callable[[], float], sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self._requests = Bucket(judge.requests_per_minute)
        self._tokens = Bucket(judge.tokens_per_minute)
        self._elapsed_s = elapsed_s
        self._sleep = sleep
        self._held_until_s = 0.0
        self._first = asyncio.Lock()
        self._pause: asyncio.Future[object] | None = None

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[None]:
        """Begins when one request of about so many tokens may be made. What fails or waits has used none."""
        async with self._first:  # in the order in which they came
            while (wait_s := self._wait_s(tokens)) > _A_MOMENT_S:
                await self._rest(wait_s)
            self._requests.take(1)
            self._tokens.take(tokens)
        try:
            yield
        except (Failure, Waits):
            self.correct(tokens)
            raise

    def correct(self, tokens_too_many: int) -> None:
        """Tokens that were taken and not used."""
        self._tokens.give_back(tokens_too_many)
        self._look_again()

    def give_back(self, tokens: int) -> None:
        """A turn of so many tokens that nobody used."""
        self._requests.give_back(1)
        self.correct(tokens)

    def hold(self, for_s: float) -> None:
        """Nobody asks for so long."""
        self._held_until_s = max(self._held_until_s, self._elapsed_s() + for_s)

    def _wait_s(self, tokens: int) -> float:
        at_s = self._elapsed_s()
        return max(self._requests.wait_s(1, at_s), self._tokens.wait_s(tokens, at_s), self._held_until_s - at_s)

    async def _rest(self, for_s: float) -> None:
        """Ends early when something is given back."""
        self._pause = asyncio.ensure_future(self._sleep(for_s))
        try:
            await asyncio.wait([self._pause])
        finally:
            self._pause.cancel()

    def _look_again(self) -> None:
        if self._pause is not None:
            self._pause.cancel()
