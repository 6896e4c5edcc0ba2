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

from ...config.configuration_file import BadConfiguration
from ...records.arrow_batch import REFERENCE_ROWS, table
from ...records.row_mapping import reference_row
from ...references.rules import References
from ..engines.arrow import listed
from ..engines.database import Database
from .conditions import Conditions, Decisions

__all__ = ["ATTRIBUTES", "ReferenceLookup", "look_up_references"]

ATTRIBUTES: Final = "attributes_of_runs"
"""The statement by whose answer the attributes of runs are known."""

_RUN_COLUMNS: Final = ("agent_trace_id", "agent_name", "service_name", "input", "started_at")


class ReferenceLookup:
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
        return look_up_references(
            runs,
            self._references,
            attributes=lambda asked: connection.execute(statement(ATTRIBUTES), asked).fetchall(),
            decide=self._conditions.decide,
        )


def look_up_references(
    runs: pa.Table,
    references: References,
    *,
    attributes: Callable[[Mapping[str, Any]], Iterable[Sequence[Any]]],
    decide: Callable[[str, Sequence[str]], Decisions],
) -> pa.Table:
    """Returns rows of REFERENCES for those of `runs` (rows of `agent_traces`) that have a reference.

    `attributes` executes the statement ATTRIBUTES; `decide` decides for which runs the condition of a rule holds.
    """
    rows = runs.select(_RUN_COLUMNS).to_pylist()
    ids = [row["agent_trace_id"] for row in rows]
    by_run = _by_run(rows, attributes, is_all=references.asks_for_attributes)
    rules = {name: _Rule(name, partial(decide, condition, ids)) for name, condition in references.conditions.items()}
    reference_rows = []
    for row in rows:
        agent_trace_id = row["agent_trace_id"]
        is_met = partial(_holds, rules, agent_trace_id)
        if (reference := references.of(row, by_run.get(agent_trace_id, {}), is_met)) is not None:
            reference_rows.append(reference_row(agent_trace_id, reference))
    return table(reference_rows, REFERENCE_ROWS)


def _by_run(
    rows: Sequence[Mapping[str, Any]],
    attributes: Callable[[Mapping[str, Any]], Iterable[Sequence[Any]]],
    *,
    is_all: bool,
) -> dict[str, Mapping[str, Any]]:
    """Returns, by run, the attributes that rules match: those of its agent span over those of the resource."""
    began = [row["started_at"] for row in rows if row["started_at"] is not None]
    if not began:
        return {}
    parameters = {
        "agent_trace_ids": listed(row["agent_trace_id"] for row in rows),
        "earliest": min(began),
        "latest": max(began),
        "all": is_all,
    }
    return {run: {**orjson.loads(resource), **orjson.loads(own)} for run, own, resource in attributes(parameters)}


class _Rule:
    """The condition of a rule on a batch of runs, decided for all of them when it is first needed."""

    def __init__(self, name: str, decide: Callable[[], Decisions]) -> None:
        self._name = name
        self._decide = decide
        self._decisions: Decisions | None = None

    def holds(self, agent_trace_id: str) -> bool:
        """Whether it holds for this run. Raises ValueError if that cannot be decided."""
        if self._decisions is None:
            self._decisions = self._decide()
        if (error := self._decisions.undecided.get(agent_trace_id)) is not None:
            raise ValueError(f"the condition of rule {self._name!r} cannot be decided for this run: {error}")
        return agent_trace_id in self._decisions.met


def _holds(rules: Mapping[str, _Rule], agent_trace_id: str, rule: str) -> bool:
    return rules[rule].holds(agent_trace_id)
