"""Times as the store holds them: in UTC, without a zone."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["as_utc", "format_time", "utc_now"]


def utc_now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def as_utc(time: datetime) -> datetime:
    """Convert `time` to UTC without a zone; one without a zone is in UTC already.

    Raises OverflowError outside years 1-9999.
    """
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def format_time(time: datetime) -> str:
    """Format a time of the store for display."""
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"
