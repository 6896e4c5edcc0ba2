"""What Java means by white space and by upper and lower case. Python means something else by each."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

__all__ = ["fold", "is_blank", "trim"]

_TRIMMED: Final = "".join(map(chr, range(0x21)))
_NO_SPACE: Final = frozenset("\u0085\u00a0\u2007\u202f")  # spaces to Python alone


def trim(text: str) -> str:
    """`String.trim`: control characters and the plain space go; no-break and other wide spaces stay."""
    return text.strip(_TRIMMED)


def is_blank(text: str) -> bool:
    """`String.isBlank`: nothing but white space, of which the no-break spaces are none."""
    return not text or (text.isspace() and _NO_SPACE.isdisjoint(text))


def fold(text: str) -> str:
    """Return the same text for all that `String.equalsIgnoreCase` takes for equal.

    Each character alone, to upper case and from there to lower case, never to two characters: `ß` is not `SS`,
    while the dotless i, the long s and the Kelvin sign are i, s and k.
    """
    return text.lower() if text.isascii() else "".join(map(_fold, text))


@lru_cache(maxsize=4096)
def _fold(character: str) -> str:
    upper = character.upper()
    if len(upper) > 1:  # the Unicode mapping to one character is then the title case, if it is to one
        title = character.title()
        upper = title if len(title) == 1 else character
    return upper.lower()[0]
