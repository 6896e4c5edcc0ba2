"""Runs the task of an experiment on an item, finds its run, and evaluates it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.judges.backends.loop_thread import LoopThread
from tracegrade.evaluators.model import AgentTrace

from ..capture import Capture, capture
from .captured_run import NoRun, find_recorded, find_run
from .evaluation import RunEvaluation
from .plan import Pair, Plan
from .task_call import Task, TaskFailed, call_task

__all__ = ["Execution", "Finished", "OnFinished"]


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is evaluated, and what was captured of it."""

    pair: Pair
    run: ExperimentRun
    captured: Capture


OnFinished: TypeAlias = Callable[[Finished], Awaitable[None]]
"""Receives each run that is evaluated."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """A call of the task that has ended: what it returned, or the cause of its failure."""

    pair: Pair
    captured: Capture
    returned: object = None
    cause: str | None = None
    started_at: datetime | None = None
    duration_ms: float | None = None


class Execution:
    """Runs the task of a plan, within its concurrency, finds the runs in `threads`, and evaluates them.

    A task that is `async` runs in `loop`, by default in the running one.
    """

    def __init__(
        self, plan: Plan, threads: Executor, evaluation: RunEvaluation, *, loop: LoopThread | None = None
    ) -> None:
        self._plan = plan
        self._threads = threads
        self._evaluation = evaluation
        self._loop = loop
        self._slots = asyncio.Semaphore(plan.concurrency)

    async def complete(self, pair: Pair) -> Finished:
        """Run the task once, or take the recorded run; return the run, evaluated."""
        recorded, task = self._plan.recorded.get(pair.key), self._plan.task
        if recorded is not None or task is None:
            ended = _Ended(pair, Capture(), returned=recorded)
        else:
            async with self._slots:
                ended = await self._call(task, pair)
        run = await asyncio.get_running_loop().run_in_executor(self._threads, _find_run, ended)
        return Finished(pair, await self._evaluate(run), ended.captured)

    async def _call(self, task: Task, pair: Pair) -> _Ended:
        """Call the task with an item, and capture what it does."""
        returned: object = None
        cause: str | None = None
        started_at, began = datetime.now(UTC), time.perf_counter()
        with capture() as captured:
            try:
                returned = await call_task(task, pair.item.input, timeout_s=self._plan.timeout_s, loop=self._loop)
            except TaskFailed as failure:
                cause = str(failure)
        duration_ms = (time.perf_counter() - began) * 1000
        return _Ended(pair, captured, returned=returned, cause=cause, started_at=started_at, duration_ms=duration_ms)

    async def _evaluate(self, run: ExperimentRun) -> ExperimentRun:
        """Apply the evaluators to the run of an item, unless it is an error."""
        if run.run is None or run.status == "error":
            return run
        evaluated = await self._evaluation.evaluate(run.run, self._plan.evaluators)
        return replace(run, scores=tuple(evaluated.scores), deferred=tuple(evaluated.deferred))


def _find_run(ended: _Ended) -> ExperimentRun:
    """Assemble the run of a call that has ended."""
    item = ended.pair.item
    of_item = ExperimentRun(item=item, repeat=ended.pair.repeat, duration_ms=ended.duration_ms)
    if ended.cause is not None:
        return replace(of_item, status="error", cause=ended.cause, run=find_recorded(item, ended.captured))
    try:
        return replace(of_item, run=_complete_times(find_run(item, ended.returned, ended.captured), ended))
    except NoRun as error:
        return replace(of_item, status="error", cause=str(error))


def _complete_times(run: AgentTrace, ended: _Ended) -> AgentTrace:
    """Return the run with the times of the call, if it has none: a text alone says nothing of them."""
    if run.started_at is not None or ended.started_at is None or ended.duration_ms is None:
        return run
    ended_at = ended.started_at + timedelta(milliseconds=ended.duration_ms)
    times = {"started_at": ended.started_at, "ended_at": ended_at, "duration_ms": ended.duration_ms}
    return run.model_copy(update=times)
