"""The times at which evaluators with a schedule run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from ..definition.registry import Configured
from ..text.duration import BadDuration, duration

__all__ = ["BadSchedule", "Timetable", "next_time"]

_FIELDS: Final = 5


class BadSchedule(ValueError):
    """The text is neither a cron expression nor an interval."""


def next_time(schedule: str, after: datetime) -> datetime:
    """Return the next time of `schedule`: five cron fields, in UTC, or an interval such as 5m. Raises BadSchedule."""
    try:
        interval = duration(schedule)
    except BadDuration:
        return _next_cron_time(schedule, after)
    if not interval:
        raise BadSchedule(f"{schedule!r} is not an interval: write 5m, or leave `schedule` out to evaluate at once")
    return after + interval


def _next_cron_time(schedule: str, after: datetime) -> datetime:
    hint = "write five cron fields, or an interval such as 5m"
    if len(schedule.split()) != _FIELDS:
        raise BadSchedule(f"{schedule!r} is not a schedule: {hint}")
    from croniter import CroniterBadDateError, CroniterError, croniter  # noqa: PLC0415 - few schedules are cron expressions

    try:
        following: datetime = croniter(schedule, after).get_next(datetime)
    except CroniterBadDateError as error:
        raise BadSchedule(f"{schedule!r} never comes: no such day exists") from error
    except (CroniterError, ValueError, AttributeError, TypeError) as error:
        raise BadSchedule(f"{schedule!r} is not a schedule: {hint}") from error
    return following


class Timetable:
    """Remembers when the last pass of each evaluator was; `last_passes` are those before the start."""

    def __init__(self, last_passes: Mapping[str, datetime]) -> None:
        self._last_passes = dict(last_passes)

    def is_due(self, evaluator: Configured, now: datetime) -> bool:
        """Return whether the scheduled time of the evaluator has come."""
        return evaluator.schedule is None or self.next_pass_at(evaluator, now) <= now

    def next_pass_at(self, evaluator: Configured, now: datetime) -> datetime:
        """Return when the next pass of the evaluator is; `now` if it has no schedule."""
        if evaluator.schedule is None:
            return now
        last = min(self._last_passes.get(evaluator.name, now), now)  # the clock may have been ahead
        self._last_passes[evaluator.name] = last
        return next_time(evaluator.schedule, last)

    def mark_done(self, evaluator: Configured, now: datetime) -> None:
        """Remember that a pass of the evaluator has ended."""
        self._last_passes[evaluator.name] = now
