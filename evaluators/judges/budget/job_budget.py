"""The budgets of one job: reservations for its calls, and what they cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from functools import partial

from ...definition.registry import Configured
from ...definition.score_record import Target
from ...ports import JudgeCall, Spent
from ..exchange.judge import Judge
from ..exchange.reply import Reply
from .agent_budgets import AgentBudgets
from .daily_budget import Cost, DailyBudget, DailyBudgets
from .price import Most, cost_of

__all__ = ["JobBudget"]


class JobBudget:
    """Keeps the daily budgets of the judge called `name`, of the evaluators that ask it, and of the agents evaluated.

    The day began at `midnight` (UTC). `spent` is what it has cost so far, by evaluator, and of the judge under "".
    Evaluators and agents have to be admitted before a call for them.
    """

    def __init__(
        self,
        name: str,
        judge: Judge,
        *,
        spent: Mapping[str, Spent],
        midnight: datetime,
        now: Callable[[], datetime],
    ) -> None:
        self._name = name
        self._judge = judge
        self._midnight = midnight
        self._now = now
        self._spent = dict(spent)
        whole = spent.get("", Spent())
        self._whole = DailyBudget(f"judge {name!r}", judge.usd_per_day, judge.tokens_per_day, whole)
        self._of_evaluators: dict[str, DailyBudget] = {}
        self._of_agents = AgentBudgets(judge, whole)
        until, every = midnight + timedelta(days=1), timedelta(seconds=judge.poll_every_s)
        self._filled = partial(DailyBudgets, change=asyncio.Event(), until=until, every=every)

    def admit(self, pairs: Sequence[tuple[Configured, Target]]) -> None:
        """Keep the budgets of these evaluators and agents, too."""
        for evaluator in {evaluator.name: evaluator for evaluator, _ in pairs}.values():
            if evaluator.name not in self._of_evaluators:
                self._of_evaluators[evaluator.name] = DailyBudget(
                    f"evaluator {evaluator.name!r}",
                    evaluator.budget.usd_per_day,
                    evaluator.budget.tokens_per_day,
                    self._spent.get(evaluator.name, Spent()),
                )
        self._of_agents.admit([target for _, target in pairs])

    def raise_to(self, spent: Mapping[str, Spent]) -> None:
        """Count what others have spent of the same budgets, as far as it is more than is known here.

        `spent` is of the same day, and includes the recorded calls of this job. Of calls that are answered but not
        recorded yet it lacks the cost, which the next `spent` has.
        """
        self._spent.update(spent)
        self._whole.raise_to(spent.get("", Spent()))
        self._of_agents.raise_to(spent.get("", Spent()))
        for name, budget in self._of_evaluators.items():
            budget.raise_to(spent.get(name, Spent()))

    def reserved(self, call: JudgeCall, most: Most) -> AbstractAsyncContextManager[None]:
        """Reserve `most` for a call while it is in flight. Raises Waits if a budget is full or spent."""
        return self._of(call).reserved(most.cost, self._now())

    def pend(self, call: JudgeCall, most: Most) -> None:
        """Reserve `most` for a call that will be sent in a batch. Raises Waits if a budget is full or spent."""
        self._of(call).pend(most.cost, self._now())

    def pay(self, call: JudgeCall, reply: Reply) -> None:
        """Book the cost of `reply`."""
        self._of(call).pay(Cost(reply.took_tokens, cost_of(self._judge, reply) or 0.0))

    def book(self, *calls: JudgeCall) -> None:
        """Book calls that `spent` does not include."""
        for call in filter(self._pays_for, calls):
            self._of(call).pay(_booked(call))

    def hold(self, pending: JudgeCall) -> None:
        """Reserve for a call that turns out to have been sent in a batch, even over budget."""
        if self._pays_for(pending):
            self._of(pending).hold(_booked(pending))

    def collect(self, pending: JudgeCall, reply: Reply | None) -> None:
        """Replace the reservation of a call in a batch by what it cost."""
        if not self._pays_for(pending):
            return
        self._of(pending).release(_booked(pending))
        if reply is not None:
            self.pay(pending, reply)

    def _pays_for(self, call: JudgeCall) -> bool:
        """Return whether a call counts against these budgets: it was sent on this day, to this judge."""
        return call.judge == self._name and call.started_at >= self._midnight

    def _of(self, call: JudgeCall) -> DailyBudgets:
        budgets = (self._whole, self._of_evaluators.get(call.evaluator), self._of_agents.of(call.target_id))
        return self._filled([budget for budget in budgets if budget is not None])


def _booked(call: JudgeCall) -> Cost:
    return Cost((call.input_tokens or 0) + (call.output_tokens or 0), call.cost_usd or 0.0)
