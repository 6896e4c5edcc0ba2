"""List prices, from the data in the installed package genai-prices: nothing is downloaded.

Without the package, as in the light installation, no price is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from .model_name import MOST_CHARACTERS, has_bedrock_form, model_name, without_prefix
from .prices import TokenCounts

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo

__all__ = ["list_price_at_address", "list_price_usd"]

_SPELLINGS: Final = {
    "az.ai.inference": "azure",
    "az.ai.openai": "azure",
    "azure.ai.inference": "azure",
    "azure.ai.openai": "azure",
    "azure_ai": "azure",
    "azure_openai": "azure",
    "fireworks_ai": "fireworks",
    "fireworksai": "fireworks",
    "gcp.gen_ai": "google",
    "gen_ai": "google",
    "together.ai": "together",
    "togetherai": "together",
    "x_ai": "x-ai",
}
"""Names of providers in conventions and instrumentations that genai-prices does not know or assigns to others;
azure's prices are not always OpenAI's."""

_OWN_SERVERS: Final = frozenset(
    {"gpt4all", "llama.cpp", "llama_cpp", "llamacpp", "lm_studio", "lmstudio", "localai", "ollama", "sglang", "vllm"}
)
"""Servers that users run themselves: a model there has no list price, whatever its name is."""

_MAKERS: Final = frozenset({"anthropic", "google", "openai", "x-ai"})
"""Makers whose models cost the same at every provider, so that the model's name is enough if the provider is not known,
or is only the client library (`openai` for every compatible server)."""

_MILLION: Final = 1e6


def list_price_usd(
    counts: TokenCounts, model: str, *, provider: str | None, at: datetime | None, is_one_request: bool = True
) -> float | None:
    """Return the price of these tokens of a model at the time `at` in US dollars; None if it is not known.

    It is not known if `counts` are the sum of several requests (not `is_one_request`) and so large that the price may
    depend on the size of each.
    """
    listed = _listed(provider, model)
    return None if listed is None else _usd(listed, counts, at, is_one_request=is_one_request)


def list_price_at_address(counts: TokenCounts, model: str, *, address: str, at: datetime) -> float | None:
    """Return the price as `list_price_usd` does, for the server at `address`: a name may mean another model there."""
    listed = _listed_at_address(address, model)
    return None if listed is None else _usd(listed, counts, at, is_one_request=True)


@cache
def _snapshot() -> DataSnapshot | None:
    try:
        from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - not in the core, and half a second
    except ImportError:
        return None
    return get_snapshot()


@lru_cache(maxsize=1024)
def _listed_at_address(address: str, model: str) -> ModelInfo | None:
    snapshot = _snapshot()
    return None if snapshot is None else _lookup(snapshot, model, {"provider_id": None, "provider_api_url": address})


@lru_cache(maxsize=2048)
def _listed(provider: str | None, model: str) -> ModelInfo | None:
    at = _SPELLINGS.get(provider.strip().lower(), provider.strip().lower()) if provider else None
    snapshot = _snapshot() if len(model) <= MOST_CHARACTERS and at not in _OWN_SERVERS else None
    if snapshot is None:
        return None
    for provider_id, name in _references(snapshot, at, model):
        listed = _lookup(snapshot, name, {"provider_id": provider_id, "provider_api_url": None})
        if listed is not None:
            return listed
    return None


def _references(snapshot: DataSnapshot, provider: str | None, model: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of provider and model name to look up, the most reliable first."""
    plain, name = without_prefix(model), model_name(model)
    spellings = tuple(dict.fromkeys((model.strip(), plain, name)))
    if has_bedrock_form(plain):
        yield "aws", plain
        return
    if provider:
        yield from ((provider, spelling) for spelling in spellings)
    prefix = model.strip().lower().removesuffix(plain.lower()).rstrip("/:")
    if prefix and "/" not in prefix:
        yield from ((_SPELLINGS.get(prefix, prefix), spelling) for spelling in (plain, name))
    for spelling in (plain, name):
        maker = _maker(snapshot, spelling)
        if maker is not None:
            yield maker, spelling


def _maker(snapshot: DataSnapshot, name: str) -> str | None:
    """Return the id of the maker in `_MAKERS` that makes the model; None if none of them does."""
    for provider in snapshot.providers:
        if provider.id in _MAKERS and provider.model_match is not None and provider.model_match.is_match(name.lower()):
            return provider.id
    return None


def _lookup(snapshot: DataSnapshot, model: str, where: dict[str, Any]) -> ModelInfo | None:
    try:
        return snapshot.find_provider_model(model, None, **where)[1]
    except LookupError:
        return None


def _usd(listed: ModelInfo, counts: TokenCounts, at: datetime | None, *, is_one_request: bool) -> float | None:
    if at is not None:
        rates = vars(listed.get_prices(at))
    elif isinstance(listed.prices, list):
        return None  # the price depends on the time, which is not known
    else:
        rates = vars(listed.prices)
    sent, answered = rates.get("input_mtok"), rates.get("output_mtok")
    if sent is None and answered is None:
        return None  # not sold by the token
    per_request = rates.get("requests_kcount") or Decimal(0)
    is_plain = not (counts.has_special or per_request)
    if is_plain and isinstance(sent, Decimal) and isinstance(answered, Decimal):  # most calls
        return float(sent * counts.input_tokens + answered * counts.output_tokens) / _MILLION
    total = Decimal(1_000) * per_request
    for key, usual, count in _parts(counts):
        price = rates.get(key)
        rate = _rate(rates.get(usual) if price is None else price, counts, is_one_request=is_one_request)
        if rate is None:
            return None
        total += rate * count
    return float(total) / _MILLION


def _parts(counts: TokenCounts) -> list[tuple[str, str, int]]:
    """Return each kind of token that was used: the key of its price, the key of the price to use instead if that is
    missing, and the number of tokens. Searches and the like have prices too, but they are not recorded."""
    parts = [
        ("input_mtok", "input_mtok", counts.plain_input),
        ("output_mtok", "output_mtok", counts.plain_output),
    ]
    if counts.has_special:
        parts += [
            ("cache_read_mtok", "input_mtok", counts.cached_input_tokens),
            ("cache_write_mtok", "input_mtok", counts.written_for_minutes),
            ("cache_write_1h_mtok", "cache_write_mtok", counts.cache_write_1h_input_tokens),
            ("input_audio_mtok", "input_mtok", counts.audio_input_tokens),
            ("input_image_mtok", "input_mtok", counts.image_input_tokens),
            ("input_video_mtok", "input_mtok", counts.video_input_tokens),
            ("output_reasoning_mtok", "output_mtok", counts.reasoning_tokens),
            ("output_audio_mtok", "output_mtok", counts.audio_output_tokens),
            ("output_image_mtok", "output_mtok", counts.image_output_tokens),
        ]
    return [part for part in parts if part[2]]


def _rate(price: Any, counts: TokenCounts, *, is_one_request: bool) -> Decimal | None:
    """Return the rate for a request of this size; None if there is none, or if it depends on the sizes of several
    requests."""
    if price is None or isinstance(price, Decimal):
        return price
    above = [tier.price for tier in price.tiers if counts.whole_input > tier.start]
    if above and not is_one_request:
        return None
    rate: Decimal = above[-1] if above else price.base
    return rate
