"""An experiment of tasks that wait, beside the same tasks in a bare loop: async, and plain functions in threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tests.support.traced_agent import book

from tracegrade.collector.experiments import Experiment
from tracegrade.evaluators.experiments.item import DatasetItem

from .figures import Benchmark, Metric, Options

__all__ = ["EXPERIMENTS"]

_ITEMS: Final = 1_000
_TASK_S: Final = 0.05
_CONCURRENCY: Final = 16
_EVALUATORS: Final = ("tool_trajectory", "tool_correctness", "tool_error")


def _run(_: Options) -> Mapping[str, float]:
    items = [
        DatasetItem.model_validate(
            {"input": f"city {number}", "expected_tool_calls": [{"name": "book", "args": {"city": f"city {number}"}}]}
        )
        for number in range(_ITEMS)
    ]
    _experiment(items[:_CONCURRENCY], _wait_async)  # the first spans import and compile much
    in_loop, in_threads = _took(lambda: asyncio.run(_loop(items))), _took(lambda: _threads(items))
    return {
        "async tasks, of the bare loop": _took(lambda: _experiment(items, _wait_async)) / in_loop,
        "plain functions, of bare threads": _took(lambda: _experiment(items, _wait)) / in_threads,
    }


def _took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _experiment(items: list[DatasetItem], task: Callable[[str], object]) -> None:
    result = Experiment("bench", items, task, _EVALUATORS, concurrency=_CONCURRENCY).run(progress=False)
    assert not result.errors, result.errors[0].cause
    assert not any(score.passed is False or score.status == "error" for run in result.runs for score in run.scores)


async def _wait_async(city: str) -> None:
    await asyncio.sleep(_TASK_S)
    book(city)


def _wait(city: str) -> None:
    time.sleep(_TASK_S)
    book(city)


async def _loop(items: list[DatasetItem]) -> None:
    slots = asyncio.Semaphore(_CONCURRENCY)

    async def one(item: DatasetItem) -> None:
        async with slots:
            await _wait_async(str(item.input))

    await asyncio.gather(*map(one, items))


def _threads(items: list[DatasetItem]) -> None:
    with ThreadPoolExecutor(_CONCURRENCY) as threads:
        list(threads.map(_wait, [str(item.input) for item in items]))


EXPERIMENTS = Benchmark(
    f"An experiment of {_ITEMS:,} tasks of {_TASK_S * 1000:g} ms, {_CONCURRENCY} at once, with three evaluators",
    (
        Metric(name="async tasks, of the bare loop", unit="times", target=1.3, less_is_better=True),
        Metric(name="plain functions, of bare threads", unit="times", target=1.3, less_is_better=True),
    ),
    _run,
)
