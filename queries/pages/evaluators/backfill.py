"""Evaluation of past runs: says how many and for how much, then asks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from starlette.responses import Response

from tracegrade.evaluators.text.times import parse_time

from ...catalog import report
from ...ports import Backfill, RunningEvaluator
from ..confirmation import DONE, describe_request, write_confirmation
from ..errors import PageError, as_sentence
from ..page import page
from ..selection import format_url_time
from ..visit import Visit
from .chosen import CHOSEN, write_where

__all__ = ["ask_for_backfill", "begin_backfill"]

_USUAL: Final = "7d"
_BAD_REQUEST: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What a backfill would request. `usd` is None if no price is known."""

    since: datetime
    until: datetime
    again: bool
    targets: int
    scored: int
    queued: int
    requested: int
    usd: float | None


@page("GET", "/evaluators/{name:path}/backfill", parameters=("past", "again"))
async def ask_for_backfill(visit: Visit) -> Response:
    """Say what a backfill would request, and ask whether to."""
    running = await _find(visit)
    plan = await _plan(visit, running)
    return visit.render(
        "evaluators/backfill.html",
        running=running,
        plan=plan,
        past=visit.query("past") or _USUAL,
        write=format_url_time,
    )


@page("POST", "/evaluators/{name:path}/backfill", parameters=())
async def begin_backfill(visit: Visit) -> Response:
    """Request the backfill that the reader was shown."""
    fields = await visit.form()
    running = await _find(visit)
    since, until = (_read_time("".join(fields.get(each, [])), visit.site.now()) for each in ("from", "until"))
    again = "again" in fields
    where = write_where(visit.selection)
    request = Backfill(since=since, until=until, evaluators=(running.name,), where=where, again=again)
    api = visit.site.api
    summary = await api.backfills.run(lambda: api.commands.backfill(request))
    done = {DONE: write_confirmation("backfill", *describe_request(summary))}
    return visit.redirect(visit.links.to("evaluators", running.name, **done))


async def _find(visit: Visit) -> RunningEvaluator:
    name = visit.path("name")
    found = next((each for each in await visit.site.api.list_evaluators() if each.name == name), None)
    if found is None:
        raise PageError(
            404,
            f"The configuration has no evaluator named {name[:200]!r}",
            "Only those of the configuration can evaluate past runs.",
            link=(visit.links.to("evaluators"), "All evaluators"),
        )
    if found.scope == "tool":
        raise PageError(
            _BAD_REQUEST,
            "It scores definitions of tools",
            "Each is scored as soon as it is known, so that none is left to evaluate.",
        )
    return found


async def _plan(visit: Visit, running: RunningEvaluator) -> _Plan:
    now = visit.site.now()
    since = _read_time(visit.query("past") or _USUAL, now)
    until = now.replace(second=0, microsecond=0)
    again = visit.query("again") is not None
    if since >= until:
        raise PageError(
            _BAD_REQUEST, "This period begins in the future", "Write when the runs began: 7d, 12h, 2026-01-31."
        )
    row = await _read(visit, running, since=since, until=until, again=again)
    price = None if running.judge is None else row["usd_a_target"]
    usd = None if price is None else price * row["requested"]
    counts = {name: row[name] for name in ("targets", "scored", "queued", "requested")}
    return _Plan(since=since, until=until, again=again, usd=usd, **counts)


async def _read(visit: Visit, running: RunningEvaluator, **period: Any) -> dict[str, Any]:
    (row,) = await visit.site.api.rows(
        report("backfill_plan", condition=CHOSEN),
        evaluator=running.name,
        evaluator_version=running.version,
        config_hash=running.config_hash,
        scope=running.scope,
        now=visit.site.now(),
        **visit.selection.names,
        **period,
    )
    return row


def _read_time(text: str, now: datetime) -> datetime:
    try:
        return parse_time(text, now)
    except (ValueError, OverflowError) as error:
        raise PageError(_BAD_REQUEST, "This period cannot be read", as_sentence(error)) from error
