"""Text of others, fit to be shown: in a terminal, a report, a log."""

from __future__ import annotations

import re

__all__ = ["one_line", "visible", "without_controls"]

_MAX_CELL_CHARACTERS = 2000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal obeys instead of showing it, as are marks that turn the direction of text."""


def one_line(text: str) -> str:
    """Foreign text for a line of a report: it cannot begin another one, nor be read in another order."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def visible(text: str) -> str:
    """Foreign text of any number of lines, `without_controls`, and cut where it is very long."""
    shown = text[:_MAX_CELL_CHARACTERS]
    if left_out := len(text) - len(shown):
        shown += f"… {left_out} characters more"
    return without_controls(shown)


def without_controls(text: str) -> str:
    """Foreign text of any length: nothing in it steers the terminal or turns its order."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)
