"""What a call cost, in US dollars."""

from __future__ import annotations

from typing import Any

from .judge import Judge
from .purse import Cost
from .reply import Reply

__all__ = ["cost_of", "expected", "is_priced", "usd"]


def usd(judge: Judge, *, input_tokens: int | None, output_tokens: int | None, cached_tokens: int = 0) -> float | None:
    """At the configured prices, else at those that the package genai-prices knows of that model at that address; None
    where neither does, or nobody counted. List prices: a discount for batches is not among them."""
    if input_tokens is None or output_tokens is None:
        return None
    if (prices := judge.prices) is not None:
        return (input_tokens * prices.input_usd_per_million + output_tokens * prices.output_usd_per_million) / 1e6
    return _known(judge, input_tokens, output_tokens, cached_tokens) if judge.way != "function" else None


def is_priced(judge: Judge) -> bool:
    return usd(judge, input_tokens=1, output_tokens=1) is not None


def cost_of(judge: Judge, reply: Reply) -> float | None:
    return usd(
        judge,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cached_tokens=reply.cached_input_tokens,
    )


def _known(judge: Judge, input_tokens: int, output_tokens: int, cached_tokens: int) -> float | None:
    try:
        import genai_prices  # noqa: PLC0415 - an extra, and heavy
    except ImportError:
        return None
    usage = genai_prices.Usage(
        input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=min(cached_tokens, input_tokens)
    )
    try:
        return float(genai_prices.calc_price(usage, **_model(judge)).total_price)
    except (LookupError, ValueError):
        return None


def _model(judge: Judge) -> dict[str, Any]:
    """By address, since a server of one's own may call its model as it likes; litellm says the provider in the name."""
    provider, _, model = judge.model.partition("/")
    if judge.address is None and model:
        return {"model_ref": model, "provider_id": provider}
    return {"model_ref": judge.model, "provider_api_url": judge.address or "https://api.openai.com/v1"}


def expected(judge: Judge, *, input_tokens: int) -> Cost:
    """The most that a call of so many tokens may cost; no dollars where the price is unknown."""
    most = judge.max_output_tokens
    return Cost(input_tokens + most, usd(judge, input_tokens=input_tokens, output_tokens=most) or 0.0)
