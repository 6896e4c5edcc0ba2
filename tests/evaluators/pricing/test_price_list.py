from __future__ import annotations

import sys
from datetime import UTC, datetime

import genai_prices
import pytest

from tracegrade.evaluators.pricing import price_list
from tracegrade.evaluators.pricing.price_list import list_price_usd
from tracegrade.evaluators.pricing.prices import TokenCounts

AT = datetime(2026, 1, 15, 12, tzinfo=UTC)
THOUSAND = TokenCounts(input_tokens=1_000, output_tokens=1_000)


def usd(model: str, provider: str | None = None, counts: TokenCounts = THOUSAND) -> float | None:
    return list_price_usd(counts, model, provider=provider, at=AT)


@pytest.mark.parametrize(
    ("provider", "model", "listed_provider", "listed_model"),
    [
        ("openai", "gpt-4.1-mini-2025-04-14", "openai", "gpt-4.1-mini"),
        (None, "gpt-4.1-mini", "openai", "gpt-4.1-mini"),
        ("a-gateway", "gpt-4.1-mini", "openai", "gpt-4.1-mini"),
        ("openai", "anthropic/claude-sonnet-4-20250514", "anthropic", "claude-sonnet-4-0"),
        ("azure.ai.openai", "gpt-4o", "azure", "gpt-4o"),
        (
            "aws.bedrock",
            "us.anthropic.claude-sonnet-4-20250514-v1:0",
            "aws",
            "us.anthropic.claude-sonnet-4-20250514-v1:0",
        ),
        (
            "anthropic",
            "us.anthropic.claude-sonnet-4-20250514-v1:0",
            "aws",
            "us.anthropic.claude-sonnet-4-20250514-v1:0",
        ),
        ("gcp.gen_ai", "models/gemini-2.0-flash", "google", "gemini-2.0-flash"),
        (None, "deepseek/deepseek-chat", "deepseek", "deepseek-chat"),
        ("groq", "llama-3.3-70b-versatile", "groq", "llama-3.3-70b-versatile"),
    ],
)
def test_model_has_the_price_of_its_provider(
    provider: str | None, model: str, listed_provider: str, listed_model: str
) -> None:
    usage = genai_prices.Usage(input_tokens=1_000, output_tokens=1_000)
    expected = genai_prices.calc_price(
        usage, listed_model, provider_id=listed_provider, genai_request_timestamp=AT
    ).total_price
    assert usd(model, provider) == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        pytest.param("openai", "a-model-of-tomorrow", id="unknown model"),
        pytest.param("ollama", "gpt-4", id="own server"),
        pytest.param("openai", "deepseek-ai/DeepSeek-R1", id="open weights at a server that is not known"),
        pytest.param("openai", "ft:gpt-4.1-mini-2025-04-14:acme::abc", id="fine-tuned"),
        pytest.param(None, "my-deployment", id="deployment"),
        pytest.param("openai", "x" * 10_000, id="no name"),
        pytest.param("openai", "", id="empty"),
    ],
)
def test_price_that_is_not_known_is_none(provider: str | None, model: str) -> None:
    assert usd(model, provider) is None


@pytest.mark.parametrize(
    ("provider", "model", "counts"),
    [
        pytest.param("openai", "gpt-4.1-mini", {"cache_read_tokens": 900}, id="cached"),
        pytest.param(
            "anthropic", "claude-sonnet-4-0", {"cache_read_tokens": 300, "cache_write_tokens": 600}, id="written"
        ),
        pytest.param(
            "openai", "gpt-4o-audio-preview", {"input_audio_tokens": 700, "output_audio_tokens": 400}, id="audio"
        ),
        pytest.param("openai", "o3-mini", {"output_reasoning_tokens": 800}, id="reasoning"),
        pytest.param("perplexity", "sonar-deep-research", {"output_reasoning_tokens": 800}, id="reasoning has a price"),
        pytest.param("google", "gemini-2.5-pro", {"input_tokens": 300_000}, id="beyond a threshold"),
    ],
)
def test_each_kind_of_token_has_its_price(provider: str, model: str, counts: dict[str, int]) -> None:
    """The package's own calculation, which is slower, is the reference."""
    usage = {"input_tokens": 1_000, "output_tokens": 1_000, **counts}
    expected = genai_prices.calc_price(
        genai_prices.Usage(**usage), model, provider_id=provider, genai_request_timestamp=AT
    ).total_price
    ours = TokenCounts(
        input_tokens=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        cached_input_tokens=usage.get("cache_read_tokens", 0),
        cache_write_input_tokens=usage.get("cache_write_tokens", 0),
        audio_input_tokens=usage.get("input_audio_tokens", 0),
        reasoning_tokens=usage.get("output_reasoning_tokens", 0),
        audio_output_tokens=usage.get("output_audio_tokens", 0),
    )
    assert usd(model, provider, ours) == pytest.approx(float(expected))


def test_price_is_that_of_the_time_of_the_call() -> None:
    before, after = datetime(2025, 6, 1, tzinfo=UTC), datetime(2025, 7, 1, tzinfo=UTC)
    earlier, later = (list_price_usd(THOUSAND, "o3", provider="openai", at=at) for at in (before, after))
    assert earlier is not None
    assert later is not None
    assert earlier > later


def test_sum_over_requests_beyond_a_threshold_of_price_is_not_known() -> None:
    large, small = (TokenCounts(input_tokens=count, output_tokens=10) for count in (300_000, 3_000))
    model = "gemini-2.5-pro"
    assert list_price_usd(large, model, provider="google", at=AT, is_one_request=False) is None
    whole = list_price_usd(small, model, provider="google", at=AT, is_one_request=False)
    assert whole == list_price_usd(small, model, provider="google", at=AT)


def test_cached_tokens_beyond_the_input_were_counted_apart() -> None:
    apart = TokenCounts(input_tokens=100, output_tokens=10, cached_input_tokens=5_000)
    within = TokenCounts(input_tokens=5_100, output_tokens=10, cached_input_tokens=5_000)
    assert usd("claude-sonnet-4-0", "anthropic", apart) == usd("claude-sonnet-4-0", "anthropic", within)


def test_without_the_package_no_price_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("genai_prices", "genai_prices.data_snapshot"):
        monkeypatch.setitem(sys.modules, module, None)
    price_list._snapshot.cache_clear()
    price_list._listed.cache_clear()
    try:
        assert usd("gpt-4.1-mini", "openai") is None
    finally:
        price_list._snapshot.cache_clear()
        price_list._listed.cache_clear()
