"""What a call takes: tokens, and their price in US dollars."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from ...pricing.price_list import list_price_at_address, list_price_usd
from ...pricing.prices import TokenCounts
from ..exchange.judge import Judge
from ..exchange.reply import Reply
from ..exchange.request import Request
from .daily_budget import Cost

__all__ = ["Most", "binding", "cost_of", "most_of", "unbound", "usd"]


def usd(judge: Judge, *, input_tokens: int | None, output_tokens: int | None, cached_tokens: int = 0) -> float | None:
    """Return the price of so many tokens in US dollars: as configured, else the list price that the package
    genai-prices has for this model at this address, without discounts for batches. None where there is no price or
    no count."""
    if input_tokens is None or output_tokens is None:
        return None
    cached = min(cached_tokens, input_tokens)
    counts = TokenCounts(input_tokens=input_tokens, output_tokens=output_tokens, cached_input_tokens=cached)
    if judge.prices is not None:
        return judge.prices.usd(counts)
    return _list_price(judge, counts) if judge.backend != "function" else None


def binding(judge: Judge) -> list[str]:
    """Return the settings that limit what the judge may spend in a day. Dollars do so only where its price is known."""
    is_priced = usd(judge, input_tokens=1, output_tokens=1) is not None
    limits = {"usd_per_day": judge.usd_per_day if is_priced else None, "tokens_per_day": judge.tokens_per_day}
    return [name for name, limit in limits.items() if limit is not None]


def unbound(judge: Judge) -> str | None:
    """Return why nothing limits what the judge may spend in a day though something should; None where that is not
    so."""
    if judge.usd_per_day is None or binding(judge):
        return None
    why = f"the price of {judge.called} is not known, so usd_per_day does not bind it, and nothing else does"
    return f"{why}; write `prices`, or set tokens_per_day"


def cost_of(judge: Judge, reply: Reply) -> float | None:
    """Return the price of a reply in US dollars; None where it is not known."""
    return usd(
        judge,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cached_tokens=reply.cached_input_tokens,
    )


def _list_price(judge: Judge, counts: TokenCounts) -> float | None:
    """That of the model at its address, since servers may reuse names. A name of litellm's has the provider in it."""
    now = datetime.now(UTC)
    provider, _, model = judge.model.partition("/")
    if judge.address is None and model:
        return list_price_usd(counts, model, provider=provider, at=now)
    return list_price_at_address(counts, judge.model, address=judge.address or "https://api.openai.com/v1", at=now)


@dataclass(frozen=True, slots=True)
class Most:
    """The most that a call may take. `usd` is None where the price is unknown."""

    input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def cost(self) -> Cost:
        """As budgets count it; no dollars where the price is unknown."""
        return Cost(self.tokens, self.usd or 0.0)


def most_of(request: Request) -> Most:
    """Return the most that a call may take, by which pace and budgets are kept and which a pending call is recorded
    with."""
    sent, answered = request.input_tokens, request.judge.max_output_tokens
    return Most(sent, answered, usd(request.judge, input_tokens=sent, output_tokens=answered))
