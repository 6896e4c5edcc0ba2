"""The tools about runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from tracegrade.evaluators.text.times import parse_time
from tracegrade.queries.answers.run import Run
from tracegrade.queries.filter import FilterError, RunFilter, compile_filter
from tracegrade.queries.read.run import AmbiguousRun, UnknownRun, read_run
from tracegrade.queries.read.run_keys import RunList, count_runs
from tracegrade.queries.read.run_parts import MOST_ROWS, Part
from tracegrade.queries.read.runs import read_page
from tracegrade.queries.read.source import Sources
from tracegrade.queries.read.window import Window

from ..clock import utc_now
from ..reports.read_account import read_account
from .access import Access
from .answers import Explanation, ListedRuns, Row, ShownRun
from .shown import fit, shorten

__all__ = ["RunTools"]

_MOST_IN_A_LIST: Final = 300
"""The most characters of a text in a list of runs."""

_MOST_IN_A_PART: Final = 30_000
"""The most characters of a part of a run."""

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
    "service_name",
    "service_version",
    "user_id",
    "interrupt",
    "blocked_by",
    "invalid_tools",
    "completeness",
    "gaps",
    "dialect",
    "revision",
)
_PARTS: Final[Mapping[Part, Sequence[str]]] = {
    "tool_calls": ("position", "name", "args", "args_text", "result", "status", "error", "duration_ms", "source"),
    "scores": (
        "evaluator",
        "evaluator_kind",
        "author",
        "scope",
        "agent_name",
        "tool_call_position",
        "status",
        "value",
        "label",
        "passed",
        "explanation",
        "reason",
    ),
    "messages": ("position", "role", "name", "content", "parts"),
    "sub_runs": ("agent_trace_id", "parent_agent_trace_id", "agent_name", "error", "duration_ms", "tool_call_count"),
}
"""The parts of a run that are shown, with the columns of each."""

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
    ) -> ListedRuns:
        """List runs of agents, newest first: what was asked, how each ended, and its first fault."""
        chosen = RunList(run_filter=_read_filter(filter), window=_read_window(since, until))
        with self._access.reading() as source:
            sources = Sources(source.read, source.read)
            count = count_runs(chosen, sources)
            rows = read_page(chosen, sources, limit=limit).rows
        runs = [shorten(_select(Run.model_validate(row), _LISTED), _MOST_IN_A_LIST) for row in rows]
        return ListedRuns(since=chosen.window.since, until=chosen.window.until, count=count, runs=runs)

    def run(self, id: Id) -> ShownRun:  # noqa: A002 - the name of the argument
        """Show one run: what was asked, its tool calls with results, its messages, its scores with explanations."""
        with self._access.reading(max_rows=MOST_ROWS + 1) as source:
            try:
                detail = read_run(source.read, id, parts=tuple(_PARTS))
            except (UnknownRun, AmbiguousRun) as error:
                raise ToolError(f"{error}. The tool runs lists ids") from error
        parts = {part: _show_part(getattr(detail, part), columns) for part, columns in _PARTS.items()}
        shortened = {*detail.truncated, *(part for part, (_, is_cut) in parts.items() if is_cut)}
        return ShownRun(
            run=shorten(_select(detail, _FACTS)),
            shortened=sorted(shortened),
            **{part: rows for part, (rows, _) in parts.items()},
        )

    def explain(self, id: Id) -> Explanation:  # noqa: A002 - the name of the argument
        """Explain the scores of a run: for each evaluator its score, or the reason why there is none."""
        with self._access.reading() as source:
            account = read_account(source, self._access.settings, id.lower())
        if not any(account.values()):
            raise ToolError(
                f"no trace and no run begins with {id!r}: runs and traces with spans were searched. It may not have "
                "arrived yet. The tool runs lists ids"
            )
        parts = {part: fit(rows) for part, rows in account.items()}
        shortened = [part for part, (_, is_cut) in parts.items() if is_cut]
        return Explanation(shortened=shortened, **{part: rows for part, (rows, _) in parts.items()})


def _read_filter(text: str) -> RunFilter:
    try:
        return compile_filter(text)
    except FilterError as error:
        raise ToolError(f"filter, character {error.position}: {error}") from error


def _read_window(since: str, until: str) -> Window:
    now = utc_now()
    try:
        window = Window(parse_time(since, now), parse_time(until, now) if until else now)
    except ValueError as error:
        raise ToolError(str(error)) from error
    if window.since >= window.until:
        raise ToolError(f"since has to be before {window.until:%Y-%m-%d %H:%M} UTC")
    return window


def _show_part(rows: Iterable[BaseModel] | None, columns: Sequence[str]) -> tuple[list[Row], bool]:
    """Return the rows of a part that fit, and whether others are left out."""
    return fit((_select(row, columns) for row in rows or ()), _MOST_IN_A_PART)


def _select(row: BaseModel, columns: Sequence[str]) -> Row:
    """Return these columns of a row that are recorded, in the types of JSON."""
    values: dict[str, Any] = row.model_dump(mode="json", include=set(columns), exclude_none=True)
    return {column: values[column] for column in columns if column in values}
