"""Scorecards of tools: how often each is called and fails, and of how many failing runs it was the first fault."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...catalog import report
from ...filter import TOOL_STATES, quote
from ..charts.sparkline import Sparkline, lay_out_sparkline
from ..links import Links
from ..visit import Visit
from .findings import DefinitionScore, read_definition_score

__all__ = ["MOST_TOOLS", "ToolCard", "link_runs", "read_cards", "select"]

MOST_TOOLS: Final = 50

_PARTS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCard:
    """The scorecard of a tool in a period.

    Numbers of runs are those of the lists under `links`: of the runs that called the tool, and by state of the filter
    of runs. `calls` and `errors` are numbers of calls. `spark` is the share of calls that failed; None: not called.
    `lint` are the scores on its newest definition.
    """

    tool: str
    runs: int = 0
    failed_runs: int = 0
    invalid_runs: int = 0
    fault_runs: int = 0
    failing_runs: int = 0
    calls: int = 0
    errors: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    spark: Sparkline | None = None
    worst_rate: float | None = None
    lint: Sequence[DefinitionScore] = ()
    links: Mapping[str, str]

    @property
    def findings(self) -> list[str]:
        """What the evaluators of definitions find."""
        return [finding for score in self.lint for finding in score.findings]

    @property
    def has_failing_definition(self) -> bool:
        return any(score.passed is False for score in self.lint)


async def read_cards(visit: Visit, name: str | None = None, *, search: str | None = None) -> tuple[list[ToolCard], int]:
    """Return the scorecards of tools that were called in the chosen period, or of one of them, those first that most
    failing runs failed by; and how many tools were called whose name contains `search`."""
    api, chosen = visit.site.api, select(visit)
    runs = await api.rows(report("runs_with_tools"), **chosen, name=name, search=search, limit=MOST_TOOLS)
    tools = [row["tool"] for row in runs] if name is None else [name]
    calls, durations, scores = await asyncio.gather(
        api.rows(report("calls_by_tool"), **chosen, tools=tools),
        api.rows(report("durations_by_tool"), **chosen, tools=tools),
        api.rows(report("scores_of_definitions"), tools=tools, newest=1),
    )
    total = runs[0]["total"] if runs else 0
    values: dict[str, dict[str, Any]] = {}
    for row in (*({column: row[column] for column in row if column != "total"} for row in runs), *map(_draw, calls)):
        values.setdefault(row["tool"], {}).update(row)
    for row in durations:
        if row["tool"] in values:
            values[row["tool"]].update(row)
    lint = _group_newest(scores)
    cards = [
        ToolCard(**row, lint=lint.get(tool, ()), links=link_runs(visit.links, tool)) for tool, row in values.items()
    ]
    return cards, total


def select(visit: Visit) -> dict[str, Any]:
    """Return the chosen period and names as parameters of statements."""
    return {"since": visit.window.since, "until": visit.window.until, **visit.selection.names}


def link_runs(links: Links, tool: str) -> dict[str, str]:
    """Return the lists of the runs that called a tool (`runs`), and of those in which it has a state."""
    term = f"tool:{quote(tool)}"
    return {"runs": links.to("runs", q=term), **{state: links.to("runs", q=f"{term}:{state}") for state in TOOL_STATES}}


def _draw(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of `calls_by_tool` with a line in place of its parts."""
    rates: list[float | None] = [None] * _PARTS
    for part in row["parts"]:
        rates[min(max(part["part"], 0), _PARTS - 1)] = part["rate"]
    known = [rate for rate in rates if rate is not None]
    drawn = {"spark": lay_out_sparkline(rates), "worst_rate": max(known)} if known else {}
    return {**{name: row[name] for name in ("tool", "calls", "errors")}, **drawn}


def _group_newest(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[DefinitionScore]]:
    """Return the scores on the newest definition that has any, by tool."""
    found: dict[str, tuple[str, list[DefinitionScore]]] = {}
    for row in rows:
        hash_, scores = found.setdefault(row["tool"], (row["definition_hash"], []))
        if row["definition_hash"] == hash_:
            scores.append(read_definition_score(row))
    return {tool: scores for tool, (_, scores) in found.items()}
