"""An experiment: runs an agent on every item of a dataset, and evaluates the runs."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracegrade.evaluators.catalog.configure import as_configured
from tracegrade.evaluators.catalog.judge_identity import identify_with_judge
from tracegrade.evaluators.definition.evaluator_object import EvaluatorObject
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.evaluators.experiments.dataset_file import make_items
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.item_file import read_item_file
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction
from tracegrade.evaluators.judges.backends.loop_thread import LoopThread
from tracegrade.evaluators.judges.backends.threads import Threads
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.model import AgentTrace, JsonObject

from ..clock import utc_now
from .all_results import all_results
from .evaluation import evaluating
from .execution import Execution, OnFinished
from .plan import Pair, Plan
from .progress import OnRun, refuse_other_listeners, show_progress, tell
from .task_call import Task, refuse_other_tasks

if TYPE_CHECKING:
    from ..worker.client import JudgeCalls
    from .store import ExperimentStore

__all__ = ["Experiment"]


class Experiment:
    """Runs `task` on every item of `dataset`, `repeats` times, and applies `evaluators` to the runs.

    `dataset` has items, or mappings with their fields, or is the path of a file with them; `split` and `tags` choose
    among them. An evaluator is a name, what `configure`, `build` or `tracegrade.evaluators.named` make, or an object of
    `tracegrade.evaluators.compat`; those of kind llm ask the function `judge`, or that of the `judges` which they name.
    At most `concurrency` calls of the task run at once, each for at most `timeout_s` seconds (None: without a limit).

    The runs are captured from the OpenTelemetry spans that the task records (`collector.capture`). A task that fails,
    takes too long or brings no run makes an ExperimentRun of status `error`; the others go on.

    With a `store` (URL, or path of a DuckDB file) runs and scores are kept there, beside those of production. One that
    was interrupted continues if it has the same name, items, repeats, evaluators and task, unless it `is_new`;
    `author` and `metadata` are kept with it. Needs `tracegrade[server]`.

    Raises ValueError without items or evaluators, for two evaluators of one name, for numbers that are too small, and
    for what is wrong in the file; TypeError for an argument of another type, and for an evaluator that cannot be
    applied to runs, or that lacks a judge; and OSError if the file cannot be read.
    """

    def __init__(  # noqa: PLR0913 - each is one decision of the user, most with a default
        self,
        name: str,
        dataset: Iterable[DatasetItem | Mapping[str, Any]] | Dataset | str | Path,
        task: Task,
        evaluators: Iterable[Configured | EvaluatorObject | str],
        *,
        repeats: int = 1,
        concurrency: int = 8,
        timeout_s: float | None = 300.0,
        judge: JudgeFunction | None = None,
        judges: Mapping[str, Judge] | None = None,
        split: str | None = None,
        tags: Collection[str] | str = (),
        store: str | Path | None = None,
        is_new: bool = False,
        author: str = "anonymous",
        metadata: JsonObject | None = None,
    ) -> None:
        refuse_other_tasks(task)
        self.store = store
        self.plan = Plan(
            name=name,
            dataset=_read(dataset).select(split, tags),
            task=task,
            evaluators=_configure(evaluators, judges or {}),
            repeats=repeats,
            concurrency=concurrency,
            timeout_s=timeout_s,
            judge=judge,
            judges=judges or {},
            is_new=is_new,
            author=author,
            metadata=metadata or {},
        )

    @classmethod
    def of_plan(cls, plan: Plan, *, store: str | Path | None = None) -> Experiment:
        """Return the experiment of a plan."""
        experiment = cls.__new__(cls)
        experiment.plan, experiment.store = plan, store
        return experiment

    @classmethod
    def of_runs(
        cls,
        name: str,
        runs: Iterable[AgentTrace],
        evaluators: Iterable[Configured | EvaluatorObject | str],
        *,
        judges: Mapping[str, Judge] | None = None,
        store: str | Path | None = None,
        **options: Any,
    ) -> Experiment:
        """Return an experiment over runs that were recorded earlier, each with its own reference: no agent runs.

        Their inputs are the items, and several runs with the same input are repeats of one item. `options` are
        `judge`, `is_new`, `author` and `metadata`. Raises NotRecorded if the input of a run was not recorded, and
        otherwise as the constructor does.
        """
        by_item: dict[str, tuple[DatasetItem, list[AgentTrace]]] = {}
        for run in runs:
            item = DatasetItem.of_run(run)
            by_item.setdefault(item.id, (item, []))[1].append(run)
        plan = Plan(
            name=name,
            dataset=Dataset(tuple(item for item, _ in by_item.values())),
            task=None,
            evaluators=_configure(evaluators, judges or {}),
            judges=judges or {},
            repeats=max((len(repeats) for _, repeats in by_item.values()), default=1),
            recorded={
                (item_id, repeat): run
                for item_id, (_, repeats) in by_item.items()
                for repeat, run in enumerate(repeats)
            },
            **options,
        )
        return cls.of_plan(plan, store=store)

    def run(self, *, on_run: OnRun = lambda _: None, progress: bool | None = None) -> ExperimentResult:
        """Run the experiment, as `arun` does. Raises RuntimeError within a running event loop."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.arun(on_run=on_run, progress=progress, isolates_task=True))
        raise RuntimeError("an event loop is running in this thread: use `await experiment.arun()`")

    async def arun(
        self,
        *,
        on_run: OnRun = lambda _: None,
        progress: bool | None = None,
        store: ExperimentStore | None = None,
        isolates_task: bool = False,
    ) -> ExperimentResult:
        """Run the experiment, and return its result.

        `on_run` is called with each run as soon as it is evaluated, in the thread of the event loop; an error that it
        raises is a warning, and the experiment goes on. A bar shows the
        `progress` on standard error; None: if that is a terminal. An opened `store` replaces that of the experiment.
        `isolates_task`: a task that is `async` runs in an event loop of its own, in a thread, and not in this one,
        whose objects it may need; if it then blocks its loop, it is left behind, and does not hold up the others.
        """
        refuse_other_listeners(on_run)
        execute = partial(self._execute, on_run=on_run, progress=progress, isolates_task=isolates_task)
        if store is None and self.store is None:
            started_at = utc_now()
            runs = await execute(self.plan.pairs)
            return ExperimentResult(
                name=self.plan.name,
                runs=tuple(runs),
                started_at=started_at,
                ended_at=utc_now(),
                evaluator_names=tuple(evaluator.name for evaluator in self.plan.evaluators),
            )
        try:
            from .kept_experiment import opening, run_kept  # noqa: PLC0415 - of the server's packages
        except ImportError as error:
            raise ImportError(f"a store needs `pip install 'tracegrade[server]'`: {error}") from error
        async with opening(self.store, store) as opened:
            return await run_kept(self.plan, opened, execute)

    async def _execute(
        self,
        pairs: Sequence[Pair],
        keep: OnFinished | None = None,
        calls: JudgeCalls | None = None,
        *,
        on_run: OnRun,
        progress: bool | None,
        isolates_task: bool,
    ) -> list[ExperimentRun]:
        """Run these pairs; return their runs in the order of the dataset. `calls` keeps the answers of judges."""
        async with evaluating(self.plan, calls) as evaluation:
            with (
                _starting_loop() if isolates_task else nullcontext() as loop,
                ThreadPoolExecutor(self.plan.concurrency, thread_name_prefix="tracegrade assembly") as threads,
                show_progress(self.plan.name, len(pairs), is_shown=progress) as advance,
            ):
                execution = Execution(self.plan, threads, evaluation, loop=loop)

                async def complete(pair: Pair) -> ExperimentRun:
                    finished = await execution.complete(pair)
                    if keep is not None:
                        await keep(finished)
                    advance(finished.run)
                    tell(on_run, finished.run)
                    return finished.run

                runs = await all_results(map(complete, pairs))
        order = sorted(range(len(pairs)), key=lambda at: (pairs[at].position, pairs[at].repeat))
        return [runs[at] for at in order]


