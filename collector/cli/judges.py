"""`tracegrade judges`: what each judge was asked today, what it cost, and what is deferred."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.text.messages import counted

from ..client.settings import load_settings
from ..client.source import open_source
from ..config.settings import evaluators_of, judges_of
from ..reports.backlog import standings
from ..reports.reasons import put_off_by, told_at
from ..reports.spending import Bill, EvaluatorBill, JudgeStanding, judge_standings
from .console import console, plain, print_json
from .format_usd import dollars

__all__ = ["judges"]

_SHORT = 160
_PACES = {
    "concurrency": "{:,} at once",
    "requests_per_minute": "{:,g} a minute",
    "tokens_per_minute": "{:,g} tokens a minute",
}


def judges(*, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    settings = load_settings(config, store=store)
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    with open_source(settings, server) as source:
        asking = standings(source.read, evaluators_of(settings))
        found = judge_standings(source.read, judges_of(settings), asking, since=day)
    if as_json:
        told = [_told(one) for one in found]
        print_json(told)
    elif found:
        _show(found)
    else:
        console().print("no judge is configured, and none was asked today")
    return 0


def _told(one: JudgeStanding) -> dict[str, Any]:
    return {
        "judge": one.judge,
        "is_configured": one.is_configured,
        "models": one.models,
        "limits": dict(one.limits),
        **asdict(one.bill),
        "evaluators": [_of_evaluator(each) for each in one.evaluators],
    }


def _of_evaluator(one: EvaluatorBill) -> dict[str, Any]:
    standing = one.standing
    return {
        "evaluator": one.evaluator,
        "is_configured": standing is not None,
        "limits": {name: value for name, value in asdict(one.budget).items() if value is not None},
        **asdict(one.bill),
        "new": standing.new if standing else None,
        "put_off": standing.put_off if standing else None,
        "put_off_reason": standing.put_off_reason if standing else None,
        "put_off_until": standing.put_off_until if standing else None,
        "backfill": standing.backfill if standing else None,
    }


def _show(found: Sequence[JudgeStanding]) -> None:
    console().print(_table(found))
    for one in found:
        for remark in _remarks(one):
            console().print(plain(remark), soft_wrap=True)


def _table(found: Sequence[JudgeStanding]) -> Table:
    """Build one row per judge, and one per evaluator that asks it."""
    numbers = ("calls", "cached", "tokens", "cost", "p50", "failed", "waiting")
    right = [Column(name, justify="right", no_wrap=True) for name in numbers]
    table = Table(Column("today (UTC)", overflow="fold"), *right, box=None, pad_edge=False)
    for one in found:
        waiting = [each.standing.waiting if each.standing else 0 for each in one.evaluators]
        table.add_row(Text(one.judge, "bold"), *_cells(one.bill, sum(waiting)))
        for each, count in zip(one.evaluators, waiting, strict=True):
            table.add_row(Text(f"  {each.evaluator}"), *_cells(each.bill, count))
    return table


def _cells(bill: Bill, waiting: int) -> Iterator[str]:
    yield f"{bill.calls:,}"
    yield f"{bill.cached:,}"
    yield f"{bill.tokens:,}"
    yield _cost(bill)
    yield "-" if bill.p50_ms is None else _took(bill.p50_ms)
    yield f"{bill.unusable + bill.errors:,}"
    yield f"{waiting:,}"


def _cost(bill: Bill) -> str:
    """Format the cost, marked with `?` if the price of a part is unknown."""
    if bill.cost_usd is None:
        return "?"
    return dollars(bill.cost_usd) + (" + ?" if bill.unpriced_calls else "")


def _share(bill: Bill, limits: Mapping[str, float | None]) -> str:
    """Format the used share of the day's limits; empty if there are none."""
    told = []
    for spent, limit, shown in (
        (bill.cost_usd, limits.get("usd_per_day"), "${:,g}"),
        (bill.tokens, limits.get("tokens_per_day"), "{:,} tokens"),
    ):
        if limit is not None:
            told.append(_share_of(spent, limit, shown.format(limit)))
    return ", ".join(told)


def _share_of(spent: float | None, limit: float, shown: str) -> str:
    if not limit:
        return f"the day's limit is {shown}"
    if spent is None:
        return f"? of the day's {shown} (unknown price)"
    return f"{spent / limit:.0%} of the day's {shown}"


def _took(duration_ms: float) -> str:
    return f"{duration_ms:.0f} ms" if duration_ms < 1000 else f"{duration_ms / 1000:.1f} s"


def _remarks(one: JudgeStanding) -> Iterator[str]:
    """Describe the judge, its limits, and problems that need attention."""
    bill = one.bill
    facts = (
        ", ".join(one.models),
        "" if one.is_configured else "not in the configuration",
        _share(bill, one.limits),
        _pace(one.limits),
        f"{bill.pending:,} pending in batches" if bill.pending else "",
    )
    yield f"{one.judge}: {'; '.join(filter(None, facts)) or 'no limits'}"
    for each in one.evaluators:
        if share := _share(each.bill, asdict(each.budget)):
            yield f"{each.evaluator}: {share}"
    if bill.unpriced_calls:
        calls = counted(bill.unpriced_calls, "call")
        yield f"{one.judge}: the price of {calls} is unknown, so limits in USD do not include it"
    if bill.estimated_calls:
        calls = counted(bill.estimated_calls, "call")
        yield f"{one.judge}: the tokens of {calls} were not reported: estimated at four characters per token"
    if bill.last_error_at:
        said = " ".join((bill.last_error or "no details").split())[:_SHORT]
        counts = f"{bill.errors:,} without an answer, {bill.unusable:,} with an unusable answer"
        yield f"{one.judge}: {counts}; the last at {told_at(bill.last_error_at)}: {said}"
    for standing in one.put_off:
        yield f"{standing.evaluator.name}: {put_off_by(standing)}"


def _pace(limits: Mapping[str, float]) -> str:
    return ", ".join(f"at most {text.format(limits[name])}" for name, text in _PACES.items() if name in limits)
