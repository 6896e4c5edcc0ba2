"""Checks a predicate in SQL before it is put in parentheses: it must not close them."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["find_surplus_parenthesis"]

_TOKEN: Final = re.compile(
    r"(?P<escaped>\b[eE]'(?:[^'\\]|\\.|'')*+')|(?P<text>'(?:[^']|'')*+')|(?P<name>\"(?:[^\"]|\"\")*+\")"
    r"|(?P<line>--[^\n]*+)|(?P<block>/\*)|(?P<dollar>\$(?P<tag>(?:[^\W\d]\w*)?)\$)|(?P<bracket>[()])",
    re.DOTALL,
)
_COMMENT_SIGN: Final = re.compile(r"/\*|\*/")


def find_surplus_parenthesis(predicate: str) -> int | None:
    """Return the position of the first parenthesis that closes none of the predicate; None if there is none.

    Parentheses in texts, names and comments do not count, by the rules of PostgreSQL's lexer, which DuckDB has.
    """
    depth = position = 0
    while match := _TOKEN.search(predicate, position):
        position = _find_end(predicate, match)
        if match["bracket"]:
            depth += 1 if match[0] == "(" else -1
        if depth < 0:
            return match.start()
    return None


def _find_end(predicate: str, match: re.Match[str]) -> int:
    """Return the position behind a token; the end of the predicate for what is not closed, which DuckDB refuses."""
    if match["dollar"]:
        end = predicate.find(match[0], match.end())
        return len(predicate) if end < 0 else end + len(match[0])
    return _find_end_of_comment(predicate, match.end()) if match["block"] else match.end()


def _find_end_of_comment(predicate: str, position: int) -> int:
    depth = 1
    while depth and (match := _COMMENT_SIGN.search(predicate, position)):
        depth += 1 if match[0] == "/*" else -1
        position = match.end()
    return len(predicate) if depth else position
