"""What may still be spent of a day, by a judge and by an evaluator that asks it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..ports import Spent
from .failure import Waits

__all__ = ["Cost", "Exhausted", "Purse", "Purses"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a call, or of several: tokens both ways, US dollars as far as prices are known."""

    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.tokens - other.tokens, self.usd - other.usd)


class Exhausted(Waits):
    """Nothing is left for the day."""


class Purse:
    """The budget of a day of one judge or evaluator, `owner` in words. `pending` is what may go to batches."""

    def __init__(self, owner: str, usd_per_day: float | None, tokens_per_day: int | None, spent: Spent) -> None:
        self._owner = owner
        self._usd_per_day = usd_per_day
        self._tokens_per_day = tokens_per_day
        self.pending = Cost(spent.pending_tokens, spent.pending_usd)
        self.spent = Cost(spent.input_tokens + spent.output_tokens, spent.cost_usd) - self.pending
        self._expected = Cost()
        self._under_way = 0

    def expect(self, cost: Cost) -> None:
        """A call is under way that will cost so much."""
        self._expected += cost
        self._under_way += 1

    def settle(self, cost: Cost) -> None:
        """It is over."""
        self._under_way -= 1
        self._expected = self._expected - cost if self._under_way else Cost()  # nothing of rounding stays behind

    @property
    def exhausted(self) -> str | None:
        """In words what is spent, None as long as something is left."""
        if self._usd_per_day is not None and self.spent.usd >= self._usd_per_day:
            return f"{self._owner} has spent its {self._usd_per_day:g} USD of today"
        if self._tokens_per_day is not None and self.spent.tokens >= self._tokens_per_day:
            return f"{self._owner} has spent its {self._tokens_per_day:,} tokens of today"
        return None

    @property
    def is_promised(self) -> bool:
        """Whether what is under way or pending will take what is left."""
        then = self.spent + self._expected + self.pending
        return (self._usd_per_day is not None and then.usd >= self._usd_per_day) or (
            self._tokens_per_day is not None and then.tokens >= self._tokens_per_day
        )

    @property
    def is_awaited(self) -> bool:
        """Whether a call is under way, which will leave something."""
        return self._under_way > 0


class Purses:
    """What a call is paid from, all at once, until their day ends. `change` is set when one of them is paid from; what
    pends is looked into `every`."""

    def __init__(self, purses: Sequence[Purse], change: asyncio.Event, *, until: datetime, every: timedelta) -> None:
        self._purses = purses
        self._change = change
        self._until = until
        self._every = every

    @asynccontextmanager
    async def promised(self, cost: Cost, now: datetime) -> AsyncIterator[None]:
        """A call that is expected to cost so much. Waits while others may leave something; raises Waits."""
        while full := self._full():
            if not all(purse.is_awaited for purse in full):
                raise self._promised_away(now)
            self._change.clear()
            await self._change.wait()
        for purse in self._purses:
            purse.expect(cost)
        try:
            yield
        finally:
            for purse in self._purses:
                purse.settle(cost)
            self._change.set()

    def pend(self, cost: Cost, now: datetime) -> None:
        """The same for a call whose end nobody waits for."""
        if self._full():
            raise self._promised_away(now)
        self.hold(cost)

    def hold(self, cost: Cost) -> None:
        """The same for one that has gone out, be there room for it or not."""
        for purse in self._purses:
            purse.pending += cost

    def release(self, cost: Cost) -> None:
        """Such a call has ended."""
        for purse in self._purses:
            purse.pending -= cost

    def pay(self, cost: Cost) -> None:
        for purse in self._purses:
            purse.spent += cost

    def _full(self) -> Sequence[Purse]:
        """Those of which nothing is left but for what others may leave. Raises Exhausted."""
        for purse in self._purses:
            if (why := purse.exhausted) is not None:
                raise Exhausted(self._until, f"{why}; it goes on at 00:00 UTC")
        return [purse for purse in self._purses if purse.is_promised]

    def _promised_away(self, now: datetime) -> Waits:
        until = now + self._every
        return Waits(
            until, f"what was asked will take what is left of the budget; looked at again at {until:%H:%M:%S} UTC"
        )
