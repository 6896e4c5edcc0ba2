"""Estimates the tokens of a text, for servers that do not count them."""

from __future__ import annotations

from typing import Final

__all__ = ["tokens_of"]

_CHARACTERS_A_TOKEN: Final = 4


def tokens_of(characters: int) -> int:
    """Return the estimated number of tokens of a text of this many characters."""
    return characters // _CHARACTERS_A_TOKEN + 1
