"""Tries the SQL in a configuration before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Final, Protocol

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries import fence
from tracegrade.queries.catalog import statement

from ...config.dependencies import Mistake
from ...errors import SqlRefused
from ..engines.database import Database
from ..engines.selection import open_in_memory
from .conditions import Conditions
from .sql_answer import Unusable
from .sql_evaluators import run_query
from .targets import load_runs_without_content

__all__ = ["Trial", "find_sql_mistakes"]

_PATIENCE_S: Final = 2.0
_OF_RUNS: Final = {"trace", "tool_call"}


class Trial(Protocol):
    """Tries SQL without runs. All methods raise fence.SqlError and SqlRefused."""

    def find_type(self, condition: str, *, after: Sequence[str]) -> str:
        """Return DuckDB's name of the type of a condition on runs."""

    def list_functions(self, select: str) -> Iterable[str]:
        """Return the functions that a query calls."""

    def list_volatile(self) -> Iterable[str]:
        """Return the functions that may return another value at each call, in lower case."""

    def check_query(self, evaluator: Configured) -> None:
        """Check the query of an evaluator. Raises Unusable, too."""


def find_sql_mistakes(evaluators: Iterable[Configured], trial: Trial | None = None) -> Iterator[Mistake]:
    """Yield the conditions and queries of `evaluators` that cannot be used, by default on an empty store in memory."""
    with_sql = [evaluator for evaluator in evaluators if evaluator.when is not None or evaluator.sql is not None]
    if not with_sql:
        return
    with ExitStack() as held:
        if trial is None:
            empty = open_in_memory()
            held.callback(empty.close)
            trial = _OnEmptyStore(empty)
        for evaluator in with_sql:
            if evaluator.when is not None and (fault := _of_condition(trial, evaluator, evaluator.when)) is not None:
                yield evaluator.name, ("when",), fault
            if evaluator.sql is not None and (fault := _of_query(trial, evaluator)) is not None:
                yield evaluator.name, ("sql",), fault


class _OnEmptyStore:
    """Implements Trial in this process, where SQL that is slow to plan is slow."""

    def __init__(self, empty: Database) -> None:
        self._empty = empty

    def find_type(self, condition: str, *, after: Sequence[str]) -> str:
        return Conditions(self._empty).check(condition, after=after)

    def list_functions(self, select: str) -> Iterable[str]:
        with self._empty.cursor() as connection:
            return fence.called(connection, select)

    def list_volatile(self) -> Iterable[str]:
        with self._empty.cursor() as connection:
            return [name for (name,) in connection.execute(statement("volatile_functions")).fetchall()]

    def check_query(self, evaluator: Configured) -> None:
        with self._empty.cursor() as connection:
            nothing = load_runs_without_content(connection, []).main
        with suppress(fence.SqlTimedOut):  # slow even without rows; its own time limit applies when it runs
            run_query(self._empty, replace(evaluator, timeout_s=_PATIENCE_S), nothing)


def _of_condition(trial: Trial, evaluator: Configured, condition: str) -> str | None:
    """Return why the `when` of an evaluator cannot be used; None if it can."""
    if evaluator.scope not in _OF_RUNS:
        return f"{evaluator.name!r} evaluates each {evaluator.scope}, and `when` selects runs; leave it out"
    try:
        kind = trial.find_type(condition, after=evaluator.after)
        if kind != "BOOLEAN":
            return f"the `when` of {evaluator.name!r} is {kind}; write a condition, such as agent_name = 'checkout'"
        functions = trial.list_functions(f"select ({condition})")
        changing = {*trial.list_volatile()}.intersection(map(str.lower, functions))
    except (fence.SqlError, SqlRefused) as error:
        return f"the `when` of {evaluator.name!r} cannot be used: {_first(error)}"
    if changing:
        return (
            f"the `when` of {evaluator.name!r} calls {min(changing)}, which says something else whenever it is asked; "
            "for a share of the runs write `sample`"
        )
    return None


def _of_query(trial: Trial, evaluator: Configured) -> str | None:
    """Return why the query of an evaluator cannot be used; None if it can."""
    try:
        trial.check_query(evaluator)
    except (fence.SqlError, SqlRefused, Unusable) as error:
        return f"the query of {evaluator.name!r} cannot be used: {_first(error)}"
    return None


def _first(error: Exception) -> str:
    """Return the message without the lines that point into the query, which is only partly the user's."""
    return " ".join(str(error).partition("\nLINE ")[0].split())
