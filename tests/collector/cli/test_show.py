"""What `tracegrade show` says of a run's tokens and costs."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.collector.cli.show import _format_fact


@pytest.mark.parametrize(
    ("own", "total", "text"),
    [
        pytest.param(200, 200, "200", id="no sub-agents"),
        pytest.param(200, None, "200", id="assembled by an earlier version"),
        pytest.param(200, 600, "200 (600 with sub-agents)", id="sub-agents"),
        pytest.param(None, 600, "600 with sub-agents", id="only sub-agents"),
    ],
)
def test_total_stands_beside_what_the_run_took_itself(own: Any, total: Any, text: str) -> None:
    assert _format_fact({"input_tokens": own, "total_input_tokens": total}, "input_tokens") == text


def test_cost_is_shown_in_dollars() -> None:
    assert _format_fact({"cost_usd": 0.25, "total_cost_usd": 1.5}, "cost_usd") == "$0.250 ($1.50 with sub-agents)"


def test_fact_without_a_total_is_shown_as_it_is() -> None:
    assert _format_fact({"input": "hello"}, "input") == "hello"
