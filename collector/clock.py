"""Times as the store holds them: in UTC, without a zone."""

from __future__ import annotations

from datetime import UTC, datetime

from tracegrade.evaluators.text.duration import BadDuration, duration

__all__ = ["as_utc", "format_time", "parse_time", "utc_now"]


def utc_now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def as_utc(time: datetime) -> datetime:
    """Convert `time` to UTC without a zone; one without a zone is in UTC already.

    Raises OverflowError outside years 1-9999.
    """
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def parse_time(text: str, now: datetime) -> datetime:
    """Parse ISO 8601, or a duration before `now` (`7d`, `12h`), to a time in UTC without a zone. Raises ValueError."""
    try:
        return now - duration(text)
    except BadDuration:
        pass  # then it is a time
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a time; write 2026-11-22, 2026-11-22T12:00 or 7d (ago)") from error


def format_time(time: datetime) -> str:
    """Format a time of the store for display."""
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"
