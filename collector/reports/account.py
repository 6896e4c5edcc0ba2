"""What became of the runs of a trace, evaluator by evaluator: for `tracegrade explain`, and a server that is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..clock import told_at, utc_now
from ..config.settings import Settings
from .backlog import Standing, standings
from .explanation import explain, from_others
from .facts import learn
from .reasons import cannot_be_assembled

__all__ = ["account_of"]

Row = Mapping[str, Any]


def account_of(
    read: Read, settings: Settings, evaluators: Sequence[Configured], begins: str
) -> dict[str, list[dict[str, Any]]]:
    """Every run that `begins` so, with its explanations, and the traces in which there is none. Raises SqlRefused or
    Fault."""
    runs = all_rows(read, report("runs_of_trace"), id=begins)
    arrivals = {row["trace_id"]: row for row in all_rows(read, report("arrivals_of_id"), id=begins.partition("-")[0])}
    standing = standings(read, evaluators) if runs else []
    known_runs = {run["trace_id"] for run in runs}
    silent = [] if "-" in begins else [row for trace_id, row in arrivals.items() if trace_id not in known_runs]
    return {
        "runs": [_of_run(read, settings, standing, run, arrivals.get(run["trace_id"])) for run in runs],
        "without_runs": [_without_run(row, settings) for row in silent],
    }


def _of_run(
    read: Read, settings: Settings, standing: Sequence[Standing], run: Row, arrival: Row | None
) -> dict[str, Any]:
    known = learn(
        read,
        run["agent_trace_id"],
        judge_settle=settings.assembly.judge_settle,
        session_idle=settings.evaluation.session_idle,
        now=utc_now(),
    )
    found = [one for each in standing for one in explain(each, known)]
    facts = ("agent_trace_id", "trace_id", "agent_name", "session_id", "completeness", "revision", "assembled_at")
    return {
        **{fact: run[fact] for fact in facts},
        "gaps": orjson.loads(run["gaps"]),
        "prospect": _prospect(run, arrival),
        "evaluators": [asdict(one) for one in found],
        "others": [asdict(one) for one in from_others(standing, known)],
    }


def _prospect(run: Row, arrival: Row | None) -> str | None:
    """What may still become of the run."""
    if arrival is None or not arrival["is_open"]:
        return None
    if failing := cannot_be_assembled(arrival):
        return f"more of its trace came, and {failing}"
    if arrival["arrived_at"] > run["assembled_at"]:
        return f"more of its trace came at {told_at(arrival['arrived_at'])}: a new revision may follow"
    return "its trace waits for more to arrive: a new revision may follow"


def _without_run(arrival: Row, settings: Settings) -> dict[str, Any]:
    if failing := cannot_be_assembled(arrival):
        because = f"{failing[0].upper()}{failing[1:]}."
    elif arrival["is_open"]:
        grace, idle = (limit.total_seconds() for limit in (settings.assembly.grace, settings.assembly.idle))
        because = (
            f"The last came at {told_at(arrival['arrived_at'])}; it is assembled {grace:g} s after that when it "
            f"is complete, and {idle:g} s after it in any case."
        )
    else:
        because = f"`tracegrade doctor {arrival['trace_id']}` tells how its spans are read."
    return {**arrival, "because": because}
