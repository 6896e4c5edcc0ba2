"""White space and letter case as in Java, which differ from Python's."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

__all__ = ["fold", "is_blank", "trim"]

_TRIMMED: Final = "".join(map(chr, range(0x21)))
_NO_SPACE: Final = frozenset("\u0085\u00a0\u2007\u202f")  # white space only in Python


def trim(text: str) -> str:
    """Return `text` as by `String.trim`: without control characters and plain spaces around it, with other spaces."""
    return text.strip(_TRIMMED)


def is_blank(text: str) -> bool:
    """Return whether `text` is blank as by `String.isBlank`: no-break spaces are not white space."""
    return not text or (text.isspace() and _NO_SPACE.isdisjoint(text))


def fold(text: str) -> str:
    """Return a text that is equal for texts that are equal by `String.equalsIgnoreCase`.

    Each character is converted to upper case and then to lower case, but never to two characters: `ß` is not `SS`,
    while the dotless i, the long s and the Kelvin sign are i, s and k.
    """
    return text.lower() if text.isascii() else "".join(map(_fold, text))


@lru_cache(maxsize=4096)
def _fold(character: str) -> str:
    upper = character.upper()
    if len(upper) > 1:  # then the one-character mapping of Unicode is the title case, if that has one character
        title = character.title()
        upper = title if len(title) == 1 else character
    return upper.lower()[0]
