"""Reads the terms of a filter.

    filter = { term } [ "sql:" rest of the text ]
    term   = [ "-" ] ( value | field ":" value | field comparison value )
    value  = { text in quotation marks | character other than a space }

In quotation marks, `\\"` is a quotation mark and `\\\\` a backslash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .errors import FilterError
from .predicate import find_surplus_parenthesis

__all__ = ["COMPARISONS", "MAX_CHARACTERS", "MAX_TERMS", "Part", "Term", "Terms", "quote", "read_terms"]

COMPARISONS: Final = (">=", "<=", "=", ">", "<")
MAX_CHARACTERS: Final = 10_000
MAX_TERMS: Final = 100

_PREDICATE: Final = re.compile(r"(-?)sql:", re.IGNORECASE)
_BEGINNING: Final = re.compile(r"(?P<negated>-?)(?:(?P<field>[^\W\d][\w.-]*)(?P<sign>:|>=|<=|=|>|<))?")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPED: Final = re.compile(r'\\(["\\])')
_PLAIN: Final = re.compile(r'[^\s"]+')
_NO_TEXT: Final = re.compile(r"[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a value: in quotation marks, where no sign has a meaning, or not. `position` is that of its text."""

    text: str
    is_quoted: bool
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word (`field` is None), or a field with its value. `sign` is `:` or a comparison.

    It begins at `position`, behind its minus, and ends before `end`.
    """

    field: str | None
    sign: str
    parts: tuple[Part, ...]
    is_negated: bool
    position: int
    end: int

    @property
    def text(self) -> str:
        """The whole value."""
        return "".join(part.text for part in self.parts)

    @property
    def value_position(self) -> int:
        """The position of the value."""
        return self.parts[0].position


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a filter, and the predicate in SQL after them."""

    terms: tuple[Term, ...]
    predicate: str | None = None
    predicate_position: int | None = None


def read_terms(text: str) -> Terms:
    """Read a filter. Raises FilterError."""
    _check_text(text)
    terms: list[Term] = []
    position = _skip_spaces(text, 0)
    while position < len(text):
        if match := _PREDICATE.match(text, position):
            return Terms(tuple(terms), *_read_predicate(text, match))
        if len(terms) == MAX_TERMS:
            raise FilterError(f"a filter has at most {MAX_TERMS} terms; write the others in SQL: sql:…", position)
        term, position = _read_term(text, position)
        terms.append(term)
        position = _skip_spaces(text, position)
    return Terms(tuple(terms))


def quote(text: str) -> str:
    """Return a text in quotation marks, so that a filter reads it as it is."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _check_text(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise FilterError(f"a filter has at most {MAX_CHARACTERS:,} characters, and this has {len(text):,}", 0)
    if match := _NO_TEXT.search(text):
        raise FilterError("a NUL character or half a character (a lone surrogate) is not text", match.start())


def _skip_spaces(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _read_predicate(text: str, match: re.Match[str]) -> tuple[str, int]:
    """Return the predicate and its position."""
    if match[1]:
        raise FilterError("sql: takes no minus; write `sql:not (…)`", match.start())
    predicate, begin = text[match.end() :].strip(), _skip_spaces(text, match.end())
    if not predicate:
        raise FilterError("after sql: comes a condition over the columns of runs: sql:cost_usd > 1", match.end())
    if (surplus := find_surplus_parenthesis(predicate)) is not None:
        raise FilterError("this parenthesis closes none of the condition", begin + surplus)
    return predicate, begin


def _read_term(text: str, position: int) -> tuple[Term, int]:
    """Return the term at `position`, and where it ends."""
    match = _BEGINNING.match(text, position)
    assert match is not None  # noqa: S101 - it also matches an empty text
    parts, end = _read_value(text, match.end())
    if not any(part.text for part in parts):
        raise FilterError(_explain_missing(match), match.end())
    term = Term(
        field=match["field"],
        sign=match["sign"] or "",
        parts=parts,
        is_negated=bool(match["negated"]),
        position=match.end("negated"),
        end=end,
    )
    return term, end


def _read_value(text: str, position: int) -> tuple[tuple[Part, ...], int]:
    """Return the parts of a value, up to the next space, and where it ends."""
    parts: list[Part] = []
    while position < len(text) and not text[position].isspace():
        if match := _PLAIN.match(text, position):
            parts.append(Part(match[0], is_quoted=False, position=position))
        elif match := _QUOTED.match(text, position):
            parts.append(Part(_ESCAPED.sub(r"\1", match[1]), is_quoted=True, position=position + 1))
        else:
            raise FilterError("this quotation mark is not closed", position)
        position = match.end()
    return tuple(parts), position


def _explain_missing(match: re.Match[str]) -> str:
    if match["field"]:
        return f"a value is missing: {match['field']}{match['sign']}VALUE"
    return "a word is missing" + (" after the minus" if match["negated"] else "")
