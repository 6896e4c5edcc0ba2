"""`tracegrade explain`: for each evaluator its verdict on a run, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
from rich.table import Column, Table
from rich.text import Text

from tracegrade.queries.catalog import report
from tracegrade.queries.result import one_line

from ..clock import utc_now
from ..errors import Fault
from ..reports.backlog import Standing, standings
from ..reports.explanation import Explanation, from_others
from ..reports.explanation import explain as explained
from ..reports.known import learn
from ..reports.reader import all_rows
from ..reports.reasons import cannot_be_assembled, told_at
from ..settings import Settings, evaluators_of, load
from .console import console, given, plain, print_json
from .source import Source, opened

__all__ = ["explain"]

Row = Mapping[str, Any]

_NOTHING = 1
_STYLES = {"scored": "green", "skipped": "dim", "error": "red", "missing": "red", "left_out": "dim", "silent": "dim"}


def explain(*, trace: str, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    settings = load(config, **given(store=store))
    with opened(settings, server) as source:
        told = _told(source, settings, trace.lower())
    if not any(told.values()):
        raise Fault(f"no trace and no run begins with {trace!r}; `tracegrade tail` shows the ids", exit_code=_NOTHING)
    if as_json:
        print_json(told)
        return 0
    for run in told["runs"]:
        _show(run)
    for one in told["without_runs"]:
        console.print(f"trace {one['trace_id']}: {one['spans']} spans, no agent run. {plain(one['because'])}")
    return 0


def _told(source: Source, settings: Settings, begins: str) -> dict[str, list[dict[str, Any]]]:
    """Every run that is meant, with its explanations, and the traces in which there is none."""
    runs = all_rows(source.read, report("runs_of_trace"), id=begins)
    arrivals = {
        row["trace_id"]: row for row in all_rows(source.read, report("arrivals_of_id"), id=begins.partition("-")[0])
    }
    evaluators = evaluators_of(settings)
    standing = standings(source.read, evaluators) if runs else []
    known_runs = {run["trace_id"] for run in runs}
    silent = [] if "-" in begins else [row for trace_id, row in arrivals.items() if trace_id not in known_runs]
    return {
        "runs": [_of_run(source, settings, standing, run, arrivals.get(run["trace_id"])) for run in runs],
        "without_runs": [_without_run(row, settings) for row in silent],
    }


def _of_run(
    source: Source, settings: Settings, standing: Sequence[Standing], run: Row, arrival: Row | None
) -> dict[str, Any]:
    known = learn(
        source.read,
        run["agent_trace_id"],
        judge_settle=settings.assembly.judge_settle,
        session_idle=settings.pass_.session_idle,
        now=utc_now(),
    )
    found = [one for each in standing for one in explained(each, known)]
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


def _show(run: Row) -> None:
    console.rule(run["agent_trace_id"], align="left")
    name = run["agent_name"] or "an agent without a name"
    gaps = f"; gaps: {', '.join(run['gaps'])}" if run["gaps"] else ""
    console.print(
        f"{plain(name)}: revision {run['revision']}, {run['completeness']}, "
        f"assembled at {told_at(run['assembled_at'])}{plain(gaps)}"
    )
    if run["prospect"]:
        console.print(run["prospect"])
    table = Table(Column(no_wrap=True), Column(no_wrap=True), Column(), box=None, pad_edge=False, show_header=False)
    for one in (*run["evaluators"], *run["others"]):
        table.add_row(*_line(Explanation(**one)))
    console.print(table)
    console.print()


def _line(one: Explanation) -> tuple[Text, Text, Text]:
    value = "" if one.value is None else f" {one.value:.2f}"
    label = f" {one.label}" if one.label else ""
    passed = {True: ", passed", False: ", failed", None: ""}[one.passed]
    scope, _, name = one.about.partition(" ")
    is_plain = scope == "run" or (scope == "tool" and name in (one.because or ""))
    told = ": ".join(filter(None, ["" if is_plain else one.about, one.because]))
    author = f" ({one.author})" if one.author else ""
    return (
        Text(one_line(one.evaluator)),
        Text(
            one_line(f"{one.state}{value}{label}{passed}"),
            style="red" if one.passed is False else _STYLES.get(one.state, "yellow"),
        ),
        Text(one_line(f"{told}{author}")),
    )
