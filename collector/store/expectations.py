"""Looks up what runs were expected to do, before they are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import duckdb
import orjson
import pyarrow as pa

from tracegrade.queries import fence
from tracegrade.queries.catalog import statement

from ..batch import EXPECTATIONS, table
from ..references import References
from ..rows import reference_row
from ..yaml_file import BadConfiguration
from .arrow import listed
from .conditions import Conditions, Told
from .database import Database

__all__ = ["Expectations"]

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
        rows = runs.select(_RUN_COLUMNS).to_pylist()
        ids = [row["agent_trace_id"] for row in rows]
        attributes = self._attributes(connection, rows)
        rules = {
            name: _Rule(name, partial(self._conditions.told, condition, ids))
            for name, condition in self._references.conditions.items()
        }
        found = []
        for row in rows:
            run = row["agent_trace_id"]
            is_met = partial(_holds, rules, run)
            if (reference := self._references.of(row, attributes.get(run, {}), is_met)) is not None:
                found.append(reference_row(run, reference))
        return table(found, EXPECTATIONS)

    def _attributes(
        self, connection: duckdb.DuckDBPyConnection, rows: list[dict[str, Any]]
    ) -> dict[str, Mapping[str, Any]]:
        """The attributes of the agent spans over those of their resources, where they matter."""
        began = [row["started_at"] for row in rows if row["started_at"] is not None]
        if not began:
            return {}
        parameters = {
            "agent_trace_ids": listed(row["agent_trace_id"] for row in rows),
            "earliest": min(began),
            "latest": max(began),
            "all": self._references.asks_for_attributes,
        }
        found = connection.execute(statement("attributes_of_runs"), parameters).fetchall()
        return {run: {**orjson.loads(resource), **orjson.loads(own)} for run, own, resource in found}


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
