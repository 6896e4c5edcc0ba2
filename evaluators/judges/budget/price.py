"""The tokens of a call, and their price in US dollars."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from ...definition.registry import Budget
from ...ports import JudgeCall
from ...pricing.price_list import list_price_at_address, list_price_usd
from ...pricing.prices import TokenCounts
from ..exchange.judge import Judge
from ..exchange.reply import Reply
from ..exchange.request import Request
from .daily_budget import Cost

__all__ = ["Most", "binding", "cost_of", "limit_claim", "most_of", "unbound", "usd"]

_OF_THE_FORM: Final = 1_000
"""Tokens that a server may count beside the text of a request: roles, schemas, tools."""

_LONGEST_ANSWER: Final = 32_768
"""The most output tokens of a call to a judge that is not configured here."""


def usd(judge: Judge, *, input_tokens: int | None, output_tokens: int | None, cached_tokens: int = 0) -> float | None:
    """Return the price of these tokens in US dollars; None if a price or a count is not known.

    The price is the configured one, or else the list price in the package genai-prices for this model at this address,
    or else for a model of this name, without discounts for batches.
    """
    if input_tokens is None or output_tokens is None:
        return None
    cached = min(cached_tokens, input_tokens)
    counts = TokenCounts(input_tokens=input_tokens, output_tokens=output_tokens, cached_input_tokens=cached)
    if judge.prices is not None:
        return judge.prices.usd(counts)
    return _list_price(judge, counts) if judge.backend != "function" else None


def binding(judge: Judge) -> list[str]:
    """Return the settings that limit what the judge may spend in a day; `usd_per_day` only if its price is known."""
    is_priced = usd(judge, input_tokens=1, output_tokens=1) is not None
    limits = {"usd_per_day": judge.usd_per_day if is_priced else None, "tokens_per_day": judge.tokens_per_day}
    return [name for name, limit in limits.items() if limit is not None]


def unbound(judge: Judge, budget: Budget | None = None) -> str | None:
    """Return why limits in dollars have no effect where no other limit replaces them; None otherwise.

    They are those of the judge, or of the `budget` of an evaluator that asks it.
    """
    limited = judge if budget is None else budget
    names = ["usd_per_day"] if limited.usd_per_day is not None and limited.tokens_per_day is None else []
    if budget is None and judge.usd_per_day_per_agent is not None:
        names.append("usd_per_day_per_agent")
    if not names or usd(judge, input_tokens=1, output_tokens=1) is not None:
        return None
    what = f"{' and '.join(names)} {'does' if len(names) == 1 else 'do'} not bind it"
    return f"the price of {judge.called} is not known, so {what}; write `prices` of the judge, or set tokens_per_day"


def cost_of(judge: Judge, reply: Reply) -> float | None:
    """Return the price of a reply in US dollars; None if it is not known."""
    return usd(
        judge,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cached_tokens=reply.cached_input_tokens,
    )


def _list_price(judge: Judge, counts: TokenCounts) -> float | None:
    """Return the list price of the model at its address; at another address, such as a gateway, that of its name.

    A name of litellm contains the provider.
    """
    now = datetime.now(UTC)
    provider, _, model = judge.model.partition("/")
    if judge.address is None and model:
        return list_price_usd(counts, model, provider=provider, at=now)
    address = judge.address or "https://api.openai.com/v1"
    at_address = list_price_at_address(counts, judge.model, address=address, at=now)
    return list_price_usd(counts, judge.model, provider=None, at=now) if at_address is None else at_address


@dataclass(frozen=True, slots=True)
class Most:
    """The most that a call may take. `usd` is None if the price is not known."""

    input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def cost(self) -> Cost:
        """The cost that counts against budgets; 0 dollars if the price is not known."""
        return Cost(self.tokens, self.usd or 0.0)


def most_of(request: Request) -> Most:
    """Return the most that a call may take, which rate limits and budgets count until it is answered."""
    sent, answered = request.input_tokens, request.judge.max_output_tokens
    return Most(sent, answered, usd(request.judge, input_tokens=sent, output_tokens=answered))


def limit_claim(call: JudgeCall, judge: Judge | None) -> JudgeCall:
    """Return a call of which somebody else says what it took, with no more tokens than its texts can have.

    A token has at least one byte. Reasoning is not part of the answer, so that it may take what a judge may answer. The
    cost is at most the price of these tokens: that of `judge`, if one of this name is configured here, else the list
    price of the model. It is None if no price is known.
    """
    if call.from_cache:
        return replace(call, input_tokens=0, output_tokens=0, cost_usd=0.0)
    if call.input_tokens is None or call.output_tokens is None or call.request is None:
        return replace(call, input_tokens=None, output_tokens=None, cost_usd=None)
    sent = min(max(call.input_tokens, 0), _count_bytes(call.request) + _OF_THE_FORM)
    answered = min(max(call.output_tokens, 0), _LONGEST_ANSWER if judge is None else judge.max_output_tokens)
    if judge is not None and judge.called == call.model:
        most = usd(judge, input_tokens=sent, output_tokens=answered)
    else:
        counts = TokenCounts(input_tokens=sent, output_tokens=answered, cached_input_tokens=0)
        most = list_price_usd(counts, call.model, provider=None, at=call.started_at)
    cost = None if most is None or call.cost_usd is None else min(max(call.cost_usd, 0.0), most)
    return replace(call, input_tokens=sent, output_tokens=answered, cost_usd=cost)


def _count_bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace"))
