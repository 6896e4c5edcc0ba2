"""Estimates how many tokens a text has, where the server does not count."""

from __future__ import annotations

from typing import Final

__all__ = ["tokens_of"]

_CHARACTERS_A_TOKEN: Final = 4


def tokens_of(characters: int) -> int:
    """Return the estimated tokens of a text of so many characters."""
    return characters // _CHARACTERS_A_TOKEN + 1
