from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.config.settings import load
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.server.backfill import request_backfill
from tracegrade.collector.server.pipeline import Pipeline
from tracegrade.queries.ports import Backfill, BackfillSummary, CommandRefused

pytestmark = pytest.mark.exhaustive  # each test runs a whole pipeline over the past

LONG_AGO = datetime(2000, 1, 1)  # noqa: DTZ001


@contextmanager
def grown(folder: Path, *evaluators: dict[str, Any]) -> Iterator[Pipeline]:
    """A store with two runs, travel's and checkout's, assembled before the evaluators came."""
    store = f"{folder}/s.duckdb"
    asyncio.run(_grow(store))
    later = Pipeline(load(store=store, evaluators=list(evaluators) or [{"use": "tool_error"}]))
    later.enrol()
    try:
        yield later
    finally:
        later.let_go()


async def _grow(store: str) -> None:
    pipeline = Pipeline(load(store=store, evaluators=[]))
    pipeline.start()
    for number, name in enumerate(("travel", "checkout"), 1):
        await pipeline.queue.accept(Signal.TRACES, agent_spans.export_request(agent_spans.trip(number, name=name)))
    await pipeline.finish(evaluate=False)
    await pipeline.close()


def count_requested(pipeline: Pipeline, **wanted: Any) -> dict[str, int]:
    return dict(request(pipeline, **wanted).requested)


def request(pipeline: Pipeline, **selection: Any) -> BackfillSummary:
    return request_backfill(pipeline.lanes.all, pipeline.database, Backfill(**{"since": LONG_AGO, **selection}))


def evaluate_all(pipeline: Pipeline) -> list[str]:
    """Evaluates what is due, and returns the agents of the runs that have a score."""
    while any(lane.evaluate().targets for lane in pipeline.lanes.all):
        pass
    with pipeline.database.cursor() as connection:
        found = connection.execute("select agent_name from latest_scores where scope = 'trace' order by 1").fetchall()
    return [name for (name,) in found]


def test_evaluator_that_is_new_judges_the_past_when_it_is_asked_to(tmp_path: Path) -> None:
    with grown(tmp_path) as pipeline:
        assert evaluate_all(pipeline) == []
        assert count_requested(pipeline) == {"tool_error": 2}
        assert evaluate_all(pipeline) == ["checkout", "travel"]


@pytest.mark.parametrize(
    ("wanted", "runs"),
    [
        pytest.param({"where": "agent_name = 'checkout'"}, ["checkout"], id="those of a condition"),
        pytest.param({"until": LONG_AGO + timedelta(days=1)}, [], id="those of a time"),
        pytest.param({"evaluators": ["tool_error"]}, ["checkout", "travel"], id="those of an evaluator"),
    ],
)
def test_only_what_is_asked_for_is_judged(tmp_path: Path, wanted: dict[str, Any], runs: list[str]) -> None:
    with grown(tmp_path) as pipeline:
        count_requested(pipeline, **wanted)
        assert evaluate_all(pipeline) == runs


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        pytest.param({"evaluators": ["tool_eror"]}, "'tool_error'", id="no such evaluator"),
        pytest.param({"evaluators": ["tool_name_reliability"]}, "no evaluator of runs", id="evaluator of tools"),
        pytest.param({"where": "agent = 'x'"}, "`where` cannot be used", id="no such column"),
        pytest.param({"until": LONG_AGO}, "is not before `until`", id="no time between"),
    ],
)
def test_what_cannot_be_asked_for_is_said(tmp_path: Path, wanted: dict[str, Any], said: str) -> None:
    with grown(tmp_path, {"use": "tool_error"}, {"use": "tool_name_reliability"}) as pipeline:
        with pytest.raises(CommandRefused, match=said):
            count_requested(pipeline, **wanted)
        assert evaluate_all(pipeline) == []


def test_order_tells_how_many_runs_it_means_and_what_was_asked_for_before(tmp_path: Path) -> None:
    with grown(tmp_path) as pipeline:
        assert request(pipeline, since=datetime(2200, 1, 1)).runs == 0  # noqa: DTZ001
        count_requested(pipeline, where="agent_name = 'checkout'")
        again = request(pipeline)
        assert (again.runs, again.requested, again.requested_before) == (2, {"tool_error": 1}, {"tool_error": 1})
        assert evaluate_all(pipeline) == ["checkout", "travel"]
        done = request(pipeline)
        assert (done.runs, done.requested, done.requested_before) == (2, {"tool_error": 0}, {"tool_error": 0})


def test_order_tells_what_was_deferred(tmp_path: Path) -> None:
    with grown(tmp_path) as pipeline:
        count_requested(pipeline)
        with pipeline.results.transaction() as connection:
            connection.execute("update deferrals set reason = 'budget spent', priority = 1")
        told = request(pipeline)
        assert (told.requested_before, told.deferred) == ({"tool_error": 0}, {"tool_error": 2})


def test_what_was_deferred_is_due_at_once_when_it_is_asked_for(tmp_path: Path) -> None:
    with grown(tmp_path) as pipeline:
        count_requested(pipeline)
        with pipeline.results.transaction() as connection:
            connection.execute("update deferrals set reason = 'budget spent', priority = 1, not_before = '2200-01-01'")
        assert evaluate_all(pipeline) == []
        assert count_requested(pipeline, where="agent_name = 'checkout'") == {"tool_error": 1}
        assert evaluate_all(pipeline) == ["checkout"]


def test_breaking_off_loses_nothing(tmp_path: Path) -> None:
    with grown(tmp_path) as pipeline:
        count_requested(pipeline)
    again = Pipeline(load(store=f"{tmp_path}/s.duckdb", evaluators=[{"use": "tool_error"}]))
    try:
        assert evaluate_all(again) == ["checkout", "travel"]
    finally:
        again.let_go()
