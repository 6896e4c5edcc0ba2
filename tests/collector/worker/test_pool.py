from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from tracegrade.collector.records.arrow_batch import Batch
from tracegrade.collector.worker.pool import Pool
from tracegrade.collector.worker.process import WorkerLost
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target

ERRORS = configure("tool_error")
NO_RUNS: Batch[Any] = Batch({"agent_traces": pa.table({"agent_trace_id": []})}, lambda _: [], key="agent_trace_id")


class Bench:
    """A workbench that works until it is told to end."""

    def __init__(self) -> None:
        self.jobs = 0
        self.at_work = threading.Event()
        self.end = threading.Event()

    def attempt(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        self.jobs += 1
        self.at_work.set()
        assert self.end.wait(10)
        return []


def pooled(*benches: Bench) -> Pool:
    some: Any = benches
    return Pool(some)


def test_pool_uses_one_worker_as_long_as_one_is_enough() -> None:
    one, other = Bench(), Bench()
    one.end.set()
    other.end.set()
    pool = pooled(one, other)
    for _ in range(3):
        pool.evaluate(NO_RUNS, [ERRORS])
    assert sorted([one.jobs, other.jobs]) == [0, 3]


def test_pool_has_another_worker_for_whoever_comes_while_one_hangs() -> None:
    benches = (Bench(), Bench())
    pool = pooled(*benches)
    hanging = threading.Thread(target=pool.evaluate, args=(NO_RUNS, [ERRORS]))
    hanging.start()
    busy = next(bench for bench in benches if bench is benches[1] or bench.jobs)
    assert busy.at_work.wait(10)
    [free] = [bench for bench in benches if bench is not busy]
    free.end.set()
    pool.evaluate(NO_RUNS, [ERRORS])
    assert free.jobs == 1
    busy.end.set()
    hanging.join(10)
    assert not hanging.is_alive()


@pytest.mark.parametrize("fails", [ValueError("no"), KeyboardInterrupt()])
def test_pool_has_its_worker_back_when_a_job_fails(fails: BaseException) -> None:
    class Failing(Bench):
        def attempt(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
            self.jobs += 1
            raise fails

    bench = Failing()
    pool = pooled(bench)
    for _ in range(2):
        with pytest.raises(type(fails)):
            pool.evaluate(NO_RUNS, [ERRORS])
    assert bench.jobs == 2


def test_whoever_cost_a_worker_never_holds_the_last_one() -> None:
    held = threading.Event()

    class Hanging(Bench):
        """Loses its worker over every evaluator that hangs, and then looks for the culprit for long."""

        def attempt(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
            if evaluators[0].name.startswith("hangs"):
                raise WorkerLost("no answer")
            return []

        def without_culprits(
            self, targets: Sequence[Target], evaluators: Sequence[Configured], *, lost: WorkerLost
        ) -> Sequence[ScoreRecord]:
            assert held.wait(10)
            return []

    pool = pooled(Hanging(), Hanging(), Hanging())
    hanging = [
        threading.Thread(target=pool.evaluate, args=(NO_RUNS, [replace(ERRORS, name=f"hangs {number}")]))
        for number in range(5)
    ]
    for thread in hanging:
        thread.start()
    assert pool.evaluate(NO_RUNS, [ERRORS]) == []
    held.set()
    for thread in hanging:
        thread.join(10)
