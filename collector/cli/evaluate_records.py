"""Evaluates the runs in a file of any system with evaluators that are named."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tracegrade.evaluators.catalog.configure import catalogue, configure
from tracegrade.evaluators.definition.registry import Configured, UnknownEvaluator, WrongOptions
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind

from ..client.settings import load_settings
from ..config.settings import Settings, evaluators_of
from ..conversion.recognition import open_file
from ..errors import Fault
from ..experiments.usability import find_obstacle
from ..preview.draft import resolve_draft
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
    settings = load_settings(None)
    evaluators = [_resolve(name, settings) for name in names]
    _refuse_repeated([each.name for each in evaluators])
    report = FaultReport()
    result = evaluate_entries(_read(path, report), evaluators, partial(find_judge, settings))
    write_results(result, output)
    return report.conclude(0 if result.summary else _NOTHING_EVALUATED)


def _resolve(word: str, settings: Settings) -> Configured:
    """Return the evaluator of the configuration, the catalogue, a file or a function. Raises Fault."""
    is_configured = settings.evaluators is not None and any(each.name == word for each in evaluators_of(settings))
    if word in catalogue() and not is_configured:
        return _configure(word)
    evaluator = resolve_draft(word, settings).evaluator
    if (obstacle := find_obstacle(evaluator, has_judge=True, judges={})) is not None:
        raise Fault(obstacle)
    if evaluator.scope == "session":
        raise Fault(f"{evaluator.name} evaluates the scope session, not single runs")
    return evaluator


def _configure(name: str) -> Configured:
    try:
        return configure(name)
    except (UnknownEvaluator, WrongOptions) as error:
        raise Fault(str(error)) from error


def _refuse_repeated(names: Sequence[str]) -> None:
    """Raise Fault if two evaluators have one name, under which only one of them could be reported."""
    for name in names:
        if names.count(name) > 1:
            raise Fault(f"two evaluators are called {name!r}; give one of them another `name`")


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
