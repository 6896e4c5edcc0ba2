from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.modules import working_in

from tracegrade.collector.config.settings import load
from tracegrade.collector.server.pipeline import Pipeline
from tracegrade.collector.worker.pool import Pool
from tracegrade.collector.worker.process import WorkerLost
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target

ERRORS = configure("tool_error")

FOUR = """
judges: {default: {model: a}, other: {model: b}}
evaluators:
  - use: tool_error
  - use: tool_efficiency
  - {name: mine, python: "checks:fine"}
  - {name: asked, sql: "select agent_trace_id, 1 as value from due"}
  - {name: reached, use: goal_achievement}
  - {name: coherent, use: response_coherence}
  - {name: again, use: goal_achievement, judge: other}
"""


@contextmanager
def staffed(folder: Path, text: str) -> Iterator[Pipeline]:
    (folder / "tracegrade.yaml").write_text(text, encoding="utf-8")
    with working_in(folder, checks="def fine(trace):\n    return True\n"):
        pipeline = Pipeline(load(folder / "tracegrade.yaml", store=str(folder / "s.duckdb")))
        try:
            yield pipeline
        finally:
            pipeline.let_go()


def test_ours_share_a_lane_and_everybody_else_has_one_of_their_own_but_for_those_of_one_judge(tmp_path: Path) -> None:
    with staffed(tmp_path, FOUR) as pipeline:
        lanes = [[one.name for one in lane.evaluators] for lane in pipeline.lanes]
    assert lanes == [["tool_error", "tool_efficiency"], ["mine"], ["asked"], ["reached", "coherent"], ["again"]]


def test_other_staff_takes_over_and_new_evaluators_begin(tmp_path: Path) -> None:
    with staffed(tmp_path, "evaluators: [{use: tool_error}]\n") as pipeline:
        pipeline.enrol()
        (tmp_path / "tracegrade.yaml").write_text(FOUR, encoding="utf-8")
        staff = pipeline.staff_of(load(tmp_path / "tracegrade.yaml"))
        staff.enrol()
        asyncio.run(pipeline.change_staff(staff))
        assert [one.name for one in pipeline.evaluators][:3] == ["tool_error", "tool_efficiency", "mine"]
        with pipeline.database.cursor() as connection:
            enrolled = connection.execute("select count(*) from evaluator_cursors").fetchall()
    assert enrolled == [(7,)]


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
        pool.evaluate([], [ERRORS])
    assert sorted([one.jobs, other.jobs]) == [0, 3]


def test_pool_has_another_worker_for_whoever_comes_while_one_hangs() -> None:
    benches = (Bench(), Bench())
    pool = pooled(*benches)
    hanging = threading.Thread(target=pool.evaluate, args=([], [ERRORS]))
    hanging.start()
    busy = next(bench for bench in benches if bench is benches[1] or bench.jobs)
    assert busy.at_work.wait(10)
    [free] = [bench for bench in benches if bench is not busy]
    free.end.set()
    pool.evaluate([], [ERRORS])
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
            pool.evaluate([], [ERRORS])
    assert bench.jobs == 2


def test_whoever_cost_a_worker_never_holds_the_last_one(tmp_path: Path) -> None:
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

    with staffed(tmp_path, FOUR) as pipeline:
        [fine] = pipeline.lanes[1].evaluators
    pool = pooled(Hanging(), Hanging(), Hanging())
    hanging = [
        threading.Thread(target=pool.evaluate, args=([], [replace(fine, name=f"hangs {number}")]))
        for number in range(5)
    ]
    for thread in hanging:
        thread.start()
    assert pool.evaluate([], [fine]) == []
    held.set()
    for thread in hanging:
        thread.join(10)
