"""An experiment: runs an agent on every item of a dataset, and evaluates the runs."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.misuse import refuse_misuse
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.experiments.dataset_file import read_items
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction, refuse_other_judges
from tracegrade.evaluators.model import AgentTrace

from ..capture import Capture, capture
from ..clock import utc_now
from .captured_run import NoRun, find_recorded, find_run
from .progress import OnRun, show_progress
from .task_call import Task, TaskFailed, call_task

__all__ = ["Experiment"]


@dataclass(frozen=True, slots=True)
class _Ended:
    """A call of the task that has ended: what it returned, or the cause of its failure."""

    item: DatasetItem
    repeat: int
    captured: Capture
    returned: object
    cause: str | None
    duration_ms: float


class Experiment:
    """Runs `task` on every item of `dataset`, `repeats` times, and applies `evaluators` to the runs.

    `dataset` has items, or is the path of a file with them; `split` and `tags` choose among them. An evaluator is a
    name, or what `configure`, `build` or `tracegrade.evaluators.named` make; those of kind llm ask `judge`. At most
    `concurrency` calls of the task run at once, each for at most `timeout_s` seconds (None: without a limit).

    The runs are captured from the OpenTelemetry spans that the task records (`collector.capture`). A task that fails,
    takes too long or brings no run makes an ExperimentRun of status `error`; the others go on.

    Raises ValueError without items or evaluators, for two evaluators of one name, for numbers that are too small, and
    for what is wrong in the file; TypeError for an evaluator that cannot be applied to runs, or that lacks a judge; and
    OSError if the file cannot be read.
    """

    def __init__(  # noqa: PLR0913 - each is one decision of the user, most with a default
        self,
        name: str,
        dataset: Iterable[DatasetItem] | str | Path,
        task: Task,
        evaluators: Iterable[Configured | str],
        *,
        repeats: int = 1,
        concurrency: int = 8,
        timeout_s: float | None = 300.0,
        judge: JudgeFunction | None = None,
        split: str | None = None,
        tags: Collection[str] = (),
    ) -> None:
        self.name = name
        self.items = [item for item in _read(dataset) if item.is_in(split, tags)]
        self.task = task
        self.evaluators = [configure(each) if isinstance(each, str) else each for each in evaluators]
        self.repeats = repeats
        self.concurrency = concurrency
        self.timeout_s = timeout_s
        self.judge = judge
        self._check()

    @classmethod
    def of_runs(
        cls,
        name: str,
        runs: Iterable[AgentTrace],
        evaluators: Iterable[Configured | str],
        *,
        judge: JudgeFunction | None = None,
    ) -> Experiment:
        """Return an experiment over runs that were recorded earlier, each with its own reference: no agent runs.

        Their inputs are the items. Raises NotRecorded if the input of a run was not recorded, and otherwise as the
        constructor does.
        """
        recorded = [(DatasetItem.of_run(run), run) for run in runs]
        by_input = {run.input: run for _, run in recorded}
        if len(by_input) < len(recorded):
            raise ValueError("several runs have the same input; an experiment over recorded runs has each input once")
        return cls(name, [item for item, _ in recorded], by_input.__getitem__, evaluators, judge=judge)

    def run(self, *, on_run: OnRun = lambda _: None, progress: bool | None = None) -> ExperimentResult:
        """Run the experiment, as `arun` does. Raises RuntimeError within a running event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.arun(on_run=on_run, progress=progress))
        raise RuntimeError("an event loop is running in this thread: use `await experiment.arun()`")

    async def arun(self, *, on_run: OnRun = lambda _: None, progress: bool | None = None) -> ExperimentResult:
        """Run the experiment, and return its result.

        `on_run` is called with each run as soon as it is evaluated, in the thread of the event loop. A bar shows the
        `progress` on standard error; None: if that is a terminal.
        """
        started_at = utc_now()
        slots = asyncio.Semaphore(self.concurrency)
        total = self.repeats * len(self.items)
        with (
            ThreadPoolExecutor(self.concurrency, thread_name_prefix="tracegrade evaluation") as threads,
            show_progress(self.name, total, is_shown=progress) as advance,
        ):

            async def complete(item: DatasetItem, repeat: int) -> ExperimentRun:
                async with slots:
                    ended = await self._call(item, repeat)
                run = await asyncio.get_running_loop().run_in_executor(threads, self._evaluate, ended)
                advance(run)
                on_run(run)
                return run

            async with asyncio.TaskGroup() as group:
                running = [
                    group.create_task(complete(item, repeat)) for repeat in range(self.repeats) for item in self.items
                ]
        runs = [each.result() for each in running]
        by_item = [run for number in range(len(self.items)) for run in runs[number :: len(self.items)]]
        return ExperimentResult(name=self.name, runs=tuple(by_item), started_at=started_at, ended_at=utc_now())

    async def _call(self, item: DatasetItem, repeat: int) -> _Ended:
        """Call the task with an item, and capture what it does."""
        returned: object = None
        cause: str | None = None
        began = time.perf_counter()
        with capture() as captured:
            try:
                returned = await call_task(self.task, item.input, timeout_s=self.timeout_s)
            except TaskFailed as failure:
                cause = str(failure)
        duration_ms = (time.perf_counter() - began) * 1000
        return _Ended(item, repeat, captured=captured, returned=returned, cause=cause, duration_ms=duration_ms)

    def _evaluate(self, ended: _Ended) -> ExperimentRun:
        """Assemble the run of a call that has ended, and apply the evaluators."""
        of_item = ExperimentRun(item=ended.item, repeat=ended.repeat, duration_ms=ended.duration_ms)
        if ended.cause is not None:
            return replace(of_item, status="error", cause=ended.cause, run=find_recorded(ended.item, ended.captured))
        try:
            run = find_run(ended.item, ended.returned, ended.captured)
        except NoRun as error:
            return replace(of_item, status="error", cause=str(error))
        scores: list[ScoreRecord] = []
        for evaluator in self.evaluators:
            scores += evaluate(evaluator, run, judge=self.judge)
        return replace(of_item, run=run, scores=tuple(scores))

    def _check(self) -> None:
        """Raise ValueError or TypeError for what cannot be run."""
        if not self.items:
            raise ValueError("the dataset has no items, or none in this split with these tags")
        if not self.evaluators:
            raise ValueError("an experiment needs an evaluator, such as 'tool_trajectory'")
        for name, number in (("repeats", self.repeats), ("concurrency", self.concurrency)):
            if number < 1:
                raise ValueError(f"{name} is {number}; it is at least 1")
        if self.timeout_s is not None and self.timeout_s <= 0:
            raise ValueError(f"timeout_s is {self.timeout_s:g}; it is more than 0, or None for no limit")
        refuse_other_judges(self.judge)
        for evaluator in self.evaluators:
            refuse_misuse(evaluator, AgentTrace())
            if evaluator.kind == "llm" and self.judge is None:
                asks = f"{evaluator.name} asks a judge"
                raise TypeError(f"{asks}: give `judge`, a function that takes a text and returns one")
        for repeated in _find_repeated(item.id for item in self.items):
            raise ValueError(f"two items have the id {repeated!r}; give each its own")
        for repeated in _find_repeated(evaluator.name for evaluator in self.evaluators):
            raise ValueError(f"two evaluators are called {repeated!r}; give one of them another `name`")


def _read(dataset: Iterable[DatasetItem] | str | Path) -> Sequence[DatasetItem]:
    if isinstance(dataset, (str, Path)):
        return read_items(Path(dataset).read_text(encoding="utf-8-sig"))
    return list(dataset)


def _find_repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]
