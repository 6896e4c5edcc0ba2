from __future__ import annotations

import pytest

from tracegrade.evaluators.pricing.price_table import LIST_PRICES, NO_PRICES, CalledModel, PriceTable
from tracegrade.evaluators.pricing.prices import Prices, TokenCounts

MILLION = TokenCounts(input_tokens=1_000_000, output_tokens=1_000_000)
DEAR = Prices(input_usd_per_million=10, output_usd_per_million=20)
CHEAP = Prices(input_usd_per_million=1, output_usd_per_million=2)


@pytest.mark.parametrize(
    "pattern",
    ["gpt-4.1-mini", "GPT-4.1-mini", "gpt-4.1*", "my-deployment", "gpt-4.1-mini-2025-04-14"],
    ids=["normalised", "capitals", "pattern", "request", "response"],
)
def test_configured_price_counts_for_each_name_of_the_model(pattern: str) -> None:
    model = CalledModel(request_model="my-deployment", response_model="gpt-4.1-mini-2025-04-14")
    assert PriceTable({pattern: DEAR}).usd(model, MILLION, at=None) == 30


def test_first_pattern_that_matches_counts() -> None:
    model = CalledModel(request_model="gpt-4.1-mini")
    assert PriceTable({"gpt-*": CHEAP, "gpt-4.1-mini": DEAR}).usd(model, MILLION, at=None) == 3


def test_model_that_no_pattern_matches_has_its_list_price() -> None:
    model = CalledModel(provider_name="openai", request_model="gpt-4.1-mini")
    assert PriceTable({"gpt-4.1": DEAR}).usd(model, MILLION, at=None) == LIST_PRICES.usd(model, MILLION, at=None)


def test_model_without_a_name_has_no_price() -> None:
    assert PriceTable({"*": DEAR}).usd(CalledModel(provider_name="openai"), MILLION, at=None) is None


def test_list_prices_can_be_left_out() -> None:
    assert NO_PRICES.usd(CalledModel(provider_name="openai", request_model="gpt-4.1-mini"), MILLION, at=None) is None


def test_cached_and_written_tokens_cost_what_is_configured_for_them() -> None:
    prices = Prices(
        input_usd_per_million=10,
        output_usd_per_million=20,
        cached_input_usd_per_million=1,
        cache_write_input_usd_per_million=12.5,
    )
    counts = TokenCounts(
        input_tokens=1_000_000, output_tokens=0, cached_input_tokens=400_000, cache_write_input_tokens=100_000
    )
    assert prices.usd(counts) == pytest.approx(5 + 0.4 + 1.25)
    assert DEAR.usd(counts) == pytest.approx(10)
