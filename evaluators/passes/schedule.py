"""When evaluators with a schedule of their own are at work."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from ..definition.registry import Configured
from ..text.duration import BadDuration, duration

__all__ = ["BadSchedule", "Timetable", "next_time"]

_FIELDS: Final = 5


class BadSchedule(ValueError):
    """Neither a cron expression nor an interval."""


def next_time(schedule: str, after: datetime) -> datetime:
    """The next time of `schedule` (five fields of cron, in UTC, or an interval such as 5m). Raises BadSchedule."""
    try:
        pause = duration(schedule)
    except BadDuration:
        return _next_by_cron(schedule, after)
    if not pause:
        raise BadSchedule(f"{schedule!r} is no pause: write 5m, or no schedule for whenever something is new")
    return after + pause


def _next_by_cron(schedule: str, after: datetime) -> datetime:
    what_to_write = "write five fields as cron has them, or 5m"
    if len(schedule.split()) != _FIELDS:
        raise BadSchedule(f"{schedule!r} is no schedule: {what_to_write}")
    from croniter import CroniterBadDateError, CroniterError, croniter  # noqa: PLC0415 - few schedules are cron's

    try:
        following: datetime = croniter(schedule, after).get_next(datetime)
    except CroniterBadDateError as error:
        raise BadSchedule(f"{schedule!r} never comes: there is no such day") from error
    except (CroniterError, ValueError, AttributeError, TypeError) as error:
        raise BadSchedule(f"{schedule!r} is no schedule: {what_to_write}") from error
    return following


class Timetable:
    """Remembers when each evaluator was last at work. `last` is what is known from before the start."""

    def __init__(self, last: Mapping[str, datetime]) -> None:
        self._last = dict(last)

    def is_open(self, evaluator: Configured, now: datetime) -> bool:
        """Whether the evaluator's time has come."""
        return evaluator.schedule is None or self.opens_at(evaluator, now) <= now

    def opens_at(self, evaluator: Configured, now: datetime) -> datetime:
        """When it is at work next; now, where nothing says otherwise."""
        if evaluator.schedule is None:
            return now
        last = min(self._last.get(evaluator.name, now), now)  # a clock that was ahead once would hold it up
        self._last[evaluator.name] = last
        return next_time(evaluator.schedule, last)

    def done(self, evaluator: Configured, now: datetime) -> None:
        """It has judged what was there."""
        self._last[evaluator.name] = now
