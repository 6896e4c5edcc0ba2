"""Looks up what runs were expected to do, before they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import duckdb
import orjson
import pyarrow as pa

from tracegrade.queries import fence
from tracegrade.queries.catalog import statement

from ...config.location import BadConfiguration
from ...records.arrow_batch import EXPECTATIONS, table
from ...records.row_mapping import reference_row
from ...references.rules import References
from ..engines.arrow import listed
from ..engines.database import Database
from .conditions import Conditions, Told

__all__ = ["ATTRIBUTES", "Expectations", "expected_of"]

ATTRIBUTES: Final = "attributes_of_runs"
"""The statement by whose answer the attributes of runs are known."""

_RUN_COLUMNS: Final = ("agent_trace_id", "agent_name", "service_name", "input", "started_at")


class Expectations:
    """The references of runs: from attributes of their spans, and from the rules of a file."""

    def __init__(self, database: Database, references: References) -> None:
        self._conditions = Conditions(database)
        self._references = references

    def check(self) -> None:
        """Raises BadConfiguration when a rule's condition cannot be applied to `agent_traces`."""
        for rule, condition in self._references.conditions.items():
            try:
                self._conditions.check(condition)
            except fence.SqlError as error:
                place = self._references.place(rule)
                raise BadConfiguration(f"{place}: rule {rule!r}: its condition cannot be used: {error}") from error

    def of(self, connection: duckdb.DuckDBPyConnection, runs: pa.Table) -> pa.Table:
        """Rows of REFERENCES for those of `runs` (rows of `agent_traces`) of which something is expected."""
        return expected_of(
            runs,
            self._references,
            attributes=lambda asked: connection.execute(statement(ATTRIBUTES), asked).fetchall(),
            told=self._conditions.told,
        )


def expected_of(
    runs: pa.Table,
    references: References,
    *,
    attributes: Callable[[Mapping[str, Any]], Iterable[Sequence[Any]]],
    told: Callable[[str, Sequence[str]], Told],
) -> pa.Table:
    """Rows of REFERENCES for those of `runs` (rows of `agent_traces`) of which something is expected.

    `attributes` answers the statement ATTRIBUTES; `told` says for which runs the condition of a rule holds.
    """
    rows = runs.select(_RUN_COLUMNS).to_pylist()
    ids = [row["agent_trace_id"] for row in rows]
    by_run = _by_run(rows, attributes, is_all=references.asks_for_attributes)
    rules = {name: _Rule(name, partial(told, condition, ids)) for name, condition in references.conditions.items()}
    found = []
    for row in rows:
        run = row["agent_trace_id"]
        is_met = partial(_holds, rules, run)
        if (reference := references.of(row, by_run.get(run, {}), is_met)) is not None:
            found.append(reference_row(run, reference))
    return table(found, EXPECTATIONS)


def _by_run(
    rows: Sequence[Mapping[str, Any]],
    attributes: Callable[[Mapping[str, Any]], Iterable[Sequence[Any]]],
    *,
    is_all: bool,
) -> dict[str, Mapping[str, Any]]:
    """The attributes of the agent spans over those of their resources, where they matter."""
    began = [row["started_at"] for row in rows if row["started_at"] is not None]
    if not began:
        return {}
    asked = {
        "agent_trace_ids": listed(row["agent_trace_id"] for row in rows),
        "earliest": min(began),
        "latest": max(began),
        "all": is_all,
    }
    return {run: {**orjson.loads(resource), **orjson.loads(own)} for run, own, resource in attributes(asked)}


class _Rule:
    """The condition of a rule on a batch of runs, asked for all of them when the first one needs it."""

    def __init__(self, name: str, ask: Callable[[], Told]) -> None:
        self._name = name
        self._ask = ask
        self._told: Told | None = None

    def holds(self, run: str) -> bool:
        """Raises ValueError when it cannot be told."""
        if self._told is None:
            self._told = self._ask()
        if (why := self._told.undecided.get(run)) is not None:
            raise ValueError(f"the condition of rule {self._name!r} cannot be told of this run: {why}")
        return run in self._told.met


def _holds(rules: Mapping[str, _Rule], run: str, rule: str) -> bool:
    return rules[rule].holds(run)
