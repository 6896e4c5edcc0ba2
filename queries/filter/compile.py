"""Compiles a filter to a condition in SQL over the view `runs`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ..catalog import condition
from .fields import Use, read_use
from .lexer import read_terms

__all__ = ["WINDOW", "RunFilter", "compile_filter"]

WINDOW: Final = ("since", "until")
"""The parameters that every query with a filter has: the start of a run is at or after `since`, and before `until`."""

_ALL: Final = Use(condition="any_run", values={})
_PARAMETER: Final = re.compile(r"\$(\w+)")
_PREDICATE: Final = "(\n{}\n)"
"""SQL of users, on lines of its own, so that a comment at its end hides nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """A condition over `runs`, with the values of its parameters but for those of the window.

    `predicate` is SQL that a user wrote, part of `condition`: a query with it may only run behind the fence. It begins
    in `text` at `predicate_position`.
    """

    text: str
    condition: str
    parameters: Mapping[str, str | float]
    predicate: str | None = None
    predicate_position: int | None = None

    def find_predicate(self, sql: str) -> int:
        """Return where the SQL of the user begins in a statement with the condition."""
        return sql.index(_PREDICATE.format(self.predicate)) + _PREDICATE.index("{")


def compile_filter(text: str) -> RunFilter:
    """Compile a filter; an empty one selects all runs. Raises FilterError."""
    terms = read_terms(text)
    uses = [read_use(term) for term in terms.terms] or [_ALL]
    parameters = {f"{name}_{number}": value for number, use in enumerate(uses) for name, value in use.values.items()}
    conditions = [_write_condition(use, number) for number, use in enumerate(uses)]
    if terms.predicate is not None:
        conditions.append(_PREDICATE.format(terms.predicate))
    return RunFilter(
        text=text,
        condition=_join(conditions),
        parameters=parameters,
        predicate=terms.predicate,
        predicate_position=terms.predicate_position,
    )


def _write_condition(use: Use, number: int) -> str:
    """Return the condition, its parameters numbered; what is not recorded counts as not matching."""
    sql = _PARAMETER.sub(
        lambda match: match[0] if match[1] in WINDOW else f"{match[0]}_{number}", condition(use.condition)
    )
    return f"(({sql}) is not true)" if use.is_negated else f"({sql})"


def _join(conditions: Iterable[str]) -> str:
    return "\nand ".join(conditions)
