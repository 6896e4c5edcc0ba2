"""The page of one tool: how it is used, what goes wrong, with which arguments, and how it was defined."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any, Final

from starlette.responses import Response

from tracegrade.evaluators.text.suggestions import nearest

from ...catalog import report
from ...filter import quote
from ...read.timeline import find_step
from ...read.window import BEGINNING
from ..charts.bars import BarChart, lay_out_bars
from ..charts.bars import Step as Bar
from ..choices import read_choices
from ..errors import PageError
from ..page import page
from ..selection import format_url_time
from ..timeline import list_begins
from ..visit import Visit
from .cards import ToolCard, link_runs, read_cards, select
from .definitions import list_definitions

__all__ = ["show_tool"]

_MOST: Final = 20
_MOST_DEFINITIONS: Final = 30
_MOST_VALUES: Final = 100
_MOST_NAMES: Final = 1_000
_KINDS: Final[Mapping[str, str]] = {"error": "✗ a call failed", "passed": "✓ no call failed"}


@page("GET", "/tools/{name:path}", parameters=())
async def show_tool(visit: Visit) -> Response:
    """Show a tool that any run ever called or offered."""
    name, api, chosen = visit.path("name"), visit.site.api, select(visit)
    definitions, scores, (cards, _), versions, faults, arguments = await asyncio.gather(
        api.rows(report("history_of_tool"), **chosen, name=name, limit=_MOST_DEFINITIONS),
        api.rows(report("scores_of_definitions"), tools=[name], newest=_MOST_DEFINITIONS),
        read_cards(visit, name),
        _read_versions(visit, name),
        api.rows(report("faults_of_tool"), **chosen, name=name, limit=_MOST),
        api.rows(report("arguments_of_tool"), **chosen, name=name, limit=_MOST_VALUES),
    )
    if not definitions and not cards:
        await _require_tool(visit, name)
    return visit.render(
        "tools/tool.html",
        choices=await read_choices(visit),
        card=next(iter(cards), ToolCard(tool=name, links=link_runs(visit.links, name))),
        chart=await _read_chart(visit, name),
        kinds=_KINDS,
        versions=versions,
        faults=[{**row, "link": visit.links.to("runs", q=f"pattern:{row['pattern_id']}")} for row in faults],
        arguments=_group_arguments(visit, name, arguments),
        definitions=list_definitions(definitions, scores),
    )


async def _require_tool(visit: Visit, name: str) -> None:
    """Raise PageError if no run ever called or offered the tool."""
    api = visit.site.api
    everything = dict.fromkeys(("since", "until", "agent", "version", "environment", "search"))
    if await api.rows(report("tool_rates"), name=name, by_version=False, limit=1, **everything):
        return
    names = [row["tool"] for row in await api.rows(report("tool_names"), name=name, limit=_MOST_NAMES)]
    if name not in names:
        advice = f"No run has called or offered a tool named {name[:200]!r}{nearest(name, names)}."
        raise PageError(404, "There is no such tool", advice, link=(visit.links.to("tools"), "All tools"))


async def _read_versions(visit: Visit, name: str) -> list[dict[str, Any]]:
    """Return the use by agent and its version, with links to the runs."""
    chosen = select(visit)
    rows = await visit.site.api.rows(report("tool_versions"), **chosen, name=name, limit=_MOST)
    return [{**row, "links": _link_version(visit, name, row)} for row in rows]


def _link_version(visit: Visit, name: str, row: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the lists of the runs of a version; None if it was not recorded, since no filter selects these."""
    if row["agent"] is None or row["agent_version"] is None:
        return None
    term = f"tool:{quote(name)}"
    about = {"agent": row["agent"], "version": row["agent_version"]}
    return {state: visit.links.to("runs", q=f"{term}:{state}", **about) for state in ("invalid", "fault")}


async def _read_chart(visit: Visit, name: str) -> BarChart | None:
    """Return the runs that called the tool over time; None if there are none."""
    window = visit.window
    step = find_step(window.since, window.until)
    rows = await visit.site.api.rows(report("tool_runs_over_time"), **select(visit), name=name, step=step)
    if not rows:
        return None
    begin = rows[0]["begin"] if window.since == BEGINNING else window.since
    counted = {row["begin"]: row for row in rows}
    begins = [*list_begins(step, begin, window.until), window.until]
    bars = [_make_bar(visit, name, (start, end), counted.get(start)) for start, end in pairwise(begins)]
    return lay_out_bars(bars)


def _make_bar(visit: Visit, name: str, period: tuple[datetime, datetime], row: Mapping[str, Any] | None) -> Bar:
    runs, failed = (row["runs"], row["failed_runs"]) if row else (0, 0)
    label = f"{period[0]:%Y-%m-%d %H:%M}"
    begin = max(period[0], visit.window.since)  # the first day is counted in part
    times = {"since": None, "from_": format_url_time(begin), "to": format_url_time(period[1])}
    link = visit.links.to("runs", q=f"tool:{quote(name)}", **times)
    title = f"{label} UTC: {runs:,} runs called it, in {failed:,} of them a call failed"
    return Bar(label, {"error": failed, "passed": runs - failed}, title, link)


def _group_arguments(visit: Visit, name: str, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the arguments, each with its most frequent values."""
    linked = [{**row, "link": _link_calls(visit, name, row)} for row in rows]
    grouped = [list(group) for _, group in groupby(linked, key=lambda row: row["argument"])]
    return [{**values[0], "values": values} for values in grouped]


def _link_calls(visit: Visit, name: str, row: Mapping[str, Any]) -> str | None:
    """Return a link to the calls with a value; None if only its beginning is known."""
    if row["is_cut"]:
        return None
    about = {"tool": name, "argument": row["argument"], "value": row["value"]}
    return visit.links.to("sql", report="calls_with", **about)
