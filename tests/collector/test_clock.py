"""Times as people write them."""

from __future__ import annotations

from datetime import datetime

import pytest

from tracegrade.collector.clock import parse_time

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-01-01", datetime(2026, 1, 1)),  # noqa: DTZ001
        ("2026-01-01T10:30", datetime(2026, 1, 1, 10, 30)),  # noqa: DTZ001
        ("2026-01-01T10:30+02:00", datetime(2026, 1, 1, 8, 30)),  # noqa: DTZ001
        ("7d", datetime(2025, 12, 25, 12)),  # noqa: DTZ001
        ("1.5h", datetime(2026, 1, 1, 10, 30)),  # noqa: DTZ001
    ],
)
def test_time_is_a_moment_or_how_long_ago(text: str, at: datetime) -> None:
    assert parse_time(text, NOON) == at


@pytest.mark.parametrize("text", ["tomorrow", "99999999d", "d"])
def test_time_that_is_none_says_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match=rf"'{text}' is not a time; write"):
        parse_time(text, NOON)
