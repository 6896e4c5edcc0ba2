"""Filters without one of their terms."""

from __future__ import annotations

import pytest

from tracegrade.queries.filter import FilterError, relax


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("", []),
        ("refund", [("refund", "")]),
        ("agent:a  -tool:b:error", [("agent:a", "-tool:b:error"), ("-tool:b:error", "agent:a")]),
        ('x "two  words" y', [("x", '"two  words" y'), ('"two  words"', "x y"), ("y", 'x "two  words"')]),
        ('tool:"a b":error cost>1', [('tool:"a b":error', "cost>1"), ("cost>1", 'tool:"a b":error')]),
        (
            "is:failing sql: cost_usd > 1 and model = 'a  b' ",
            [
                ("is:failing", "sql: cost_usd > 1 and model = 'a  b'"),
                ("sql: cost_usd > 1 and model = 'a  b'", "is:failing"),
            ],
        ),
        ("SQL:true", [("SQL:true", "")]),
    ],
)
def test_each_term_is_left_out_as_it_was_written(text: str, without: list[tuple[str, str]]) -> None:
    assert [(relaxed.left_out, relaxed.text.rstrip()) for relaxed in relax(text)] == without


def test_filter_that_cannot_be_read_is_not_relaxed() -> None:
    with pytest.raises(FilterError, match="this quotation mark is not closed"):
        relax('"agent')
