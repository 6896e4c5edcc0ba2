"""Evaluates the runs in a file of any system with evaluators that are named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured, UnknownEvaluator, WrongOptions
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind

from ..client.settings import load_settings
from ..conversion.recognition import open_file
from ..errors import Fault
from ..sources.judge_function import find_judge
from ..sources.record_results import evaluate_entries
from .fault_report import FaultReport
from .sample_results import write_results

__all__ = ["evaluate_records"]

_NOTHING_EVALUATED: Final = 3


def evaluate_records(path: Path, names: Sequence[str], *, output: Path | None) -> int:
    """Evaluate the runs in a file, each with its own expectations; return the exit code."""
    if not names:
        raise Fault("name what evaluates the runs: -c with a configuration of Floeval, or --evaluator")
    evaluators = [_configure(name) for name in names]
    judge = find_judge(load_settings(None)) if any(each.kind == "llm" for each in evaluators) else None
    report = FaultReport()
    result = evaluate_entries(_read(path, report), evaluators, judge)
    write_results(result, output)
    return report.conclude(0 if result.summary else _NOTHING_EVALUATED)


def _configure(name: str) -> Configured:
    try:
        return configure(name)
    except (UnknownEvaluator, WrongOptions) as error:
        raise Fault(str(error)) from error


def _read(path: Path, report: FaultReport) -> list[Imported]:
    """Return the records with a run; those that cannot be read are reported. Raises Fault."""
    try:
        with open_file(path) as file:
            entries = list(file.entries)
    except UnknownKind as error:
        raise Fault(str(error)) from error
    for entry in entries:
        if isinstance(entry, RecordFault):
            report.add(path, entry)
    return [entry for entry in entries if isinstance(entry, Imported) and entry.run is not None]
