"""Numbers for people, by the name of their column."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.queries.number_text import format_rows


def shown(name: str, value: Any, **others: Any) -> Any:
    """How a value is shown behind these other values of its row."""
    return format_rows([*others, name], [[*others.values(), value]])[0][-1]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("p95_ms", 0.34, "0.3 ms"),
        ("p95_ms", 523.4, "523 ms"),
        ("p95_ms", 999.6, "1.0 s"),
        ("p95_ms", 1234, "1.2 s"),
        ("p95_ms", 59_960, "1 min"),
        ("p95_ms", 100_000, "1 min 40 s"),
        ("p95_ms", 3_599_900, "1 h"),
        ("p95_ms", 7_500_000, "2 h 5 min"),
        ("wait_s", 100, "1 min 40 s"),
        ("cost_usd", 0, "$0.00"),
        ("cost_usd", 0.00001, "< $0.0001"),
        ("cost_usd", 0.0123, "$0.0123"),
        ("cost_usd", 0.99999, "$1.00"),
        ("cost_usd", 1234.5, "$1,234.50"),
        ("input_tokens", 523, "523"),
        ("input_tokens", 12_400, "12.4 k"),
        ("input_tokens", 1_240_000, "1.24 M"),
        ("runs", 2104, "2,104"),
        ("mean_value", 0.8750, "0.875"),
        ("mean_value", 1.0, "1"),
        ("is_own", True, "yes"),
        ("started_at", "2026-11-22T18:17:27.336837Z", "2026-11-22 18:17:27"),
        ("versions", ["1.3.0", "1.4.0"], "1.3.0, 1.4.0"),
        ("why", "timed out after 30 s", "timed out after 30 s"),
        ("arguments", {"city": "Paris"}, {"city": "Paris"}),
        ("cost_usd", None, None),
    ],
)
def test_number_has_the_unit_of_its_column(name: str, value: Any, text: Any) -> None:
    assert shown(name, value) == text


def test_rate_is_a_percentage_of_the_nearest_number_before_it() -> None:
    names = ["n_before", "before_rate", "n", "pass_rate"]
    assert format_rows(names, [[7, 3 / 7, 70, 3 / 70]]) == [["7", "3 of 7", "70", "4.3 %"]]
    assert format_rows(names, [[70, 0.5, 9, 1.0]]) == [["70", "50.0 %", "9", "9 of 9"]]


def test_interval_and_change_of_a_rate_are_shown_only_over_ten_and_more() -> None:
    names = ["n", "pass_rate_low", "pass_rate_change", "pass_rate_change_high"]
    assert format_rows(names, [[10, 0.4, -0.041, 0.02]]) == [["10", "40.0 %", "-4.1 pt", "+2.0 pt"]]
    assert format_rows(names, [[9, 0.4, -0.041, 0.02]]) == [["9", "", "", ""]]


@pytest.mark.parametrize(
    ("unit", "before", "change"),
    [("rate", "5.0 %", "+5.0 pt"), ("ms", "0.1 ms", "+0.1 ms"), ("usd", "$0.0500", "+$0.0500")],
)
def test_measures_of_different_units_have_theirs_in_their_row(unit: str, before: str, change: str) -> None:
    texts = format_rows(["n", "before", "change", "unit"], [[177, 0.05, 0.05, unit]])
    assert texts == [["177", before, change, unit]]


def test_change_that_is_less_has_its_sign() -> None:
    assert shown("change_low", -1500.0, unit="ms") == "-1.5 s"
