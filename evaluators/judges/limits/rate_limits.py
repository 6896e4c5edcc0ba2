"""Rate limits of a judge: token buckets, and the pause that the server asks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from ..exchange.failure import Failure, Waits
from ..exchange.judge import Judge

__all__ = ["Bucket", "RateLimits"]

_A_MINUTE_S: Final = 60.0
_A_MOMENT_S: Final = 1e-6
"""A shorter wait is only a rounding error."""


class Bucket:
    """A token bucket: `per_minute`, and at most a second's worth at once. Times are in seconds of any one clock."""

    def __init__(self, per_minute: float | None) -> None:
        self._per_s = None if per_minute is None else per_minute / _A_MINUTE_S
        self._most = max(1.0, self._per_s or 0)
        self._level = self._most
        self._at_s: float | None = None

    def wait_s(self, amount: float, at_s: float) -> float:
        """In how many seconds `amount` may be taken, as of `at_s`."""
        if self._per_s is None:
            return 0.0
        since_s = 0.0 if self._at_s is None else max(0.0, at_s - self._at_s)
        self._at_s = at_s
        self._level = min(self._most, self._level + since_s * self._per_s)
        wanted = min(amount, self._most)  # a larger amount waits for a full bucket
        return max(0.0, (wanted - self._level) / self._per_s)

    def take(self, amount: float) -> None:
        """Takes `amount`, which may leave a debt."""
        self._level -= amount

    def give_back(self, amount: float) -> None:
        """Gives back what was taken too much; a negative amount takes more."""
        self._level = min(self._most, self._level + amount)


class RateLimits:
    """The rate limits of one judge, on requests and on tokens."""

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
        """Begins when a request of `tokens` may be made. Tokens are given back when the call fails or must wait."""
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
        """Gives back tokens that were taken and not used."""
        self._tokens.give_back(tokens_too_many)
        self._look_again()

    def give_back(self, tokens: int) -> None:
        """Gives back a whole turn that was not used."""
        self._requests.give_back(1)
        self.correct(tokens)

    def hold(self, for_s: float) -> None:
        """Lets no request begin for `for_s` seconds."""
        self._held_until_s = max(self._held_until_s, self._elapsed_s() + for_s)

    def _wait_s(self, tokens: int) -> float:
        at_s = self._elapsed_s()
        return max(self._requests.wait_s(1, at_s), self._tokens.wait_s(tokens, at_s), self._held_until_s - at_s)

    async def _rest(self, for_s: float) -> None:
        """Waits; ends early when tokens are given back."""
        self._pause = asyncio.ensure_future(self._sleep(for_s))
        try:
            await asyncio.wait([self._pause])
        finally:
            self._pause.cancel()

    def _look_again(self) -> None:
        if self._pause is not None:
            self._pause.cancel()
