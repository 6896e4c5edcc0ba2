"""Computes stored outcomes again, and marks stored counts of hours, if another version defined them otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from functools import cache
from typing import Final

import duckdb

from tracegrade.queries.catalog import objects, statement

from . import changed_hours, outcomes

__all__ = ["renew"]

_OUTCOMES: Final = frozenset({"run_outcomes_of"})
_HOURS: Final = frozenset({"run_hours_of", "score_hours_of", "tool_hours_of"})


def renew(transaction: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]) -> None:
    """Compute all outcomes again if their definition is new, and mark all hours if theirs or that of outcomes is.

    Each day is a `transaction`. If the process ends before the last one, the next repeats all.
    """
    with transaction() as connection:
        known = {name for (name,) in connection.execute(statement("outcome_definition")).fetchall()}
        days = [] if _hash(_OUTCOMES) in known else outcomes.list_days(connection)
    if known == {_hash(_OUTCOMES), _hash(_HOURS)}:
        return
    for day in days:
        with transaction() as connection:
            outcomes.renew(connection, day)
    with transaction() as connection:
        changed_hours.mark_all(connection)
        connection.execute(statement("delete_outcome_definition"))
        for name in (_OUTCOMES, _HOURS):
            connection.execute(statement("insert_outcome_definition"), {"definition_hash": _hash(name)})


@cache
def _hash(names: Collection[str]) -> str:
    """Return a hash of the statements that define these macros, and of the macros and views that they read."""
    by_name = {each.name: each for each in (*objects("macro"), *objects("view"))}
    found, left = set[str](), set(names)
    while left:
        found |= left
        left = {read for name in left for read in by_name[name].reads if read in by_name} - found
    return hashlib.sha256("".join(by_name[name].body for name in sorted(found)).encode()).hexdigest()
