"""Limits what each agent may spend of the daily budget of a judge, so that one service cannot spend all of it."""

from __future__ import annotations

from collections.abc import Sequence

from ...conversation import ConversationTrajectory
from ...definition.score_record import Target, target_id
from ...model import AgentTrace
from ...ports import Agent, Spent
from ..exchange.judge import Judge
from .daily_budget import DailyBudget

__all__ = ["AgentBudgets"]

_MOST_SHOWN = 100


class AgentBudgets:
    """The budget of each agent in the admitted targets, in US dollars. A session counts for the agent of its first
    turn, a tool for no agent. `spent` is what the judge has cost today."""

    def __init__(self, judge: Judge, spent: Spent) -> None:
        self._limit_usd = judge.usd_per_day_per_agent
        self._spent_usd = spent.usd_by_agent
        self._agents: dict[str, Agent | None] = {}
        self._budgets: dict[Agent, DailyBudget] = {}

    def admit(self, targets: Sequence[Target]) -> None:
        """Keep the budgets of the agents in these targets, too."""
        if self._limit_usd is not None:
            self._agents |= {target_id(target): _agent_of(target) for target in targets}

    def raise_to(self, spent: Spent) -> None:
        """Count the cost of each agent as at least that of `spent`."""
        self._spent_usd = spent.usd_by_agent
        for agent, budget in self._budgets.items():
            budget.raise_to(Spent(cost_usd=self._spent_usd.get(agent, 0.0)))

    def of(self, target_id: str) -> DailyBudget | None:
        """Return the budget of the agent of this target; None if it has no limit."""
        agent = self._agents.get(target_id)
        if agent is None:
            return None
        if agent not in self._budgets:
            spent = Spent(cost_usd=self._spent_usd.get(agent, 0.0))
            self._budgets[agent] = DailyBudget(_agent_label(agent), self._limit_usd, None, spent)
        return self._budgets[agent]


def _agent_of(target: Target) -> Agent | None:
    run = next(iter(target.turns), None) if isinstance(target, ConversationTrajectory) else target
    return (run.service_name, run.agent_name) if isinstance(run, AgentTrace) else None


def _agent_label(agent: Agent) -> str:
    """Return the names of an agent for messages. The sender of spans chooses them, so they are quoted and cut."""
    service, name = (None if name_part is None else name_part[:_MOST_SHOWN] for name_part in agent)
    return f"agent {name!r} of service {service!r}"
