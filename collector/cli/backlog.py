"""`tracegrade backlog`: how far behind each evaluator is, one line per evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.table import Column, Table
from rich.text import Text

from ..clock import utc_now
from ..config.settings import evaluators_of
from ..reports.backlog import Standing, read_standings
from ..reports.reasons import describe_deferred
from .configured_source import open_configured_source
from .console import console, plain, print_json

__all__ = ["backlog"]

_UNITS_S = (("d", 86400), ("h", 3600), ("m", 60))


def backlog(*, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    with open_configured_source(config, store=store, server=server) as (settings, source):
        standings = read_standings(source.read, evaluators_of(settings))
    now = utc_now()
    if as_json:
        print_json([_build_json(standing, now) for standing in standings])
    else:
        _show(standings, now)
    return 0


def _build_json(standing: Standing, now: datetime) -> dict[str, Any]:
    return {
        "evaluator": standing.evaluator.name,
        "scope": standing.evaluator.scope,
        "state": standing.state(now),
        "next_at": standing.opens_at(now),
        "paused_at": standing.paused_at,
        "enrolled_at": standing.enrolled_at,
        "new": standing.new,
        "deferred": standing.deferred,
        "deferred_reason": standing.deferred_reason,
        "deferred_until": standing.deferred_until,
        "backfill": standing.backfill,
        "lag_s": standing.lag_s(now),
        "last_pass": {"started_at": standing.last_at, "due": standing.last_due, "errors": standing.last_errors}
        if standing.last_at
        else None,
    }


def _show(standings: Sequence[Standing], now: datetime) -> None:
    numbers = [Column(name, justify="right") for name in ("new", "deferred", "backfill", "behind")]
    texts = [Column(name, no_wrap=True) for name in ("evaluator", "state", "last pass")]
    table = Table(*texts[:2], *numbers, texts[2], box=None, pad_edge=False)
    for standing in standings:
        lag_s = standing.lag_s(now)
        table.add_row(
            Text(standing.evaluator.name),
            _format_state(standing, now),
            f"{standing.new:,}",
            f"{standing.deferred:,}",
            f"{standing.backfill:,}",
            "?" if lag_s is None else _format_duration(lag_s),
            _format_last_pass(standing, now),
        )
    console().print(table)
    for standing in standings:
        if deferred := describe_deferred(standing):
            console().print(plain(f"{standing.evaluator.name}: {deferred}"), soft_wrap=True)


def _format_state(standing: Standing, now: datetime) -> str:
    state = standing.state(now)
    if state == "paused" and standing.paused_at:
        return f"paused {_format_time_between(standing.paused_at, now)}"
    opens_at = standing.opens_at(now)
    return f"in {_format_time_between(now, opens_at)}" if state == "scheduled" and opens_at else state


def _format_last_pass(standing: Standing, now: datetime) -> str:
    if standing.last_at is None:
        return "-"
    errors = f", {standing.last_errors} errors" if standing.last_errors else ""
    return f"{_format_time_between(standing.last_at, now)} ago: {standing.last_due}{errors}"


def _format_time_between(earlier: datetime, later: datetime) -> str:
    return _format_duration(max(0.0, (later - earlier).total_seconds()))


def _format_duration(seconds: float) -> str:
    """Format a duration in the largest unit that fits: 40s, 3m, 2h, 5d."""
    return next((f"{seconds / size:.0f}{unit}" for unit, size in _UNITS_S if seconds >= size), f"{seconds:.0f}s")
