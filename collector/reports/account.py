"""Builds the account of a trace for `tracegrade explain` and the API: each evaluator on each of the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..clock import format_time, utc_now
from ..config.settings import Settings
from .backlog import Standing, read_standings
from .explanation import explain, explain_others
from .facts import read_facts
from .reasons import describe_assembly_failure

__all__ = ["build_account"]

Row = Mapping[str, Any]


def build_account(
    read: Read, settings: Settings, evaluators: Sequence[Configured], prefix: str
) -> dict[str, list[dict[str, Any]]]:
    """Return each run whose id begins with `prefix`, with its explanations, and the traces without a run.

    Raises SqlRefused or Fault.
    """
    runs = all_rows(read, report("runs_of_trace"), id=prefix)
    arrivals = {row["trace_id"]: row for row in all_rows(read, report("arrivals_of_id"), id=prefix.partition("-")[0])}
    standings = read_standings(read, evaluators) if runs else []
    with_runs = {run["trace_id"] for run in runs}
    without_runs = [] if "-" in prefix else [row for trace_id, row in arrivals.items() if trace_id not in with_runs]
    return {
        "runs": [_build_run(read, settings, standings, run, arrivals.get(run["trace_id"])) for run in runs],
        "without_runs": [_build_trace_without_run(row, settings) for row in without_runs],
    }


def _build_run(
    read: Read, settings: Settings, standings: Sequence[Standing], run: Row, arrival: Row | None
) -> dict[str, Any]:
    facts = read_facts(
        read,
        run["agent_trace_id"],
        judge_settle=settings.assembly.judge_settle,
        session_idle=settings.evaluation.session_idle,
        now=utc_now(),
    )
    explanations = [explanation for standing in standings for explanation in explain(standing, facts)]
    columns = (
        "agent_trace_id",
        "trace_id",
        "agent_name",
        "session_id",
        "experiment_id",
        "completeness",
        "revision",
        "assembled_at",
    )
    return {
        **{column: run[column] for column in columns},
        "gaps": orjson.loads(run["gaps"]),
        "prospect": _describe_prospect(run, arrival),
        "evaluators": [asdict(explanation) for explanation in explanations],
        "others": [asdict(explanation) for explanation in explain_others(standings, facts)],
    }


def _describe_prospect(run: Row, arrival: Row | None) -> str | None:
    """Describe how the run may still change; None if its trace is assembled."""
    if arrival is None or not arrival["is_open"]:
        return None
    if failure := describe_assembly_failure(arrival):
        return f"more of its trace came, and {failure}"
    if arrival["arrived_at"] > run["assembled_at"]:
        return f"more of its trace came at {format_time(arrival['arrived_at'])}: a new revision may follow"
    return "its trace waits for more to arrive: a new revision may follow"


def _build_trace_without_run(arrival: Row, settings: Settings) -> dict[str, Any]:
    if failure := describe_assembly_failure(arrival):
        because = f"{failure[0].upper()}{failure[1:]}."
    elif arrival["is_open"]:
        grace, idle = (limit.total_seconds() for limit in (settings.assembly.grace, settings.assembly.idle))
        because = (
            f"The last came at {format_time(arrival['arrived_at'])}; it is assembled {grace:g} s after that when it "
            f"is complete, and {idle:g} s after it in any case."
        )
    else:
        because = f"`tracegrade doctor {arrival['trace_id']}` shows how its spans are read."
    return {**arrival, "because": because}
