"""How many tokens a text has, where nobody has counted."""

from __future__ import annotations

from typing import Final

__all__ = ["tokens_of"]

_CHARACTERS_A_TOKEN: Final = 4


def tokens_of(characters: int) -> int:
    """About as many as a text of so many characters has."""
    return characters // _CHARACTERS_A_TOKEN + 1
