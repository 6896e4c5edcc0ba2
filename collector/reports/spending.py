"""Reads the calls and costs of each judge today, its limits, and the evaluators that wait for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tracegrade.evaluators.definition.registry import Budget
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from .backlog import Standing

__all__ = ["LIMITS", "Bill", "EvaluatorBill", "JudgeStanding", "read_judge_standings"]

LIMITS = ("usd_per_day", "tokens_per_day", "requests_per_minute", "tokens_per_minute", "concurrency")
"""The settings of a judge that limit its cost and its rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The questions since the day began (UTC). `calls` were sent to the judge, `cached` ones answered from the store.

    The answer of `unusable` calls is not a score, `errors` have no answer. `unpriced_calls` have tokens but no price;
    the tokens of `estimated_calls` were not reported. `preview_calls`, `preview_tokens` and `preview_usd` are the part
    of previews. `cost_usd` is without the unpriced calls: None if no price of a paid call is known.
    """

    calls: int = 0
    cached: int = 0
    pending: int = 0
    unusable: int = 0
    errors: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    unpriced_calls: int = 0
    estimated_calls: int = 0
    preview_calls: int = 0
    preview_tokens: int = 0
    preview_usd: float = 0.0
    p50_ms: float | None = None
    last_error_at: datetime | None = None
    last_error: str | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorBill:
    """The questions of one evaluator to a judge, with its own `budget`; `standing` is None if it is not configured."""

    evaluator: str
    bill: Bill
    budget: Budget
    standing: Standing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStanding:
    """A judge: the models that it uses, its limits by the names of LIMITS, and its evaluators by name.

    `is_configured` is false if it was asked today but is not in the configuration. `bill` is that of production, with
    which the limits are compared; `bill_of_experiments` is apart, and has the same limits for all experiments together.
    """

    judge: str
    is_configured: bool
    models: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    bill: Bill = Bill()
    bill_of_experiments: Bill = Bill()
    evaluators: tuple[EvaluatorBill, ...] = ()

    @property
    def deferred(self) -> list[Standing]:
        """The standings of its evaluators with deferred targets, by time of the next attempt."""
        standings = [bill.standing for bill in self.evaluators if bill.standing and bill.standing.deferred_until]
        return sorted(standings, key=lambda standing: standing.deferred_until or datetime.max)  # noqa: DTZ901 - never used


def read_judge_standings(
    read: Read, judges: Mapping[str, Judge], standings: Sequence[Standing], *, since: datetime
) -> list[JudgeStanding]:
    """Read the standing of each judge that is configured, named by an evaluator, or was asked since `since`, by name.

    `judges` are the settings by name; `standings` are those of all evaluators, with or without a judge.
    """
    rows = all_rows(read, report("judges"), since=since.isoformat())
    asking = [standing for standing in standings if standing.evaluator.asks is not None]
    names = {*judges, *(row["judge"] for row in rows), *(standing.evaluator.asks for standing in asking)}
    return [
        _build_standing(
            name,
            judges.get(name),
            [row for row in rows if row["judge"] == name],
            [standing for standing in asking if standing.evaluator.asks == name],
        )
        for name in sorted(filter(None, names))
    ]


def _build_standing(
    name: str, judge: Judge | None, rows: Sequence[Mapping[str, Any]], asking: Sequence[Standing]
) -> JudgeStanding:
    bills = {row["evaluator"]: _build_bill(row) for row in rows if not row["is_experiment"]}
    of_experiments = [_build_bill(row) for row in rows if row["is_experiment"] and row["evaluator"] is None]
    total = bills.pop(None, Bill())
    models = {model for row in rows for model in row["models"]} or ({judge.called} if judge else set())
    standings = {standing.evaluator.name: standing for standing in asking}
    evaluators = sorted({*bills, *standings})
    limits = judge.model_dump(include=set(LIMITS), exclude_none=True) if judge else {}
    return JudgeStanding(
        judge=name,
        is_configured=judge is not None,
        models=tuple(sorted(models)),
        limits=limits,
        bill=total,
        bill_of_experiments=next(iter(of_experiments), Bill()),
        evaluators=tuple(_build_evaluator_bill(name, bills, standings) for name in evaluators),
    )


def _build_evaluator_bill(name: str, bills: Mapping[str, Bill], standings: Mapping[str, Standing]) -> EvaluatorBill:
    standing = standings.get(name)
    budget = standing.evaluator.budget if standing else Budget()
    return EvaluatorBill(evaluator=name, bill=bills.get(name, Bill()), budget=budget, standing=standing)


def _build_bill(row: Mapping[str, Any]) -> Bill:
    return Bill(**{name: row[name] for name in Bill.__slots__})
