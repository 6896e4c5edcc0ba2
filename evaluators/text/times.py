"""Times as people write them, in UTC without a zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from .duration import BadDuration, duration

__all__ = ["as_utc", "parse_time"]

_DAYS_AGO: Final = {"today": 0, "yesterday": 1}


def as_utc(time: datetime) -> datetime:
    """Convert `time` to UTC without a zone; one without a zone is in UTC already.

    Raises OverflowError outside years 1-9999.
    """
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def parse_time(text: str, now: datetime) -> datetime:
    """Parse ISO 8601, a duration before `now` (`7d`, `12h`), or the begin of `today` or `yesterday`, to a time in UTC.

    It has no zone. Raises ValueError.
    """
    if (days := _DAYS_AGO.get(text.strip().lower())) is not None:
        return now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=days)
    try:
        return now - duration(text)
    except BadDuration:
        pass  # then it is a time
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a time; write 2026-11-22, 2026-11-22T12:00 or 7d (ago)") from error
