"""Tools over HTTP: how often each is called and fails, and how it was defined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

import orjson
from pydantic import BaseModel, Field

from tracegrade.evaluators.text.suggestions import most_similar, nearest

from ..catalog import report
from .api import Api
from .endpoint import Call, endpoint
from .problem import Details
from .refusal import Refusal
from .window import AgentVersion, Period, Window

__all__ = ["show_tool", "show_tools"]

Row = Mapping[str, Any]

_MOST_NAMES: Final = 1_000
_MOST_VERSIONS: Final = 1_000
_MOST_DEFINITIONS: Final = 100


class ToolUse(BaseModel):
    """The calls of a tool. A rate or mean is null if there is nothing to count.

    `error_rate` is over `n` calls, `mean_ms` over `n_timed` of them. The tool was the first fault of `first_faults`
    failing runs; in `invalid_runs` runs its arguments did not fit its definition.
    """

    n: int
    errors: int
    error_rate: float | None
    invalid_runs: int
    first_faults: int
    n_timed: int
    mean_ms: float | None


class _ToolName(BaseModel):
    tool: str


class ToolScorecard(ToolUse, _ToolName):
    """The calls of a tool in the period, and its share in all failing runs of the period (`n_failing`)."""

    n_failing: int
    first_fault_rate: float | None


class ToolList(Period):
    """The tools, the most called first. `truncated`: there are more than the limit."""

    tools: list[ToolScorecard]
    truncated: bool


class ToolWindow(Window):
    """A period, and which tools."""

    search: str | None = Field(default=None, max_length=200, description="only tools whose name contains it")
    limit: int = Field(default=200, ge=1, le=1_000, description="most tools")


class VersionUse(ToolUse, AgentVersion):
    """The calls in runs of one version of an agent."""


class OfferedDefinition(BaseModel):
    """A definition of a tool that `runs` runs of the period offered to their models."""

    definition_hash: str
    description: str | None
    input_schema: Any
    runs: int
    first_offered_at: datetime | None
    last_offered_at: datetime | None
    agents: list[str]
    agent_versions: list[str]


class ToolPage(ToolScorecard, Period):
    """A tool with its calls by version of the agent, how long they took, and its definitions, the newest first."""

    p50_ms: float | None
    p95_ms: float | None
    versions: list[VersionUse]
    definitions: list[OfferedDefinition]


@endpoint("GET", "/api/v1/tools", "scorecards of tools: calls, errors, first faults", query=ToolWindow, answer=ToolList)
async def show_tools(api: Api, call: Call) -> ToolList:
    """Answer with the tools that were called in the period."""
    window = call.query(ToolWindow)
    about = {"name": None, "search": window.search, "by_version": False, "limit": window.limit + 1}
    period, rows, failing_runs = await _read_use(api, window, about)
    tools = [ToolScorecard(**_build_card(row["tool"], [row], failing_runs)) for row in rows[: window.limit]]
    return ToolList(**dict(period), tools=tools, truncated=len(rows) > window.limit)


@endpoint(
    "GET",
    "/api/v1/tools/{name:path}",
    "a tool: calls by version of the agent, duration, definitions",
    query=Window,
    answer=ToolPage,
)
async def show_tool(api: Api, call: Call) -> ToolPage:
    """Answer with one tool, if any run ever called or offered it."""
    window, name = call.query(Window), call.path("name")
    about = {"name": name, "search": None, "by_version": True, "limit": _MOST_VERSIONS}
    period, rows, failing_runs = await _read_use(api, window, about)
    chosen = {"name": name, **window.parameters(period)}
    definitions = await api.rows(report("definitions_of_tool"), limit=_MOST_DEFINITIONS, **chosen)
    if not rows and not definitions:
        await _require_tool(api, name)
    (latency,) = await api.rows(report("tool_latency"), **chosen)
    return ToolPage(
        **dict(period),
        **_build_card(name, rows, failing_runs),
        p50_ms=latency["p50_ms"],
        p95_ms=latency["p95_ms"],
        versions=[
            VersionUse(agent=row["agent"], agent_version=row["agent_version"], **_sum_use([row])) for row in rows
        ],
        definitions=[_read_definition(row) for row in definitions],
    )


async def _read_use(api: Api, window: Window, about: Mapping[str, Any]) -> tuple[Period, list[dict[str, Any]], int]:
    """Read the use of a tool or of all, and the number of failing runs."""
    period = window.find_period()
    parameters = window.parameters(period)
    rows = await api.rows(report("tool_rates"), **about, **parameters)
    (totals,) = await api.rows(report("runs_between"), **parameters)
    return period, rows, totals["failing_runs"]


async def _require_tool(api: Api, name: str) -> None:
    """Raise Refusal if no run ever called or offered the tool."""
    everything = dict.fromkeys(("since", "until", "agent", "version", "environment", "search"))
    if await api.rows(report("tool_rates"), name=name, by_version=False, limit=1, **everything):
        return
    names = [row["tool"] for row in await api.rows(report("tool_names"), name=name, limit=_MOST_NAMES)]
    if name not in names:
        text = f"no run has called or offered a tool named {name[:200]!r}{nearest(name, names)}"
        raise Refusal(404, "not_found", text, details=Details(near=most_similar(name, names)))


def _build_card(tool: str, rows: Iterable[Row], failing_runs: int) -> dict[str, Any]:
    use = _sum_use(rows)
    share = use["first_faults"] / failing_runs if failing_runs else None
    return {"tool": tool, **use, "n_failing": failing_runs, "first_fault_rate": share}


def _sum_use(rows: Iterable[Row]) -> dict[str, Any]:
    def total(column: str) -> Any:
        return sum(row[column] for row in rows if row[column] is not None)

    calls, timed = total("calls"), total("timed_calls")
    return {
        "n": calls,
        "errors": total("errors"),
        "error_rate": total("errors") / calls if calls else None,
        "invalid_runs": total("invalid_runs"),
        "first_faults": total("first_faults"),
        "n_timed": timed,
        "mean_ms": total("duration_ms") / timed if timed else None,
    }


def _read_definition(row: Row) -> OfferedDefinition:
    schema = None if row["input_schema"] is None else orjson.loads(row["input_schema"])
    names = {"agents": sorted(row["agents"] or ()), "agent_versions": sorted(row["agent_versions"] or ())}
    return OfferedDefinition(**{**row, **names, "input_schema": schema})
