"""Keeps the experiments of the history, with their dataset and scores, in a store that has its runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.experiments.expected_run import expect
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem, Expect
from tracegrade.evaluators.model import AgentTrace
from tracegrade.queries.catalog import report
from tracegrade.queries.ports import DatasetChange, EvaluatorForm, ExperimentRuns, ExperimentStart, RecordedRun

from ..client.query import Read, all_rows
from ..client.targets import Targets
from ..references.rules import References
from ..store.experiments.datasets import Datasets
from ..store.experiments.experiments import Experiments
from ..store.results.writer import Results
from .history import History
from .trials import DATASET, Trial, collected_at, find_questions, plan_trials

__all__ = ["BegunTrial", "begin_trials", "end_trials"]

_AUTHOR: Final = "ana"
_EXPECTED: Final[tuple[Expect, ...]] = ("calls",)
_LASTS: Final = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class BegunTrial:
    """An experiment whose spans are to be received, and then evaluated."""

    trial: Trial
    experiment_id: str

    @property
    def request(self) -> bytes:
        """Its spans as an ExportTraceServiceRequest."""
        return self.trial.request(self.experiment_id)


def begin_trials(history: History, results: Results, evaluators: Iterable[Configured]) -> list[BegunTrial]:
    """Begin the experiments, each at its time, so that the store takes their runs as theirs."""
    forms = tuple(
        EvaluatorForm(name=each.name, version=each.version, config_hash=each.config_hash)
        for each in _select(evaluators)
    )
    return [BegunTrial(trial, _begin(trial, results, forms)) for trial in plan_trials(history)]


def end_trials(
    history: History, begun: Iterable[BegunTrial], results: Results, evaluators: Iterable[Configured], read: Read
) -> None:
    """Store the dataset, made of runs of the history, and the runs of the experiments with their scores."""
    applied = _select(evaluators)
    sources = _load_runs(read, [history.trace_id(number) for number in find_questions(history)])
    items = [
        DatasetItem.of_run(run, expect=_EXPECTED, fields={"id": f"question-{number:02}"})
        for number, run in enumerate(sources, 1)
    ]
    change = DatasetChange(dataset=DATASET, items=tuple(items), author=_AUTHOR)
    Datasets(results, now=lambda: collected_at(history)).change(change)
    for each in begun:
        _end(each, items, results, applied, read)


def _select(evaluators: Iterable[Configured]) -> list[Configured]:
    """Return those that give the same scores to the same runs, without a judge."""
    return [each for each in evaluators if each.kind == "code" and each.scope in {"trace", "tool_call"}]


def _begin(trial: Trial, results: Results, forms: tuple[EvaluatorForm, ...]) -> str:
    start = ExperimentStart(
        name=trial.name,
        dataset=DATASET,
        dataset_version=1,
        items=len(trial.runs),
        evaluators=forms,
        task=trial.name,
        author=_AUTHOR,
        plan_hash=trial.name,
    )
    return Experiments(results, now=lambda: trial.began).begin(start).experiment_id


def _end(
    begun: BegunTrial, items: Sequence[DatasetItem], results: Results, evaluators: Sequence[Configured], read: Read
) -> None:
    trial = begun.trial
    ended = trial.began + _LASTS
    runs = _load_runs(read, [trial.trace_id(number) for number in range(len(trial.runs))])
    recorded = tuple(
        RecordedRun.of(_evaluate(run, item, evaluators, ended), position)
        for position, (run, item) in enumerate(zip(runs, items, strict=True))
    )
    kept = ExperimentRuns(experiment_id=begun.experiment_id, runs=recorded, is_last=True)
    Experiments(results, now=lambda: ended).record(kept)


def _evaluate(run: AgentTrace, item: DatasetItem, evaluators: Sequence[Configured], now: datetime) -> ExperimentRun:
    expected = expect(run, item.defined, "dataset")
    scores = InProcessWorkbench(lambda: now).evaluate([expected], evaluators)
    return ExperimentRun(item=item, run=run, duration_ms=run.duration_ms, scores=tuple(scores))


def _load_runs(read: Read, trace_ids: Sequence[str]) -> list[AgentTrace]:
    """Load the outermost runs of these traces, in this order."""
    found = [row for trace_id in trace_ids for row in all_rows(read, report("runs_of_trace"), id=trace_id)]
    ids = [row["agent_trace_id"] for row in found if row["parent_agent_trace_id"] is None]
    runs = {run.agent_trace_id: run for batch in Targets(read, References()).load("trace", ids) for run in batch}
    return [runs[each] for each in ids]
