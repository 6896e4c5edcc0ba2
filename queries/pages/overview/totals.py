"""The numbers of a whole period."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...ports import RunningEvaluator
from .facts import Facts, Row

__all__ = ["Backlog", "Totals", "measure_backlog", "sum_bars", "sum_judge_cost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over runs. `judged` are those that passed or failed, `waiting` those that wait for a person; a cost is None
    where none is known."""

    runs: int
    errors: int
    failing: int
    judged: int
    waiting: int
    unfinished: int
    scored: int
    priced: int
    tokens: int | None
    cost_usd: float | None
    failing_cost_usd: float | None

    @property
    def unscored(self) -> int:
        """The runs without a score."""
        return self.runs - self.scored


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits for evaluators: targets, and for how long the oldest has been waiting (None: unknown)."""

    targets: int
    oldest_s: float | None


def sum_bars(bars: Sequence[Row]) -> Totals:
    """Return the sums of the rows of `runs_by_step`."""

    def total(name: str) -> int:
        return sum(row[name] for row in bars)

    def known(*names: str) -> list[float]:
        return [row[name] for row in bars for name in names if row[name] is not None]

    tokens, cost, failing_cost = known("input_tokens", "output_tokens"), known("cost_usd"), known("failing_cost_usd")
    return Totals(
        runs=total("runs"),
        errors=total("errors"),
        failing=total("failing"),
        judged=total("passed") + total("failing"),
        waiting=total("waiting"),
        unfinished=total("unfinished"),
        scored=total("scored"),
        priced=total("priced"),
        tokens=int(sum(tokens)) if tokens else None,
        cost_usd=sum(cost) if cost else None,
        failing_cost_usd=sum(failing_cost) if failing_cost else None,
    )


def measure_backlog(running: Iterable[RunningEvaluator]) -> Backlog:
    """Return what waits for evaluators that are not paused."""
    progress = [each.progress for each in running if each.progress is not None and each.paused_at is None]
    lags = [each.lag_s for each in progress if each.lag_s is not None and (each.new or each.deferred)]
    return Backlog(sum(each.new + each.deferred for each in progress), max(lags, default=None))


def sum_judge_cost(facts: Facts) -> float | None:
    """Return what judging the runs cost; None if no price is known."""
    known = [row["cost_usd"] for row in facts.evaluators if row["cost_usd"] is not None]
    return sum(known) if known else None
