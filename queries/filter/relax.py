"""Makes filters that select more: each without one of the terms of a filter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .lexer import Terms, read_terms

__all__ = ["Relaxed", "relax"]


@dataclass(frozen=True, slots=True)
class Relaxed:
    """A filter without one of its terms, which is `left_out`. Both are as they were written."""

    left_out: str
    text: str


def relax(text: str) -> list[Relaxed]:
    """Return a filter without each of its terms. Raises FilterError."""
    return [
        Relaxed(text[begin:end], f"{text[:begin].rstrip()} {text[end:].lstrip()}".strip())
        for begin, end in _find_extents(text, read_terms(text))
    ]


def _find_extents(text: str, terms: Terms) -> Iterator[tuple[int, int]]:
    """Yield where each term begins and ends, and the predicate in SQL."""
    last = 0
    for term in terms.terms:
        last = term.end
        yield term.position - term.is_negated, last
    if terms.predicate is not None:
        yield len(text) - len(text[last:].lstrip()), len(text.rstrip())
