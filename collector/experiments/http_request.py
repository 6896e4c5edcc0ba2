"""The request that an HTTP endpoint gets for an input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import orjson

from tracegrade.evaluators.model import JsonObject

__all__ = ["fill", "fill_url"]

_INPUT: Final = "{input}"


def fill(template: Any, given: str | JsonObject) -> Any:
    """Return a JSON value with the input in place of `{input}`: as it is where that is a whole text, else as text.

    Without a template the input itself: an object as it is, a text under `input`.
    """
    if template is None:
        return given if isinstance(given, Mapping) else {"input": given}
    if isinstance(template, Mapping):
        return {key: fill(value, given) if value is not None else None for key, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [fill(value, given) if value is not None else None for value in template]
    if not isinstance(template, str):
        return template
    return given if template == _INPUT else template.replace(_INPUT, as_text(given))


def fill_url(url: str, given: str | JsonObject) -> str:
    """Return the URL with the input in place of `{input}`, escaped."""
    return url.replace(_INPUT, quote(as_text(given), safe="")) if _INPUT in url else url


def as_text(given: str | JsonObject) -> str:
    """Return the input as text, an object as JSON."""
    return given if isinstance(given, str) else orjson.dumps(given).decode()
