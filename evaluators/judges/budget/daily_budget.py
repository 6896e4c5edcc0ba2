"""The daily budgets of a judge and of the evaluators that ask it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from ...ports import Spent
from ..exchange.failure import Waits

__all__ = ["Cost", "DailyBudget", "DailyBudgets", "Exhausted"]


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of calls: input and output tokens together, and US dollars as far as prices are known."""

    tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.tokens - other.tokens, self.usd - other.usd)


class Exhausted(Waits):
    """The budget of the day is spent."""


class DailyBudget:
    """The budget of one judge or evaluator for a day; `owner` names it in messages. `pending` is the most that
    unanswered batch calls may cost."""

    def __init__(self, owner: str, usd_per_day: float | None, tokens_per_day: int | None, spent: Spent) -> None:
        self._owner = owner
        self._usd_per_day = usd_per_day
        self._tokens_per_day = tokens_per_day
        self.pending = Cost(spent.pending_tokens, spent.pending_usd)
        self.spent = _answered(spent)
        self._expected = Cost()
        self._under_way = 0

    def raise_to(self, spent: Spent) -> None:
        """Count the cost of answered calls as at least that of `spent`."""
        cost = _answered(spent)
        self.spent = Cost(max(self.spent.tokens, cost.tokens), max(self.spent.usd, cost.usd))

    def expect(self, cost: Cost) -> None:
        """Reserve `cost`, the most that a call may take, while it is in flight."""
        self._expected += cost
        self._under_way += 1

    def settle(self, cost: Cost) -> None:
        """Release the reservation of a call that is over."""
        self._under_way -= 1
        self._expected = self._expected - cost if self._under_way else Cost()  # so that rounding errors do not add up

    @property
    def exhausted(self) -> str | None:
        """The limit that is spent, as text; None if there is none."""
        if self._usd_per_day is not None and self.spent.usd >= self._usd_per_day:
            return f"{self._owner} has spent its {self._usd_per_day:g} USD of today"
        if self._tokens_per_day is not None and self.spent.tokens >= self._tokens_per_day:
            return f"{self._owner} has spent its {self._tokens_per_day:,} tokens of today"
        return None

    @property
    def is_reserved(self) -> bool:
        """Whether calls in flight or in batches may take all that is left."""
        then = self.spent + self._expected + self.pending
        return (self._usd_per_day is not None and then.usd >= self._usd_per_day) or (
            self._tokens_per_day is not None and then.tokens >= self._tokens_per_day
        )

    @property
    def is_awaited(self) -> bool:
        """Whether a call is in flight, which may give back some of its reservation."""
        return self._under_way > 0


class DailyBudgets:
    """The budgets that a call counts against. It is made only if no budget is full or spent.

    `until` is the end of their day, `every` the interval at which batches are polled. `change` is set when a call is
    over.
    """

    def __init__(
        self, budgets: Sequence[DailyBudget], change: asyncio.Event, *, until: datetime, every: timedelta
    ) -> None:
        self._budgets = budgets
        self._change = change
        self._until = until
        self._every = every

    @asynccontextmanager
    async def reserved(self, cost: Cost, now: datetime) -> AsyncIterator[None]:
        """Reserve `cost` for a call in flight, after waiting while other calls may release some.

        Raises Waits if a budget is full or spent.
        """
        while full := self._full():
            if not all(budget.is_awaited for budget in full):
                raise self._waits(now)
            self._change.clear()
            await self._change.wait()
        for budget in self._budgets:
            budget.expect(cost)
        try:
            yield
        finally:
            for budget in self._budgets:
                budget.settle(cost)
            self._change.set()

    def pend(self, cost: Cost, now: datetime) -> None:
        """Reserve `cost` for a batch call. Raises Waits if a budget is full or spent."""
        if self._full():
            raise self._waits(now)
        self.hold(cost)

    def hold(self, cost: Cost) -> None:
        """Reserve `cost` for a batch call that was already sent, even over budget."""
        for budget in self._budgets:
            budget.pending += cost

    def release(self, cost: Cost) -> None:
        """Release the reservation of a batch call."""
        for budget in self._budgets:
            budget.pending -= cost

    def pay(self, cost: Cost) -> None:
        for budget in self._budgets:
            budget.spent += cost

    def _full(self) -> Sequence[DailyBudget]:
        """Return the budgets that reservations fill. Raises Exhausted if a budget is spent."""
        for budget in self._budgets:
            if (why := budget.exhausted) is not None:
                raise Exhausted(self._until, f"{why}; resumes at 00:00 UTC", kind="budget")
        return [budget for budget in self._budgets if budget.is_reserved]

    def _waits(self, now: datetime) -> Waits:
        return Waits(now + self._every, "calls in flight will use up the budget", kind="budget")


def _answered(spent: Spent) -> Cost:
    """Return the cost of the calls that are answered."""
    return Cost(spent.input_tokens + spent.output_tokens, spent.cost_usd) - Cost(
        spent.pending_tokens, spent.pending_usd
    )
