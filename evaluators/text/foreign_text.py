"""Makes foreign text safe to show in a terminal, a report or a log."""

from __future__ import annotations

import json
import re

__all__ = ["escape_json", "escape_markdown", "is_shown_whole", "one_line", "quoted", "visible", "without_controls"]

_MAX_CELL_CHARACTERS = 2000
_LONGEST_QUOTE = 200
_MARKUP = re.compile(r"[\\`|\[*]")
_SYMBOLS = (
    r"\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
"""The blocks of https://www.unicode.org/Public/UCD/latest/ucd/emoji/emoji-variation-sequences.txt, without the keys."""

_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, except line feed and tab
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the direction of text
    r"\u2028\u2029"  # further line separators
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164"
    r"\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
    r"\ud800-\udfff]"  # lone surrogates, which cannot be encoded
    rf"|(?<![{_SYMBOLS}])[\ufe0e\ufe0f](?!\u20e3)"  # before U+20E3 it is part of the emoji of a key: 1️⃣
)
"""Characters that control a terminal or are invisible. The latter are the Default_Ignorable_Code_Points of
https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt. Only the selector that shows a symbol as an
emoji or as text stays, since people and models write it with most symbols; a second one would be invisible."""


def one_line(text: str) -> str:
    """Return foreign text that is safe in one line of a report: it cannot begin a new line or change its order."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def quoted(text: str) -> str:
    """Return foreign text as an explanation quotes it: in one line of at most 200 characters, safe to show."""
    line = without_controls(" ".join(text[:_MAX_CELL_CHARACTERS].split()))
    return line if len(line) <= _LONGEST_QUOTE else f"{line[: _LONGEST_QUOTE - 1]}…"


def escape_json(text: str) -> str:
    """Return JSON of the same value without characters that `without_controls` removes: they are escaped instead."""
    return _HIDDEN.sub(lambda match: json.dumps(match[0]).strip('"'), text)


def escape_markdown(text: str) -> str:
    """Return foreign text as one line of Markdown that stays text: no links, tags, code, entities or new cells."""
    return _MARKUP.sub(r"\\\g<0>", one_line(text)).replace("&", "&amp;").replace("<", "&lt;")


def visible(text: str) -> str:
    """Return foreign text of several lines made safe by `without_controls`, and cut to 2,000 characters."""
    shown = text[:_MAX_CELL_CHARACTERS]
    if left_out := len(text) - len(shown):
        shown += f"… {left_out} characters more"
    return without_controls(shown)


def without_controls(text: str) -> str:
    """Return foreign text without characters that control the terminal, change its order or are invisible.

    They are replaced by their number, as in `<U+202E>`.
    """
    return _HIDDEN.sub(_show_number, text)


def is_shown_whole(name: str) -> bool:
    """Return whether a name has one line and no hidden characters, so that different names look different."""
    return _HIDDEN.search(name) is None and "\n" not in name and "\t" not in name


def _show_number(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"
