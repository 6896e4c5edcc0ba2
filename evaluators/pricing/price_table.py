"""What a model call costs: by configured prices, else by list prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from .model_name import model_name
from .price_list import list_price_usd
from .prices import Prices, TokenCounts

__all__ = ["LIST_PRICES", "NO_PRICES", "CalledModel", "PriceTable"]


class CalledModel(NamedTuple):
    """The recorded names of a call's model. The one in the response counts: a request may name an alias or a
    deployment."""

    provider_name: str | None = None
    request_model: str | None = None
    response_model: str | None = None

    @property
    def recorded_name(self) -> str | None:
        return self.response_model or self.request_model

    @property
    def name(self) -> str | None:
        """The normalised name; None if no name was recorded."""
        recorded = self.recorded_name
        return model_name(recorded) if recorded else None


@dataclass(slots=True)
class PriceTable:
    """The prices of models: `configured` ones by pattern, such as `gpt-4.1*`, else list prices if `has_list`.

    The first pattern that matches a name of the model counts, recorded or normalised, regardless of case.
    """

    configured: Mapping[str, Prices] = field(default_factory=dict)
    has_list: bool = True
    _matches: dict[CalledModel, Prices | None] = field(default_factory=dict)

    def usd(
        self, model: CalledModel, counts: TokenCounts, *, at: datetime | None, is_one_request: bool = True
    ) -> float | None:
        """Return the price of these tokens at the time `at` in US dollars; None if it is not known."""
        name = model.recorded_name
        if name is None:
            return None
        prices = self._configured_for(model) if self.configured else None
        if prices is not None:
            return prices.usd(counts)
        if not self.has_list:
            return None
        return list_price_usd(counts, name, provider=model.provider_name, at=at, is_one_request=is_one_request)

    def _configured_for(self, model: CalledModel) -> Prices | None:
        if model not in self._matches:
            names = {name.lower() for name in (model.request_model, model.response_model, model.name) if name}
            self._matches[model] = next(
                (
                    prices
                    for pattern, prices in self.configured.items()
                    if any(fnmatchcase(name, pattern.lower()) for name in names)
                ),
                None,
            )
        return self._matches[model]


LIST_PRICES: Final = PriceTable()
NO_PRICES: Final = PriceTable(has_list=False)
