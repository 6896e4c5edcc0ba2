"""What each judge was asked today and what that cost, what its limits leave, and what waits for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tracegrade.evaluators.definition.registry import Budget
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from .backlog import Standing

__all__ = ["LIMITS", "Bill", "EvaluatorBill", "JudgeStanding", "judge_standings"]

LIMITS = ("usd_per_day", "tokens_per_day", "requests_per_minute", "tokens_per_minute", "concurrency")
"""The settings of a judge that bound what it may spend and how fast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What was asked since the day began (UTC). `calls` were put to the judge; `cached` were not: it was known.

    `unusable` were answered with what is no score, `errors` not at all; `unpriced_calls` have tokens and no
    price; those of `estimated_calls` nobody has counted. `cost_usd` leaves the unpriced out: None where no price
    of a paid call is known.
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
    p50_ms: float | None = None
    last_error_at: datetime | None = None
    last_error: str | None = None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorBill:
    """What one evaluator asked of a judge, within its own `budget`; `standing` is None where it is not configured."""

    evaluator: str
    bill: Bill
    budget: Budget
    standing: Standing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeStanding:
    """A judge: the models it asked or would ask, its limits by the names of LIMITS, and its evaluators by name.

    `is_configured` is false where it was asked today and the configuration does not name it.
    """

    judge: str
    is_configured: bool
    models: tuple[str, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict)
    bill: Bill = Bill()
    evaluators: tuple[EvaluatorBill, ...] = ()

    @property
    def put_off(self) -> list[Standing]:
        """Its evaluators that put something off, the first to look again first."""
        found = [one.standing for one in self.evaluators if one.standing and one.standing.put_off_until]
        return sorted(found, key=lambda standing: standing.put_off_until or datetime.max)  # noqa: DTZ901 - never used


def judge_standings(
    read: Read, judges: Mapping[str, Judge], standings: Sequence[Standing], *, since: datetime
) -> list[JudgeStanding]:
    """Every judge that is configured, asked for by an evaluator, or was asked since the day began, by name.

    `judges` are the settings by name; `standings` those of all evaluators, of which only such count as ask.
    """
    rows = all_rows(read, report("judges"), since=since.isoformat())
    asking = [one for one in standings if one.evaluator.asks is not None]
    names = {*judges, *(row["judge"] for row in rows), *(one.evaluator.asks for one in asking)}
    return [
        _standing(
            name,
            judges.get(name),
            [row for row in rows if row["judge"] == name],
            [one for one in asking if one.evaluator.asks == name],
        )
        for name in sorted(filter(None, names))
    ]


def _standing(
    name: str, judge: Judge | None, rows: Iterable[Mapping[str, Any]], asking: Sequence[Standing]
) -> JudgeStanding:
    bills = {row["evaluator"]: _bill(row) for row in rows}
    models = {model for row in rows for model in row["models"]} or ({judge.called} if judge else set())
    standing = {one.evaluator.name: one for one in asking}
    limits = judge.model_dump(include=set(LIMITS), exclude_none=True) if judge else {}
    return JudgeStanding(
        judge=name,
        is_configured=judge is not None,
        models=tuple(sorted(models)),
        limits=limits,
        bill=bills.pop(None, Bill()),
        evaluators=tuple(_of_evaluator(one, bills, standing) for one in sorted({*bills, *standing})),
    )


def _of_evaluator(name: str, bills: Mapping[str, Bill], standing: Mapping[str, Standing]) -> EvaluatorBill:
    known = standing.get(name)
    budget = known.evaluator.budget if known else Budget()
    return EvaluatorBill(evaluator=name, bill=bills.get(name, Bill()), budget=budget, standing=known)


def _bill(row: Mapping[str, Any]) -> Bill:
    return Bill(**{name: row[name] for name in Bill.__slots__})
