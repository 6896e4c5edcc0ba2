"""Evaluators over HTTP: their state, what waits for them, and what they have scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from tracegrade.evaluators.text.suggestions import hint, most_similar

from ..catalog import report
from ..ports import RunningEvaluator
from .api import Api
from .endpoint import Call, endpoint
from .problem import Details
from .refusal import Refusal
from .window import AgentVersion, Period, Window

__all__ = ["show_evaluator", "show_evaluators"]

Row = Mapping[str, Any]

_MOST_ROWS: Final = 1_000


class Rates(BaseModel):
    """Active scores on runs, their calls and sub-agents. A rate or mean is null if there is nothing to count.

    `pass_rate` is over `n_decided` scores that say whether the target passed, `mean` over `n_valued` with a value,
    `cost_usd` the sum over `n_priced` with a known cost.
    """

    scored: int
    skipped: int
    errors: int
    n_decided: int
    pass_rate: float | None
    n_valued: int
    mean: float | None
    n_priced: int
    cost_usd: float | None


class EvaluatorWithRates(RunningEvaluator):
    """An evaluator with the rates of its scores in the period."""

    rates: Rates


class Evaluators(Period):
    """The evaluators that the server runs, in the order of the configuration."""

    evaluators: list[EvaluatorWithRates]


class VersionRates(Rates, AgentVersion):
    """The rates on the runs of one version of an agent."""


class EvaluatorByVersion(EvaluatorWithRates, Period):
    """An evaluator with the rates of its scores, by version of the agent."""

    versions: list[VersionRates]


@endpoint(
    "GET", "/api/v1/evaluators", "the evaluators that run: state, backlog, rates", query=Window, answer=Evaluators
)
async def show_evaluators(api: Api, call: Call) -> Evaluators:
    """Answer with every evaluator of the configuration."""
    running = await api.list_evaluators()
    period, rows = await _read_rates(api, call.query(Window), [each.name for each in running], by_version=False)
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row["evaluator"], []).append(row)
    evaluators = [
        EvaluatorWithRates(**dict(evaluator), rates=Rates(**_sum_rates(by_name.get(evaluator.name, ()))))
        for evaluator in running
    ]
    return Evaluators(**dict(period), evaluators=evaluators)


@endpoint(
    "GET",
    "/api/v1/evaluators/{name:path}",
    "an evaluator: state, backlog, rates by version of the agent",
    query=Window,
    answer=EvaluatorByVersion,
)
async def show_evaluator(api: Api, call: Call) -> EvaluatorByVersion:
    """Answer with one evaluator of the configuration."""
    evaluator = _find(await api.list_evaluators(), call.path("name"))
    period, rows = await _read_rates(api, call.query(Window), [evaluator.name], by_version=True)
    versions = [
        VersionRates(agent=row["agent"], agent_version=row["agent_version"], **_sum_rates([row])) for row in rows
    ]
    rates = Rates(**_sum_rates(rows))
    return EvaluatorByVersion(**dict(period), **dict(evaluator), rates=rates, versions=versions)


async def _read_rates(
    api: Api, window: Window, evaluators: Sequence[str], *, by_version: bool
) -> tuple[Period, list[dict[str, Any]]]:
    period = window.find_period()
    return period, await api.rows(
        report("rates_of_evaluators"),
        evaluators=evaluators,
        by_version=by_version,
        limit=_MOST_ROWS,
        service=None,
        **window.parameters(period),
    )


def _find(running: Iterable[RunningEvaluator], name: str) -> RunningEvaluator:
    by_name = {evaluator.name: evaluator for evaluator in running}
    if name not in by_name:
        names = sorted(by_name)
        text = f"the configuration has no evaluator named {name[:200]!r}{hint(name, names)}"
        raise Refusal(404, "not_found", text, details=Details(near=most_similar(name, names)))
    return by_name[name]


def _sum_rates(rows: Iterable[Row]) -> dict[str, Any]:
    def total(column: str) -> Any:
        return sum(row[column] for row in rows if row[column] is not None)

    decided, valued, priced = total("passed") + total("failed"), total("valued"), total("priced")
    return {
        "scored": total("scored"),
        "skipped": total("skipped"),
        "errors": total("errors"),
        "n_decided": decided,
        "pass_rate": total("passed") / decided if decided else None,
        "n_valued": valued,
        "mean": total("value_sum") / valued if valued else None,
        "n_priced": priced,
        "cost_usd": total("cost_usd") if priced else None,
    }
