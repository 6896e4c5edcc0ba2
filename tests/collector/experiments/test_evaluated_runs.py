"""Runs that were evaluated elsewhere are kept as an experiment, with their spans."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError
from tests.support.experiments import make_failed_run, make_scored_run
from tests.support.traced_agent import book

from tracegrade.collector.capture import capture
from tracegrade.collector.capture.assembly import assemble_exported_runs
from tracegrade.collector.client.query import Read
from tracegrade.collector.errors import Fault
from tracegrade.collector.experiments.evaluated_runs import EvaluatedRun, keep_experiment
from tracegrade.collector.experiments.store import Body
from tracegrade.collector.otlp.signal import Signal
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.judges.jobs.calls_in_memory import CallsInMemory
from tracegrade.queries.ports import ExperimentProgress, ExperimentRuns, ExperimentStart, RecordedRun
from tracegrade.queries.result import Result


@dataclass
class Store:
    """Takes what it is given. `known` are the runs that it has already."""

    known: Sequence[str] = ()
    starts: list[ExperimentStart] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    runs: list[RecordedRun] = field(default_factory=list)
    is_ended: bool = False
    fault: str | None = None
    read: Read = field(init=False)

    def __post_init__(self) -> None:
        self.read = self._answer

    def _answer(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        ids = [run for run in self.known if run in str(parameters)]
        return Result(columns=(), table=pa.table({"agent_trace_id": ids}), truncated=False, elapsed_ms=0.0)

    async def begin(self, start: ExperimentStart) -> ExperimentProgress:
        self.starts.append(start)
        return ExperimentProgress(experiment_id="x" * 32, name=start.name, is_continued=False, done=())

    async def add_spans(self, bodies: Sequence[Body]) -> None:
        self.bodies += bodies

    async def record(self, runs: ExperimentRuns) -> None:
        if self.fault is not None:
            raise Fault(self.fault)
        assert not self.is_ended
        self.runs += runs.runs
        self.is_ended = runs.is_last

    def judge_calls(self, experiment_id: str) -> CallsInMemory:
        return CallsInMemory()


def keep(store: Store, *runs: EvaluatedRun) -> str:
    return asyncio.run(keep_experiment(store, "tests", runs, task="pytest", author="ci"))


def of(run: ExperimentRun, requests: Sequence[Body] | None = ()) -> EvaluatedRun:
    return EvaluatedRun(run, requests)


def test_experiment_begins_anew_with_the_items_repeats_and_evaluators_of_the_runs() -> None:
    store = Store()
    runs = [make_scored_run("a", 1.0), make_scored_run("b", 0.0, name="other"), make_scored_run("a", 0.5, repeat=1)]
    assert keep(store, *map(of, runs), of(make_failed_run("c"))) == "x" * 32
    (start,) = store.starts
    assert (start.items, start.repeats, start.is_new, start.task, start.author) == (3, 2, True, "pytest", "ci")
    assert [form.name for form in start.evaluators] == ["own", "other"]
    assert [(run.item.id, run.position, run.repeat, run.status) for run in store.runs] == [
        ("a", 0, 0, "completed"),
        ("b", 1, 0, "completed"),
        ("a", 0, 1, "completed"),
        ("c", 2, 0, "error"),
    ]
    assert store.is_ended


def test_captured_spans_are_those_of_the_experiment() -> None:
    with capture() as captured:
        book("Paris")
    run = make_scored_run("a", 1.0)
    store = Store()
    keep(store, of(run, captured.export_requests()))
    ((signal, body),) = store.bodies
    (exported,) = assemble_exported_runs([body], [])
    assert (signal, exported.experiment_id) == (Signal.TRACES, "x" * 32)


def test_run_without_spans_is_written_as_spans_unless_the_store_has_it() -> None:
    store = Store(known=["b-0"])
    keep(
        store, of(make_scored_run("a", 1.0), None), of(make_scored_run("b", 1.0), None), of(make_failed_run("c"), None)
    )
    ((signal, body),) = store.bodies
    (written,) = assemble_exported_runs([body], [])
    assert (signal, written.experiment_id) == (Signal.TRACES, "x" * 32)
    assert len(store.runs) == 3


def test_nothing_begins_without_a_score() -> None:
    store = Store()
    with pytest.raises(ValidationError, match="evaluators"):
        keep(store, of(make_failed_run("a")))
    assert store.starts == []


def test_store_that_takes_no_runs_leaves_the_experiment_open() -> None:
    store = Store(fault="the disk is full")
    with pytest.raises(Fault, match="the disk is full"):
        keep(store, of(make_scored_run("a", 1.0)))
    assert not store.is_ended
