"""The values of the parameters of a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.evaluators.text.times import parse_time

from .errors import BadParameter
from .report import Report

__all__ = ["Filled", "fill"]


@dataclass(frozen=True, kw_only=True)
class Filled:
    """The values by name, as they are sent with the SELECT: times are texts in ISO 8601. `since` and `until` in UTC."""

    values: Mapping[str, str | None]
    since: datetime | None
    until: datetime | None


def fill(report: Report, given: Mapping[str, str], *, now: datetime) -> Filled:
    """Return the values of all parameters of a report.

    `given` has the values by name; what is not in it selects everything, but for the period: it begins `report.period`
    before its end, which is `now`. Raises BadParameter if the report has no such parameter, or a value is not a time.
    """
    for name in given:
        if name not in report.parameters:
            raise BadParameter(_describe_unknown(report, name))
    since, until = _find_period(report, given, now)
    times = {name: time.isoformat() for name, time in (("since", since), ("until", until)) if time}
    values = {name: times.get(name) or given.get(name) for name in report.parameters}
    return Filled(values=values, since=since, until=until)


def _find_period(report: Report, given: Mapping[str, str], now: datetime) -> tuple[datetime | None, datetime | None]:
    """Return begin and end of the period, each None if the report has no parameter for it."""
    end = _parse("until", given["until"], now) if "until" in given else now
    until = end if "until" in report.parameters else None
    if report.period is None:
        return None, until
    since = _parse("since", given["since"], now) if "since" in given else _parse("period", report.period, end)
    if until and since >= until:
        raise BadParameter(f"since ({since:%Y-%m-%d %H:%M}) has to be before until ({until:%Y-%m-%d %H:%M}), in UTC")
    return since, until


def _parse(name: str, text: str, now: datetime) -> datetime:
    try:
        return parse_time(text, now)
    except ValueError as error:
        raise BadParameter(f"{name}: {error}") from error


def _describe_unknown(report: Report, name: str) -> str:
    names = ", ".join(report.parameters) or "none"
    return f"report {report.name} has no parameter {name!r}{nearest(name, report.parameters)}; it takes: {names}"
