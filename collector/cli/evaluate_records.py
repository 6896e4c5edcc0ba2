"""Evaluates the runs in a file of any system with evaluators that are named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured, UnknownEvaluator, WrongOptions
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction

from ..client.settings import load_settings
from ..conversion.recognition import open_file
from ..errors import Fault
from ..sources.floeval.results import AgentEvaluationResult
from ..sources.judge_function import find_judge
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
    rows = [_evaluate(entry, evaluators, judge) for entry in _read(path, report)]
    values = {
        each.name: [score for row in rows if (score := row["metrics"][each.name]["score"]) is not None]
        for each in evaluators
    }
    result = AgentEvaluationResult(rows, {name: fmean(scores) for name, scores in values.items() if scores})
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


def _evaluate(entry: Imported, evaluators: Sequence[Configured], judge: JudgeFunction | None) -> dict[str, Any]:
    run = entry.expected_run
    assert run is not None  # noqa: S101 - only records with a run are read
    expected = run.reference.expected_response if run.reference else None
    return {
        "user_input": run.input if entry.input is None else entry.input,
        "final_response": run.final_response,
        "reference_outcome": expected,
        "metrics": {each.name: _describe(evaluate(each, run, judge=judge)) for each in evaluators if _can(each, judge)}
        | {each.name: _UNASKED for each in evaluators if not _can(each, judge)},
        **({"metadata": entry.metadata} if entry.metadata else {}),
    }


def _can(evaluator: Configured, judge: JudgeFunction | None) -> bool:
    return evaluator.kind != "llm" or judge is not None


_UNASKED: Final = {"score": None, "metadata": {"error": "it asks a judge; add `judges` to tracegrade.yaml"}}


def _describe(scores: Sequence[ScoreRecord]) -> dict[str, Any]:
    """Return the scores of one evaluator on a run as one metric: of several, the mean."""
    values = [score.value for score in scores if score.value is not None]
    if not values:
        reason = next((score.reason for score in scores if score.reason), "it was not evaluated")
        return {"score": None, "metadata": {"error": reason}}
    first = scores[0]
    known = {"reasoning": first.explanation, "passed": first.passed, "threshold": first.threshold}
    return {"score": fmean(values), "metadata": {key: value for key, value in known.items() if value is not None}}
