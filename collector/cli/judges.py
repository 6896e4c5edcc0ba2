"""`tracegrade judges`: calls and costs of each judge today, and deferred evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.text.messages import counted

from ..clock import format_time
from ..config.settings import evaluators_of, judges_of
from ..reports.backlog import read_standings
from ..reports.reasons import describe_deferred
from ..reports.spending import Bill, EvaluatorBill, JudgeStanding, read_judge_standings
from .configured_source import open_configured_source
from .console import console, plain, print_json
from .format_usd import format_usd

__all__ = ["judges"]

_SHORT = 160
_PACES = {
    "concurrency": "{:,} at once",
    "requests_per_minute": "{:,g} a minute",
    "tokens_per_minute": "{:,g} tokens a minute",
}


def judges(*, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    with open_configured_source(config, store=store, server=server) as (settings, source):
        standings = read_standings(source.read, evaluators_of(settings))
        judges = read_judge_standings(source.read, judges_of(settings), standings, since=day)
    if as_json:
        print_json([_build_json(judge) for judge in judges])
    elif judges:
        _show(judges)
    else:
        console().print("no judge is configured, and none was asked today")
    return 0


def _build_json(judge: JudgeStanding) -> dict[str, Any]:
    return {
        "judge": judge.judge,
        "is_configured": judge.is_configured,
        "models": judge.models,
        "limits": dict(judge.limits),
        **asdict(judge.bill),
        "experiments": asdict(judge.bill_of_experiments),
        "evaluators": [_build_evaluator_json(evaluator) for evaluator in judge.evaluators],
    }


def _build_evaluator_json(evaluator: EvaluatorBill) -> dict[str, Any]:
    standing = evaluator.standing
    return {
        "evaluator": evaluator.evaluator,
        "is_configured": standing is not None,
        "limits": {name: value for name, value in asdict(evaluator.budget).items() if value is not None},
        **asdict(evaluator.bill),
        "new": standing.new if standing else None,
        "deferred": standing.deferred if standing else None,
        "deferred_reason": standing.deferred_reason if standing else None,
        "deferred_until": standing.deferred_until if standing else None,
        "backfill": standing.backfill if standing else None,
    }


def _show(judges: Sequence[JudgeStanding]) -> None:
    console().print(_build_table(judges))
    for judge in judges:
        for remark in _list_remarks(judge):
            console().print(plain(remark), soft_wrap=True)


def _build_table(judges: Sequence[JudgeStanding]) -> Table:
    """Build a table with a row per judge, one per evaluator that asks it, and one for experiments, which are apart."""
    numbers = ("calls", "cached", "tokens", "cost", "p50", "failed", "waiting")
    right = [Column(name, justify="right", no_wrap=True) for name in numbers]
    table = Table(Column("today (UTC)", overflow="fold"), *right, box=None, pad_edge=False)
    for judge in judges:
        waiting = [evaluator.standing.waiting if evaluator.standing else 0 for evaluator in judge.evaluators]
        table.add_row(Text(judge.judge, "bold"), *_format_cells(judge.bill, sum(waiting)))
        for evaluator, count in zip(judge.evaluators, waiting, strict=True):
            table.add_row(Text(f"  {evaluator.evaluator}"), *_format_cells(evaluator.bill, count))
        if judge.bill_of_experiments != Bill():
            table.add_row(Text("  experiments", "italic"), *_format_cells(judge.bill_of_experiments, 0))
    return table


def _format_cells(bill: Bill, waiting: int) -> Iterator[str]:
    yield f"{bill.calls:,}"
    yield f"{bill.cached:,}"
    yield f"{bill.tokens:,}"
    yield _format_cost(bill)
    yield "-" if bill.p50_ms is None else _format_duration(bill.p50_ms)
    yield f"{bill.unusable + bill.errors:,}"
    yield f"{waiting:,}"


def _format_cost(bill: Bill) -> str:
    """Format the cost, marked with `?` if the price of a part is unknown."""
    if bill.cost_usd is None:
        return "?"
    return format_usd(bill.cost_usd) + (" + ?" if bill.unpriced_calls else "")


def _format_shares(bill: Bill, limits: Mapping[str, float | None]) -> str:
    """Format the used share of the day's limits; empty if there are none."""
    shares = []
    for spent, limit, unit in (
        (bill.cost_usd, limits.get("usd_per_day"), "${:,g}"),
        (bill.tokens, limits.get("tokens_per_day"), "{:,} tokens"),
    ):
        if limit is not None:
            shares.append(_format_share(spent, limit, unit.format(limit)))
    return ", ".join(shares)


def _format_share(spent: float | None, limit: float, amount: str) -> str:
    if not limit:
        return f"the day's limit is {amount}"
    if spent is None:
        return f"? of the day's {amount} (unknown price)"
    return f"{spent / limit:.0%} of the day's {amount}"


def _format_duration(duration_ms: float) -> str:
    return f"{duration_ms:.0f} ms" if duration_ms < 1000 else f"{duration_ms / 1000:.1f} s"


def _list_remarks(judge: JudgeStanding) -> Iterator[str]:
    """Describe the judge, its limits, and problems that need attention."""
    bill = judge.bill
    facts = (
        ", ".join(judge.models),
        "" if judge.is_configured else "not in the configuration",
        _format_shares(bill, judge.limits),
        _format_pace(judge.limits),
        f"{bill.pending:,} pending in batches" if bill.pending else "",
    )
    yield f"{judge.judge}: {'; '.join(filter(None, facts)) or 'no limits'}"
    if share := judge.bill_of_experiments != Bill() and _format_shares(judge.bill_of_experiments, judge.limits):
        yield f"{judge.judge}, in experiments: {share}"
    if bill.preview_calls:
        spent = replace(bill, cost_usd=bill.preview_usd, input_tokens=bill.preview_tokens, output_tokens=0)
        share = _format_shares(spent, judge.limits) or format_usd(bill.preview_usd)
        yield f"{judge.judge}, in previews: {counted(bill.preview_calls, 'call')}, {share}"
    for evaluator in judge.evaluators:
        if share := _format_shares(evaluator.bill, asdict(evaluator.budget)):
            yield f"{evaluator.evaluator}: {share}"
    if bill.unpriced_calls:
        calls = counted(bill.unpriced_calls, "call")
        yield f"{judge.judge}: the price of {calls} is unknown, so limits in USD do not include it"
    if bill.estimated_calls:
        calls = counted(bill.estimated_calls, "call")
        yield f"{judge.judge}: the tokens of {calls} were not reported: estimated at four characters per token"
    if bill.last_error_at:
        error = " ".join((bill.last_error or "no details").split())[:_SHORT]
        counts = f"{bill.errors:,} without an answer, {bill.unusable:,} with an unusable answer"
        yield f"{judge.judge}: {counts}; the last at {format_time(bill.last_error_at)}: {error}"
    for standing in judge.deferred:
        yield f"{standing.evaluator.name}: {describe_deferred(standing)}"


def _format_pace(limits: Mapping[str, float]) -> str:
    return ", ".join(f"at most {text.format(limits[name])}" for name, text in _PACES.items() if name in limits)
