"""Checks names of environment variables, since a user may have written the key itself by mistake."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_name", "is_usual_name", "shown"]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_USUAL_NAME: Final = re.compile(r"_*([A-Z]{1,16}|[A-Z][A-Z0-9]{,15}(_[A-Z0-9]{,16})+)")
_SHOWN_CHARACTERS: Final = 4


def is_name(name: str) -> bool:
    """Return whether `name` is a valid name of an environment variable."""
    return _NAME.fullmatch(name) is not None


def is_usual_name(name: str) -> bool:
    """Return whether `name` looks like one. With lower-case letters, or digits in its only word, it may be a key."""
    return _USUAL_NAME.fullmatch(name) is not None


def shown(name: str) -> str:
    """Return the first characters of `name`, for messages, since it may be a key."""
    return f"{name[:_SHOWN_CHARACTERS]!r}…"
