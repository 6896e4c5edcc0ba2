"""How fast a judge may be asked: token buckets, and the pause that the server itself demands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from .failure import Failure, Waits
from .judge import Judge

__all__ = ["Bucket", "Pace"]

_A_MINUTE_S: Final = 60.0


class Bucket:
    """Lets through so much a minute, and at most a second's worth at once. Times in seconds of any one clock."""

    def __init__(self, per_minute: float | None) -> None:
        self._per_s = None if per_minute is None else per_minute / _A_MINUTE_S
        self._most = max(1.0, self._per_s or 0)
        self._level = self._most
        self._at_s: float | None = None

    def take(self, amount: float, at_s: float) -> float:
        """Takes `amount`, which may leave a debt. How many seconds whoever takes it has to wait for it."""
        if self._per_s is None:
            return 0.0
        since_s = 0.0 if self._at_s is None else max(0.0, at_s - self._at_s)
        self._at_s = at_s
        self._level = min(self._most, self._level + since_s * self._per_s)
        wanted = min(amount, self._most)  # what is larger than the bucket waits for a full one
        wait_s = max(0.0, (wanted - self._level) / self._per_s)
        self._level -= amount
        return wait_s

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

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[None]:
        """Begins when one request of about so many tokens may be made. What fails or waits has used none."""
        at_s = self._elapsed_s()
        wait_s = max(self._requests.take(1, at_s), self._tokens.take(tokens, at_s))
        while (wait_s := max(wait_s, self._held_until_s - self._elapsed_s())) > 0:
            await self._sleep(wait_s)
            wait_s = 0.0
        try:
            yield
        except (Failure, Waits):
            self._tokens.give_back(tokens)
            raise

    def correct(self, tokens_too_many: int) -> None:
        """Tokens that were taken and not used."""
        self._tokens.give_back(tokens_too_many)

    def give_back(self, tokens: int) -> None:
        """A turn of so many tokens that nobody used."""
        self._requests.give_back(1)
        self._tokens.give_back(tokens)

    def hold(self, for_s: float) -> None:
        """Nobody asks for so long."""
        self._held_until_s = max(self._held_until_s, self._elapsed_s() + for_s)