@contextmanager
def _starting_loop() -> Iterator[LoopThread]:
    """Yield an event loop in a thread of its own, which starts with the first coroutine."""
    loop = LoopThread(Threads())
    try:
        yield loop
    finally:
        loop.end()


def _read(dataset: Iterable[DatasetItem | Mapping[str, Any]] | Dataset | str | Path) -> Dataset:
    if isinstance(dataset, Dataset):
        return dataset
    if isinstance(dataset, (str, Path)):
        return Dataset(read_item_file(Path(dataset)))
    if isinstance(dataset, (DatasetItem, Mapping)) or not isinstance(dataset, Iterable):
        raise TypeError(f"the dataset is a {type(dataset).__name__}; give a list of items, or the path of a file")
    return Dataset(make_items(dataset))


def _configure(
    evaluators: Iterable[Configured | EvaluatorObject | str], judges: Mapping[str, Judge]
) -> list[Configured]:
    """Return the evaluators, ready to run; which judge one asks is part of its identity. Raises TypeError."""
    if isinstance(evaluators, (str, Configured, EvaluatorObject)) or not isinstance(evaluators, Iterable):
        given = repr(evaluators) if isinstance(evaluators, str) else f"of type {type(evaluators).__name__}"
        raise TypeError(f"`evaluators` is a list, such as ['tool_trajectory'], and not {given}")
    return [_identify(as_configured(each), judges) for each in evaluators]


def _identify(evaluator: Configured, judges: Mapping[str, Judge]) -> Configured:
    if not isinstance(evaluator, Configured):
        return evaluator  # the plan refuses it
    judge = judges.get(evaluator.asks or "")
    return evaluator if judge is None else identify_with_judge(evaluator, judge)
