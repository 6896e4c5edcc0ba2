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
from .database import Database

__all__ = ["Expectations"]

_CONDITION: Final = "        true\n"
_TIMEOUT_S: Final = 5.0
_RUN_COLUMNS: Final = ("agent_trace_id", "agent_name", "service_name", "input", "started_at")


class Expectations:
    """The references of runs: from attributes of their spans, and from the rules of a file."""

    def __init__(self, database: Database, references: References) -> None:
        self._database = database
        self._references = references

    def check(self) -> None:
        """Raises BadConfiguration when a rule's condition cannot be applied to `agent_traces`."""
        for rule, condition in self._references.conditions.items():
            try:
                self._met(condition, "")
            except fence.SqlError as error:
                raise BadConfiguration(f"rule {rule!r}: its condition `where` cannot be used: {error}") from error

    def of(self, connection: duckdb.DuckDBPyConnection, runs: pa.Table) -> pa.Table:
        """Rows of REFERENCES for those of `runs` (rows of `agent_traces`) of which something is expected."""
        rows = runs.select(_RUN_COLUMNS).to_pylist()
        ids = listed(row["agent_trace_id"] for row in rows)
        attributes = self._attributes(connection, rows, ids)
        conditions = {
            rule: _Condition(rule, condition, lambda text: self._met(text, ids))
            for rule, condition in self._references.conditions.items()
        }
        found = []
        for row in rows:
            run = row["agent_trace_id"]
            is_met = partial(_holds, conditions, run)
            if (reference := self._references.of(row, attributes.get(run, {}), is_met)) is not None:
                found.append(reference_row(run, reference))
        return table(found, EXPECTATIONS)

    def _attributes(
        self, connection: duckdb.DuckDBPyConnection, rows: list[dict[str, Any]], ids: str
    ) -> dict[str, Mapping[str, Any]]:
        """The attributes of the agent spans over those of their resources, where they matter."""
        began = [row["started_at"] for row in rows if row["started_at"] is not None]
        if not began:
            return {}
        parameters = {
            "agent_trace_ids": ids,
            "earliest": min(began),
            "latest": max(began),
            "all": self._references.asks_for_attributes,
        }
        found = connection.execute(statement("attributes_of_runs"), parameters).fetchall()
        return {run: {**orjson.loads(resource), **orjson.loads(own)} for run, own, resource in found}

    def _met(self, condition: str, ids: str) -> set[str]:
        """Those of the runs for which `condition` holds. Raises fence.SqlError."""
        sql = statement("runs_where").replace(_CONDITION, f"        {condition}\n")
        found = fence.read(
            self._database.connect, sql, parameters={"agent_trace_ids": ids}, timeout_s=_TIMEOUT_S, max_rows=1_000_000
        )
        return set(found.table.column("agent_trace_id").to_pylist())


class _Condition:
    """The condition of a rule on a batch of runs, asked for all of them when the first one needs it."""

    def __init__(self, rule: str, text: str, ask: Callable[[str], set[str]]) -> None:
        self._rule = rule
        self._text = text
        self._ask = ask
        self._met: set[str] | None = None

    def holds(self, run: str) -> bool:
        """Raises ValueError when it cannot be told."""
        if self._met is None:
            try:
                self._met = self._ask(self._text)
            except fence.SqlError as error:
                raise ValueError(f"the condition of rule {self._rule!r} failed: {error}") from error
        return run in self._met


def _holds(conditions: Mapping[str, _Condition], run: str, rule: str) -> bool:
    return conditions[rule].holds(run)
