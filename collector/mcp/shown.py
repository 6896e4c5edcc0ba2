"""Shortens what a model is shown, and removes characters that a person would not see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import orjson

from tracegrade.queries.foreign_text import without_controls

__all__ = ["MOST_CHARACTERS", "fit", "shorten"]

MOST_CHARACTERS: Final = 4_000
"""The most of one text."""

_MOST_OF_ALL: Final = 80_000
"""The most characters of rows, as JSON: about 20,000 tokens."""


def shorten(value: Any, most: int = MOST_CHARACTERS) -> Any:
    """Return a value of the types of JSON with its texts cut to `most` characters and made visible."""
    if isinstance(value, str):
        left_out = len(value) - most
        return without_controls(value[:most]) + (f"… {left_out:,} characters more" if left_out > 0 else "")
    if isinstance(value, Mapping):
        return {without_controls(str(key)): shorten(part, most) for key, part in value.items()}
    if isinstance(value, Sequence):
        return [shorten(part, most) for part in value]
    return value


def fit(rows: Iterable[Any], most_characters: int = _MOST_OF_ALL) -> tuple[list[Any], bool]:
    """Return the first rows, shortened, that fit into `most_characters`, and whether others are left out."""
    kept: list[Any] = []
    for row in rows:
        shown = shorten(row)
        most_characters -= len(orjson.dumps(shown, default=str))
        if most_characters < 0 and kept:
            return kept, True
        kept.append(shown)
    return kept, False
