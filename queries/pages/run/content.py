"""Long content: its beginning and end are on the page, the whole has a URL of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from markupsafe import escape

from ...foreign_text import without_controls

__all__ = ["Content", "Room", "as_text", "as_whole_text", "brief"]

MOST_INLINE: Final = 4 * 1024
_HEAD, _TAIL = 2 * 1024, 1024
_PREVIEW: Final = 200
_ROOM: Final = 56 * 1024
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{200,}={0,2}")
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,[A-Za-z0-9+/_=-]*")


@dataclass(frozen=True, slots=True)
class Content:
    """A text, or its beginning and end with `left_out` characters between them; `url` leads to the whole."""

    head: str
    tail: str
    left_out: int
    url: str


class Room:
    """How much text a page still has room for: what comes later is shown by its beginning."""

    def __init__(self, characters: int = _ROOM) -> None:
        self._left = characters

    def fit(self, text: str, url: str, *, is_needed: bool = False) -> Content:
        """Return what the page shows of a text; of one that is needed, as if there were room."""
        shown = self._cut(text, url, has_room=is_needed or self._left > 0)
        self._left -= len(escape(without_controls(shown.head + shown.tail)))
        return shown

    def _cut(self, text: str, url: str, *, has_room: bool) -> Content:
        if not has_room and len(text) > _PREVIEW:
            return Content(text[:_PREVIEW], "", len(text) - _PREVIEW, url)
        if len(text) <= MOST_INLINE:
            return Content(text, "", 0, url)
        return Content(text[:_HEAD], text[-_TAIL:], len(text) - _HEAD - _TAIL, url)


def as_text(value: Any) -> str:
    """Return a value as people read it: JSON indented, also JSON in a string; what is base64 by its size."""
    if isinstance(value, str):
        parsed = _parse(value)
        if parsed is None:
            return _without_base64(value)
        value = parsed
    return _without_base64(_indent(value))


def brief(arguments: Any) -> str:
    """Return the arguments of a call in a line: `origin=JFK date=2026-12-01`."""
    if not isinstance(arguments, Mapping):
        return as_whole_text(arguments)
    return " ".join(f"{name}={as_whole_text(value).strip()}" for name, value in arguments.items())


def as_whole_text(value: Any) -> str:
    """Return a value as it was recorded; what is no text as indented JSON."""
    return _without_surrogates(value if isinstance(value, str) else _indent(value))


def _without_surrogates(text: str) -> str:
    """Return a text that can be sent: half a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _parse(text: str) -> Any:
    """Return the object or list of a JSON text; None if it is none."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        return None
    return value if isinstance(value, (dict, list)) else None


def _indent(value: Any) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):
        return str(value)


def _without_base64(text: str) -> str:
    if len(text) < _PREVIEW:
        return text
    text = _DATA_URL.sub(lambda match: f"({match[1]}, {_size(len(match[0]))} in base64)", text)
    return _BASE64.sub(_name_base64, text)


def _name_base64(match: re.Match[str]) -> str:
    """Return the size of base64; a long word, which has no digits or capital letters, stays."""
    text = match[0]
    is_mixed = any(map(str.isdigit, text)) and any(map(str.isupper, text)) and any(map(str.islower, text))
    return f"({_size(len(text))} in base64)" if is_mixed else text


def _size(characters: int) -> str:
    count = characters * 3 // 4
    return f"{count / 1024:,.0f} KB" if count >= 1024 else f"{count} bytes"
