"""Times as the store keeps them: in UTC, without a zone."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["as_utc", "format_time", "utc_now"]


def utc_now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def as_utc(time: datetime) -> datetime:
    """One without a zone is taken for UTC. Raises OverflowError at the ends of time."""
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def format_time(time: datetime) -> str:
    """A time of the store, for people."""
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"
