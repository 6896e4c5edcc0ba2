"""How far behind evaluators are said to be, on a clock that is moved; what /metrics answers when nobody can tell."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support import agent_spans
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.reports.backlog import Standing, read_standings
from tracegrade.collector.web.exposition import Exposition
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries import fence
from tracegrade.queries.fence import SqlTimedOut
from tracegrade.queries.result import Result

ERRORS, NAMES = configure("tool_error"), configure("tool_name_reliability")
OFFERED = '[{"type": "function", "function": {"name": "search", "description": "x", "parameters": {"type": "object"}}}]'


WHOLE = make_evaluator("whole", scope="session")


def read_standing(store: Store, evaluator: Configured) -> Standing:
    (standing,) = read_standings(LocalSource(store.database, max_rows=100, timeout_s=10).read, [evaluator])
    return standing


def test_evaluator_that_never_came_has_no_place_and_nothing_to_do(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1, offers=agent_spans.SEARCH_TOOL)
        assert read_standing(store, ERRORS) == Standing(evaluator=ERRORS)


def test_new_runs_are_counted_until_they_are_judged(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1, 2, offers=agent_spans.SEARCH_TOOL)
        clock.pass_by(seconds=90)
        store.add_runs(3, offers=agent_spans.SEARCH_TOOL)
        behind = read_standing(store, ERRORS)
        assert (behind.new, behind.lag_s(clock.now), behind.last_at) == (3, 90.0, None)
        store.evaluate(ERRORS)
        done = read_standing(store, ERRORS)
        assert (done.new, done.lag_s(clock.now), done.last_due, done.last_errors) == (0, 0.0, 3, 0)
        assert done.last_at == clock.now


def test_what_is_deferred_is_counted_with_the_first_reason_and_what_a_backfill_asks_for_apart(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.add_runs(1, offers=agent_spans.SEARCH_TOOL)
        store.ledger.enrol([ERRORS])
        store.ledger.backfill(ERRORS, since=store.one("select min(started_at) from agent_traces"))
        for trace, minutes in ((2, 10), (3, 5)):
            store.add_runs(trace, offers=agent_spans.SEARCH_TOOL)
            until = clock.now + timedelta(minutes=minutes)
            store.defer(ERRORS, until=until, reason=f"{minutes} minutes", limit=1)
        clock.pass_by(seconds=60)
        standing = read_standing(store, ERRORS)
        assert (standing.new, standing.deferred, standing.backfill) == (0, 2, 1)
        assert (standing.deferred_reason, standing.deferred_until) == ("5 minutes", clock.now + timedelta(minutes=4))
        assert standing.lag_s(clock.now) == 60.0


def test_sessions_and_tools_are_counted_each_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([WHOLE, NAMES])
        store.add_runs(1, 2, session="s", offers=agent_spans.SEARCH_TOOL)
        store.add_runs(3, offers=agent_spans.SEARCH_TOOL)
        assert read_standing(store, WHOLE).new == 1
        tools = read_standing(store, NAMES)
        assert (tools.new, tools.lag_s(store.now())) == (1, None)


def test_standing_is_that_of_the_evaluator_in_this_form(tmp_path: Path) -> None:
    stricter = configure("tool_error", threshold=0.5)
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1, offers=agent_spans.SEARCH_TOOL)
        store.ledger.enrol([stricter])
        assert (read_standing(store, ERRORS).new, read_standing(store, stricter).new) == (1, 0)


def test_pause_is_told_with_its_time(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([ERRORS])
        store.ledger.pause("tool_error")
        assert read_standing(store, ERRORS).paused_at == clock.now


@pytest.mark.parametrize(
    ("reason", "minutes", "state"),
    [
        pytest.param("judge 'default' cannot be asked: set A_KEY", 5, "cannot ask", id="its judge"),
        pytest.param("evaluator 'polite' has spent its 1 USD of today", 5, "cannot ask", id="its budget"),
        pytest.param("judge 'default' cannot be asked: set A_KEY", 0, "scheduled", id="its judge, until now"),
        pytest.param("the session is not idle", 5, "scheduled", id="something else"),
    ],
)
def test_evaluator_that_waits_for_its_judge_is_not_at_work(reason: str, minutes: int, state: str) -> None:
    polite = replace(ERRORS, name="polite", asks="default", schedule="1h")
    now = Clock().now
    standing = Standing(evaluator=polite, seq=1, deferred=1, deferred_reason=reason, deferred_until=now)
    assert replace(standing, deferred_until=now + timedelta(minutes=minutes)).state(now) == state


@pytest.mark.parametrize(
    ("schedule", "after_minutes", "opens_after_minutes"),
    [
        pytest.param(None, 10, None, id="at any time"),
        pytest.param("0 * * * *", 10, 60, id="cron"),
        pytest.param("0 * * * *", 70, 120, id="cron that was there already"),
        pytest.param("30m", 10, 30, id="interval"),
        pytest.param("30m", 31, 61, id="interval that is over: at the latest"),
    ],
)
def test_schedule_tells_when_the_evaluator_is_at_work_next(
    tmp_path: Path, schedule: str | None, after_minutes: int, opens_after_minutes: int | None
) -> None:
    began = Clock().now
    standing = Standing(evaluator=replace(ERRORS, schedule=schedule), enrolled_at=began)
    opens_at = standing.opens_at(began + timedelta(minutes=after_minutes))
    assert opens_at == (None if opens_after_minutes is None else began + timedelta(minutes=opens_after_minutes))


class Reader:
    """Reads a store, or fails, or hangs until it is let go."""

    def __init__(self, store: Store, *, error: Exception | None = None) -> None:
        self._store = store
        self.error = error
        self.free = threading.Event()
        self.free.set()

    def read(self, sql: str, **options: Any) -> Result:
        self.free.wait()
        if self.error is not None:
            raise self.error
        return fence.read(self._store.database.connect, sql, **options)


LAG = 'tracegrade_evaluator_lag_seconds{evaluator="tool_error"}'


def test_figures_tell_backlog_lag_and_pause_of_every_evaluator(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS, NAMES])
        store.ledger.pause("tool_error")
        store.add_runs(1, offers=agent_spans.SEARCH_TOOL)
        text = asyncio.run(Exposition(Reader(store), lambda: [ERRORS, NAMES]).render()).decode()
    for line in (
        'tracegrade_backlog{evaluator="tool_error"} 1.0',
        "tracegrade_assembly_lag_seconds ",
        'tracegrade_evaluator_paused{evaluator="tool_error"} 1.0',
        'tracegrade_evaluator_paused{evaluator="tool_name_reliability"} 0.0',
        f"{LAG} ",
    ):
        assert line in text
    assert 'lag_seconds{evaluator="tool_name_reliability"}' not in text
    assert "tracegrade_deferred{" not in text


@pytest.mark.parametrize("hangs", [False, True], ids=["failing", "busy"])
def test_metrics_of_a_store_that_cannot_answer_are_left_out_and_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, hangs: bool
) -> None:
    monkeypatch.setattr("tracegrade.collector.web.exposition._TIME_LIMIT_S", 0.2)
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        reader = Reader(store, error=None if hangs else SqlTimedOut("stopped"))
        exposition = Exposition(reader, lambda: [ERRORS])

        async def scrapes() -> tuple[bytes, bytes]:
            if hangs:
                reader.free.clear()
            first = await exposition.render()
            reader.error = None
            reader.free.set()
            monkeypatch.setattr("tracegrade.collector.web.exposition._TIME_LIMIT_S", 10)
            await asyncio.wait([exposition._measuring] if exposition._measuring else [])
            return first, await exposition.render()

        with capture_logs() as logs:
            first, second = asyncio.run(scrapes())
    assert b"tracegrade_accepted_records" in first
    assert LAG.encode() not in first
    assert LAG.encode() in second
    assert [entry["log_level"] for entry in logs] == ["warning"]
