"""Times as the store holds them: in UTC, without a zone."""

from __future__ import annotations

from datetime import UTC, datetime

from tracegrade.evaluators.text.times import as_utc, parse_time

__all__ = ["as_utc", "format_time", "parse_time", "utc_now"]


def utc_now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def format_time(time: datetime) -> str:
    """Format a time of the store for display."""
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"
