"""Explains which budgets in dollars have no effect."""

from __future__ import annotations

from collections.abc import Sequence

from tracegrade.evaluators.definition.registry import Configured

from .settings import Settings, judges_of

__all__ = ["explain_unbound_budgets"]


def explain_unbound_budgets(settings: Settings, evaluators: Sequence[Configured]) -> list[str]:
    """Return a line for each judge and evaluator whose budget in dollars cannot bind, with the remedy.

    Judges that no evaluator asks are included: previews may ask them. Blocks for a second, to load prices.
    """
    judges = judges_of(settings)
    if not judges:
        return []
    from tracegrade.evaluators.judges.budget.price import unbound  # noqa: PLC0415 - only where judges are configured

    of_judges = {f"judge {name!r}": unbound(judge) for name, judge in judges.items()}
    of_evaluators = {
        f"evaluator {evaluator.name!r}": unbound(judges[evaluator.asks], evaluator.budget)
        for evaluator in evaluators
        if evaluator.asks in judges
    }
    return [f"{owner}: {why}" for owner, why in {**of_judges, **of_evaluators}.items() if why is not None]
