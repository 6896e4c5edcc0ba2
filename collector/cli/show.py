"""`tracegrade show`: prints the runs of a trace with their calls and scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.markup import escape

from tracegrade.queries.catalog import report
from tracegrade.queries.foreign_text import visible

from ..client.query import all_rows
from ..client.runs import explain_missing_run
from ..client.source import Source, reading
from ..errors import Fault
from .console import console
from .format_usd import format_usd
from .output import print_rows

__all__ = ["show"]

_NOTHING = 1
_MARGIN = " " * 17
_TABLES = (
    ("tool calls", "calls_of_run"),
    ("scores", "scores_of_run"),
    ("superseded scores of earlier revisions", "superseded_scores_of_run"),
)
_FACTS = (
    "agent_name",
    "agent_version",
    "service_name",
    "session_id",
    "user_id",
    "experiment_id",
    "model",
    "started_at",
    "duration_ms",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "completeness",
    "gaps",
    "dialect",
    "revision",
    "error",
    "input",
    "final_response",
)


def show(*, trace: str, store: str | None, config: Path | None, server: str | None) -> int:
    with reading(config, store=store, server=server) as source:
        runs = all_rows(source.read, report("runs_of_trace"), id=trace.lower())
        if not runs:
            raise Fault(explain_missing_run(source.read, trace), exit_code=_NOTHING)
        for run in runs:
            _show(source, run)
    return 0


def _show(source: Source, run: dict[str, Any]) -> None:
    of_run = {"agent_trace_id": run["agent_trace_id"]}
    console().rule(run["agent_trace_id"], align="left")
    for fact in _FACTS:
        if run[fact] is not None or run.get(f"total_{fact}") is not None:
            console().print(f"{fact:>15}  {escape(_indent(_format_fact(run, fact)))}")
    for title, name in _TABLES:
        result = source.read(report(name), parameters=of_run)
        if result.rows:
            console().print(f"\n{title}")
            print_rows(result)
    console().print()


def _format_fact(run: Mapping[str, Any], fact: str) -> str:
    """Format a fact, with the total if sub-agents add to it."""
    own, total = run[fact], run.get(f"total_{fact}")
    value = format_usd(own) if fact == "cost_usd" else str(own)
    if total is None or total == own:
        return value
    sum_text = format_usd(total) if fact == "cost_usd" else str(total)
    return f"{value} ({sum_text} with sub-agents)" if own is not None else f"{sum_text} with sub-agents"


def _indent(text: str) -> str:
    """Indent further lines, so that none looks like another fact."""
    return visible(text).replace("\n", f"\n{_MARGIN}")
