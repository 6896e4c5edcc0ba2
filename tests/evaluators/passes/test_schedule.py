from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.passes.schedule import BadSchedule, Timetable, next_time

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - UTC without a zone, as the store has it


def scheduled(schedule: str | None) -> Configured:
    return replace(configure("tool_error"), schedule=schedule)


@pytest.mark.parametrize(
    ("schedule", "after"),
    [
        pytest.param("*/5 * * * *", timedelta(minutes=5), id="cron"),
        pytest.param("0 3 * * *", timedelta(hours=15), id="cron, daily"),
        pytest.param("5m", timedelta(minutes=5), id="interval"),
        pytest.param("1.5h", timedelta(minutes=90), id="interval with a fraction"),
    ],
)
def test_schedule_says_when_it_is_next(schedule: str, after: timedelta) -> None:
    assert next_time(schedule, NOON) == NOON + after


@pytest.mark.parametrize("schedule", ["now and then", "61 * * * *", "", "5 minutes", "* * * * * *", "@daily"])
def test_schedule_that_is_none_says_what_to_write(schedule: str) -> None:
    with pytest.raises(BadSchedule, match="write five cron fields"):
        next_time(schedule, NOON)


@pytest.mark.parametrize(
    ("schedule", "said"),
    [
        pytest.param("0 0 30 2 *", "no such day exists", id="no such day"),
        pytest.param("0s", "write 5m, or leave `schedule` out", id="no pause"),
    ],
)
def test_schedule_that_never_comes_or_always_is_refused(schedule: str, said: str) -> None:
    with pytest.raises(BadSchedule, match=said):
        next_time(schedule, NOON)


def test_evaluator_without_a_schedule_is_always_at_work() -> None:
    assert Timetable({}).is_due(scheduled(None), NOON)


def test_evaluator_is_at_work_when_its_time_comes_and_then_waits_for_the_next() -> None:
    hourly, times = scheduled("0 * * * *"), Timetable({"tool_error": NOON - timedelta(minutes=30)})
    assert not times.is_due(hourly, NOON - timedelta(minutes=1))
    assert times.is_due(hourly, NOON)
    times.mark_done(hourly, NOON)
    assert not times.is_due(hourly, NOON + timedelta(minutes=59))
    assert times.next_pass_at(hourly, NOON) == NOON + timedelta(hours=1)


def test_times_that_were_missed_are_made_up_for_once() -> None:
    hourly, times = scheduled("1h"), Timetable({"tool_error": NOON - timedelta(hours=5)})
    assert times.is_due(hourly, NOON)
    times.mark_done(hourly, NOON)
    assert not times.is_due(hourly, NOON)


@pytest.mark.parametrize("schedule", ["5m", "*/5 * * * *"], ids=["interval", "cron"])
def test_clock_that_was_ahead_silences_nobody(schedule: str) -> None:
    times, often = Timetable({"tool_error": NOON + timedelta(days=365)}), scheduled(schedule)
    assert times.next_pass_at(often, NOON) == NOON + timedelta(minutes=5)
    assert times.is_due(often, NOON + timedelta(minutes=5))
