"""Evaluates an eval file of AgentV, and writes results, and runs, as AgentV does."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click
import orjson
from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.formats.agentv.eval_file import EvalFile, read_eval_file
from tracegrade.evaluators.formats.agentv.writing import write_run
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind
from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.foreign_text import one_line

from ..client.settings import load_settings
from ..config.yaml_file import YamlFile
from ..conversion.recognition import open_file
from ..errors import Fault
from ..experiments.task_call import Task
from ..sources.agentv.suite import CaseResult, evaluate_suite, find_runs
from ..sources.judge_function import find_judge
from .console import console
from .fault_report import FaultReport
from .sample_results import write_file

__all__ = ["evaluate_suite_file"]

_NOTHING_EVALUATED: Final = 3
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


def evaluate_suite_file(
    path: Path,
    dataset: Path | None,
    task: Task | None,
    *,
    output: Path | None,
    dump_traces: Path | None,
    include_trace: bool,
) -> int:
    """Evaluate the cases of an eval file; return the exit code."""
    if dataset is None and task is None:
        raise Fault("name what the cases are evaluated on: recorded runs with -d, or an agent with --task or --command")
    report = FaultReport()
    suite = _read_suite(path, report)
    runs = {} if dataset is None else find_runs(suite.cases, _read_runs(dataset, report))
    judge = find_judge(load_settings(None))
    results = asyncio.run(evaluate_suite(suite, folder=path.parent, runs=runs, task=task, judge=judge))
    if dump_traces is not None:
        _dump(results, dump_traces)
    rows = [result.write_row(suite, has_trace=include_trace) for result in results]
    if output is not None:
        write_file(output, b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
    _show(results)
    is_evaluated = any(result.score is not None for result in results)
    return report.conclude(0 if is_evaluated else _NOTHING_EVALUATED)


def _read_suite(path: Path, report: FaultReport) -> EvalFile:
    file = YamlFile(path)
    folder = path.parent
    try:
        suite = read_eval_file(
            file.value,
            lambda keys: file.place(keys).removeprefix(f"{path}, "),
            lambda name: (folder / name).read_text(encoding="utf-8"),
        )
    except ValueError as error:
        raise Fault(f"{path}: {error}") from error
    for fault in suite.faults:
        report.add(path, fault)
    if not suite.cases:
        raise Fault(f"{path}: it has no case that can be read")
    return suite


def _read_runs(path: Path, report: FaultReport) -> list[Imported]:
    try:
        with open_file(path) as file:
            entries = list(file.entries)
    except UnknownKind as error:
        raise Fault(str(error)) from error
    for entry in entries:
        if isinstance(entry, RecordFault):
            report.add(path, entry)
    return [entry for entry in entries if isinstance(entry, Imported)]


def _dump(results: Sequence[CaseResult], folder: Path) -> None:
    """Write each run to a file of the folder, named by time and case. Raises Fault."""
    now = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Fault(f"{folder} cannot be made: {error.strerror}") from error
    dumped = [result for result in results if result.run is not None]
    for result in dumped:
        name = f"{now}_{_UNSAFE.sub('_', result.case.id)[:100]}.json"
        content = {"eval_id": result.case.id, **(write_run(result.run) if result.run else {})}
        write_file(folder / name, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    click.echo(f"{folder}: {counted(len(dumped), 'run')}")


def _show(results: Sequence[CaseResult]) -> None:
    table = Table("case", "evaluator", Column("score", justify="right"), "verdict", "", box=None, pad_edge=False)
    for result in results:
        if result.cause is not None:
            table.add_row(Text(one_line(result.case.id), "bold"), "", "", "", Text(one_line(result.cause), "yellow"))
        for each in result.results:
            score = "" if each.score is None else f"{each.score:.3f}"
            why = each.reason if each.score is None else ", ".join((*each.misses, *each.warnings))
            cells = (one_line(result.case.id), one_line(each.name), score, each.verdict or "not evaluated")
            table.add_row(*map(Text, cells), Text(one_line(why or "")))
    console().print(table)
    scores = [result.score for result in results if result.score is not None]
    mean = f", mean {sum(scores) / len(scores):.3f}" if scores else ""
    click.echo(f"{len(scores):,} of {counted(len(results), 'case')} evaluated{mean}")
