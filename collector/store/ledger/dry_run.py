"""Tries the SQL in a configuration on an empty store in memory, before a real store is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries import fence
from tracegrade.queries.catalog import statement

from ...config.dependencies import Mistake
from ..engines.database import Database
from ..engines.selection import open_in_memory
from .conditions import Conditions
from .sql_answer import Unusable
from .sql_evaluators import run_query
from .targets import load_runs_without_content

__all__ = ["find_sql_mistakes"]

_PATIENCE_S: Final = 2.0
_OF_RUNS: Final = {"trace", "tool_call"}


def find_sql_mistakes(evaluators: Iterable[Configured]) -> Iterator[Mistake]:
    """Yield the conditions and queries of `evaluators` that cannot be used."""
    with_sql = [evaluator for evaluator in evaluators if evaluator.when is not None or evaluator.sql is not None]
    if not with_sql:
        return
    empty = open_in_memory()
    try:
        for evaluator in with_sql:
            if (fault := _of_condition(empty, evaluator)) is not None:
                yield evaluator.name, ("when",), fault
            if (fault := _of_query(empty, evaluator)) is not None:
                yield evaluator.name, ("sql",), fault
    finally:
        empty.close()


def _of_condition(empty: Database, evaluator: Configured) -> str | None:
    """Return why the `when` of an evaluator cannot be used; None if it can."""
    if evaluator.when is None:
        return None
    if evaluator.scope not in _OF_RUNS:
        return f"{evaluator.name!r} evaluates each {evaluator.scope}, and `when` selects runs; leave it out"
    try:
        kind = Conditions(empty).check(evaluator.when, after=evaluator.after)
    except fence.SqlError as error:
        return f"the `when` of {evaluator.name!r} cannot be used: {_first(error)}"
    if kind != "BOOLEAN":
        return f"the `when` of {evaluator.name!r} is {kind}; write a condition, such as agent_name = 'checkout'"
    if changing := _volatile(empty, evaluator.when):
        return (
            f"the `when` of {evaluator.name!r} calls {changing}, which says something else whenever it is asked; "
            "for a share of the runs write `sample`"
        )
    return None


def _of_query(empty: Database, evaluator: Configured) -> str | None:
    """Return why the query of an evaluator cannot be used; None if it can."""
    if evaluator.sql is None:
        return None
    with empty.cursor() as connection:
        nothing = load_runs_without_content(connection, []).main
    try:
        run_query(empty, replace(evaluator, timeout_s=_PATIENCE_S), nothing)
    except fence.SqlTimedOut:
        return None  # slow even without rows; the evaluator's own time limit applies when it runs
    except (fence.SqlError, Unusable) as error:
        return f"the query of {evaluator.name!r} cannot be used: {_first(error)}"
    return None


def _volatile(empty: Database, condition: str) -> str | None:
    """Return the name of a function in a condition whose result differs from call to call; None if there is none."""
    with empty.cursor() as connection:
        names = {name for (name,) in connection.execute(statement("volatile_functions")).fetchall()}
        return next((name for name in fence.called(connection, f"select ({condition})") if name.lower() in names), None)


def _first(error: Exception) -> str:
    """Return the message without the lines that point into the query, which is only partly the user's."""
    return " ".join(str(error).partition("\nLINE ")[0].split())
