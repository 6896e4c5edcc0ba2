"""Evaluators that ask a judge: scores a second against a server that takes a second, and one that takes 50 ms."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import psutil
from tests.support.judge_jobs import make_judge, make_llm_evaluator, make_run

from tracegrade.collector.clock import utc_now
from tracegrade.collector.config.settings import Settings
from tracegrade.collector.server.pipeline import Pipeline
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import EvaluationPass, JudgeCall

from .due import insert_runs
from .figures import Benchmark, Metric, Options
from .model import answering, settings_of

__all__ = ["JUDGES"]

_CONCURRENCY = 64
_QUESTIONS = 2_000
_EVIDENCE = "The agent looked up the order, and told the customer when it will arrive. " * 50


class _Memory:
    """A JudgeCache that keeps what a later run needs, and no more."""

    def __init__(self) -> None:
        self._known: dict[str, JudgeCall] = {}
        self.asked = 0

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        return {name: self._known[name] for name in request_hashes if name in self._known}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        for call in calls:
            if not call.from_cache:
                self.asked += 1
                self._known[call.request_hash] = call


def _run(_: Options) -> Mapping[str, float]:
    return {**_slow(), **_quick()}


def _slow() -> Mapping[str, float]:
    with answering(delay_s=1.0) as url:
        return {**asyncio.run(_against_slow(url)), "1 s server, through the store": asyncio.run(_through_store(url))}


async def _against_slow(url: str) -> Mapping[str, float]:
    memory, process = _Memory(), psutil.Process()
    engine = _engine(url, memory)
    await _ask(engine, _pairs(1, "before"))
    pairs = _pairs(_QUESTIONS, "slow")
    before = process.memory_info().rss
    took_s, _ = await _ask(engine, pairs)
    grown = process.memory_info().rss - before
    asked = memory.asked
    again_s, _ = await _ask(engine, pairs)
    await engine.close()
    return {
        "1 s server, concurrency 64": _QUESTIONS / took_s,
        "memory taken by 2,000 questions": grown / 2**20,
        "calls of a second run": memory.asked - asked,
        "second run": _QUESTIONS / again_s,
    }


def _quick() -> Mapping[str, float]:
    with answering(delay_s=0.05) as url:
        return asyncio.run(_against_quick(url))


async def _against_quick(url: str) -> Mapping[str, float]:
    engine = _engine(url, _Memory())
    await _ask(engine, _pairs(1, "before"))
    took_s, cpu_s = await _ask(engine, _pairs(_QUESTIONS, "quick"))
    await engine.close()
    return {"50 ms server, concurrency 64": _QUESTIONS / took_s, "CPU a call": 1000 * cpu_s / _QUESTIONS}


async def _through_store(url: str) -> float:
    """Scores a second of runs that wait in a store, as the passes of a server judge them."""
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Pipeline(_settings(Path(folder), url))
        try:
            pipeline.enrol()
            await _judged(pipeline, 1, offset=0)  # in a server the worker is at work already
            began = time.perf_counter()
            await _judged(pipeline, _QUESTIONS, offset=1)
            took_s = time.perf_counter() - began
        finally:
            await pipeline.close()
    return _QUESTIONS / took_s


async def _judged(pipeline: Pipeline, runs: int, *, offset: int) -> None:
    insert_runs(pipeline.database, runs, offset=offset)
    while (await pipeline.evaluate()).is_full:
        pass
    with pipeline.database.cursor() as connection:
        row = connection.execute("select count(*) from latest_scores where status = 'scored'").fetchone()
    if row != (offset + runs,):
        raise RuntimeError(f"{row} were scored, not {offset + runs}")


def _settings(folder: Path, url: str) -> Settings:
    return Settings.model_validate(
        {
            "store": f"duckdb:///{folder}/bench.duckdb",
            "assembly": {"judge_settle": "0s"},
            "judges": {"default": settings_of(url, concurrency=_CONCURRENCY)},
            "evaluators": [{"use": "goal_achievement"}],
        }
    )


def _engine(url: str, memory: _Memory) -> Engine:
    return Engine("bench", make_judge(url, concurrency=_CONCURRENCY), memory, now=utc_now)


async def _ask(engine: Engine, pairs: Sequence[tuple[Configured, AgentTrace]]) -> tuple[float, float]:
    """Seconds that it took, and of them seconds of CPU."""
    began, cpu = time.perf_counter(), time.process_time()
    found = await engine.ask(EvaluationPass(id="bench", started_at=utc_now()), pairs, {})
    took = time.perf_counter() - began, time.process_time() - cpu
    scored = sum(score.status == "scored" for score in found.scores)
    if scored != len(pairs):
        raise RuntimeError(f"{scored} of {len(pairs)} were scored")
    return took


def _pairs(count: int, about: str) -> list[tuple[Configured, AgentTrace]]:
    evaluator = make_llm_evaluator()
    return [(evaluator, make_run(number, f"{about} {number}: {_EVIDENCE}")) for number in range(count)]


JUDGES = Benchmark(
    "2,000 questions to a judge, 64 at once (ideal: 64/s at 1 s, 1,280/s at 50 ms)",
    (
        Metric(name="1 s server, concurrency 64", unit="/s", target=0.9 * _CONCURRENCY),
        Metric(name="1 s server, through the store", unit="/s", target=0.9 * _CONCURRENCY),
        Metric(name="memory taken by 2,000 questions", unit="MB"),
        Metric(name="calls of a second run", unit=""),
        Metric(name="second run", unit="/s"),
        Metric(name="50 ms server, concurrency 64", unit="/s"),
        Metric(name="CPU a call", unit="ms"),
    ),
    _run,
)
