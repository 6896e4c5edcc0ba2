"""The tools about runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tracegrade.evaluators.text.times import parse_time
from tracegrade.queries.catalog import report
from tracegrade.queries.filter import FilterError, RunFilter, compile_filter

from ..client.query import Read, all_rows
from ..client.runs import read_runs, select_run
from ..clock import utc_now
from ..reports.read_account import read_account
from .access import Access, explaining
from .answers import Explanation, Row, RunDetail, RunList
from .shown import fit, named_rows, shorten

__all__ = ["RunTools"]

_MOST_IN_A_LIST: Final = 300
"""The most characters of a text in a list of runs."""

_LISTED: Final = (
    "agent_trace_id",
    "started_at",
    "agent_name",
    "agent_version",
    "environment",
    "model",
    "session_id",
    "input",
    "final_response",
    "outcome",
    "error",
    "first_fault",
    "pattern_id",
    "worst_evaluator",
    "worst_value",
    "worst_explanation",
    "tools",
    "failed_tools",
    "duration_ms",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)
_FACTS: Final = (
    *_LISTED,
    "trace_id",
    "parent_agent_trace_id",
    "service_name",
    "service_version",
    "user_id",
    "experiment_id",
    "interrupt",
    "invalid_tools",
    "completeness",
    "gaps",
    "dialect",
    "revision",
)
_PARTS: Final = {"tool_calls": "calls_of_run", "scores": "scores_of_run", "messages": "messages_in_run"}
_OF_SUB_RUN: Final = ("agent_trace_id", "parent_agent_trace_id", "agent_name", "outcome", "error", "duration_ms")
_BEGINNING, _END = "0001-01-01", "9999-12-31"
_MOST_ROWS: Final = 200
_CHARACTERS_OF_A_PART: Final = 30_000

Id = Annotated[str, Field(description="id of a run or trace, or the beginning of one", min_length=4)]


class RunTools:
    """Lists runs, shows one, and explains its scores."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def runs(
        self,
        filter: Annotated[  # noqa: A002 - the name of the argument
            str,
            Field(
                description="terms that all have to hold: words, agent:NAME, version:V, model:M, environment:E, "
                "tool:NAME:error, is:failing, score:NAME<1, label:L, pattern:ID, error:TEXT, cost>0.1, tokens>5000, "
                "duration>5s, -key:value for the opposite, sql:CONDITION over the view runs at the end; empty: all"
            ),
        ] = "",
        since: Annotated[str, Field(description="7d, 12h, yesterday, or a time in ISO 8601 (UTC)")] = "24h",
        until: Annotated[str, Field(description="as since; empty: now")] = "",
        limit: Annotated[int, Field(ge=1, le=100, description="most runs to return")] = 20,
    ) -> RunList:
        """List runs of agents, newest first: what was asked, how each ended, and its first fault."""
        chosen = _compile(filter)
        now = utc_now()
        with explaining():
            begin, end = parse_time(since, now), parse_time(until, now) if until else now
        window = {"since": begin.isoformat(), "until": end.isoformat()}
        with self._access.reading() as source:
            given = {**chosen.parameters, **window}
            count = all_rows(source.read, report("count_of_runs", condition=chosen.condition), **given)[0]["count"]
            rows = _read_newest(source.read, chosen, given, limit)
        return RunList(since=begin, until=end, count=count, runs=rows)

    def run(self, id: Id) -> RunDetail:  # noqa: A002 - the name of the argument
        """Show one run: what was asked, its tool calls with results, its messages, its scores with explanations."""
        with self._access.reading() as source:
            chosen = select_run(source.read, id)["agent_trace_id"]
            whole = named_rows(source.read(report("runs_of_trace"), parameters={"id": chosen}))[0]
            others = [dict(run) for run in read_runs(source.read, whole["trace_id"])]
            parts = {part: _read_part(source.read, name, chosen) for part, name in _PARTS.items()}
        return RunDetail(
            run=shorten(_select(whole, _FACTS)),
            sub_runs=[
                shorten(_select(run, _OF_SUB_RUN)) for run in others if run["agent_trace_id"] != whole["agent_trace_id"]
            ],
            shortened=[part for part, (_, is_cut) in parts.items() if is_cut],
            **{part: rows for part, (rows, _) in parts.items()},
        )

    def explain(self, id: Id) -> Explanation:  # noqa: A002 - the name of the argument
        """Explain the scores of a run: for each evaluator its score, or the reason why there is none."""
        with self._access.reading() as source:
            account = read_account(source, self._access.settings, id.lower())
        if not any(account.values()):
            raise ToolError(
                f"no trace and no run begins with {id!r}: runs and traces with spans were searched. It may not have "
                "arrived yet; the tool runs lists the ids"
            )
        return Explanation(**{part: fit(rows)[0] for part, rows in account.items()})


def _compile(text: str) -> RunFilter:
    try:
        return compile_filter(text)
    except FilterError as error:
        raise ToolError(f"filter, character {error.position}: {error}") from error


def _read_newest(read: Read, chosen: RunFilter, given: dict[str, Any], limit: int) -> list[Row]:
    """Return the newest runs that a filter selects within its window."""
    after = {"after_started_at": given["until"], "after_agent_trace_id": ""}
    keys = all_rows(read, report("newest_run_keys", condition=chosen.condition), **given, **after, limit=limit)
    if not keys:
        return []
    ids = [key["agent_trace_id"] for key in keys]
    parameters = {
        "agent_trace_ids": ids,
        "started_ats": [key["started_at"].isoformat() for key in keys],
        "most_characters": _MOST_IN_A_LIST + 1,
    }
    rows = {row["agent_trace_id"]: row for row in named_rows(read(report("runs_by_key"), parameters=parameters))}
    return [shorten(_select(rows[id_], _LISTED), _MOST_IN_A_LIST) for id_ in ids if id_ in rows]


def _read_part(read: Read, name: str, agent_trace_id: str) -> tuple[list[Row], bool]:
    """Return the rows of a part of a run that fit, and whether there are more."""
    parameters: dict[str, Any] = {"agent_trace_id": agent_trace_id}
    if name == "messages_in_run":
        parameters |= {"earliest": _BEGINNING, "latest": _END, "limit": _MOST_ROWS}
    result = read(report(name), parameters=parameters)
    rows, is_cut = fit(named_rows(result), _CHARACTERS_OF_A_PART)
    return rows, is_cut or result.truncated


def _select(row: Row, columns: Sequence[str]) -> Row:
    """Return these columns of a row that are recorded."""
    return {column: row[column] for column in columns if row.get(column) is not None}
