"""Keeps what errors, calls and scores say of each outermost run in its row of `agent_traces`.

The macro `run_outcomes_of` is the only definition. A transaction that changes runs or scores notes the runs that it has
`Touched`, and writes the outcomes of the outermost runs around them at its end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final, Self, TypeAlias

import duckdb

from tracegrade.queries.catalog import objects, report, statement

from ..engines.arrow import listed

__all__ = ["Touched", "keep_definition", "list_outdated_days", "renew", "write"]

Day: TypeAlias = Mapping[str, Any]
"""A row of the report `days_with_runs`."""

_MARGIN: Final = timedelta(minutes=5)
"""How long before its calls a run is looked for first."""

_GAP: Final = timedelta(hours=1)
"""Runs that began further apart are computed separately, since all that lies between them would be read."""

_DEFINED_BY: Final = ("run_outcomes_of", "error_class", "error_pattern", "pattern_id")


@dataclass(slots=True)
class Touched:
    """The runs whose outcome a transaction may have changed; most of them began between the times (UTC)."""

    agent_trace_ids: set[str] = field(default_factory=set)
    earliest: datetime | None = None
    latest: datetime | None = None

    def add(self, agent_trace_ids: Iterable[str | None], times: Iterable[datetime | None] = ()) -> None:
        """Add runs, and the times at which they or their calls began, as far as these are known."""
        self.agent_trace_ids.update(key for key in agent_trace_ids if key is not None)
        if known := [time for time in times if time is not None]:
            self.earliest = min(*known, self.earliest or known[0])
            self.latest = max(*known, self.latest or known[0])

    def __ior__(self, other: Touched) -> Self:
        self.add(other.agent_trace_ids, (other.earliest, other.latest))
        return self


@dataclass(frozen=True, slots=True)
class _Tree:
    """An outermost run, and between which times the targets of scores in its tree began."""

    agent_trace_id: str
    earliest: datetime
    latest: datetime


def write(connection: duckdb.DuckDBPyConnection, touched: Touched) -> None:
    """Compute and write the outcomes of the outermost runs around those that were `touched`."""
    for trees in _split(_find_trees(connection, touched)):
        connection.execute(
            statement("update_outcomes"),
            {
                "agent_trace_ids": listed(tree.agent_trace_id for tree in trees),
                "earliest": min(tree.earliest for tree in trees),
                "latest": max(tree.latest for tree in trees),
            },
        )


def list_outdated_days(connection: duckdb.DuckDBPyConnection) -> list[Day] | None:
    """Return the days with runs if their outcomes were computed by another definition; None if by the present one."""
    if connection.execute(statement("outcome_definition")).fetchall() == [(_hash_definition(),)]:
        return None
    days: list[Day] = connection.execute(report("days_with_runs")).to_arrow_table().to_pylist()
    return days


def renew(connection: duckdb.DuckDBPyConnection, day: Day) -> None:
    """Compute and write the outcomes of all outermost runs of a day."""
    runs = connection.execute(statement("runs_of_day"), {"day": day["day"]}).fetchall()
    about = {"agent_trace_ids": listed(key for (key,) in runs), "earliest": day["earliest"], "latest": day["latest"]}
    connection.execute(statement("update_outcomes"), about)


def keep_definition(connection: duckdb.DuckDBPyConnection) -> None:
    """Record that all outcomes are computed by the present definition."""
    connection.execute(statement("delete_outcome_definition"))
    connection.execute(statement("insert_outcome_definition"), {"definition_hash": _hash_definition()})


@cache
def _hash_definition() -> str:
    texts = [each.sha256 for each in objects("macro") if each.name in _DEFINED_BY]
    return hashlib.sha256("".join(texts).encode()).hexdigest()


def _find_trees(connection: duckdb.DuckDBPyConnection, touched: Touched) -> list[_Tree]:
    """Return the outermost runs around the touched ones, of those that are stored."""
    roots: dict[str, tuple[datetime, datetime]] = {}
    sought = touched.agent_trace_ids
    if touched.earliest is not None and touched.latest is not None:
        sought = _look_up(connection, sought, roots, earliest=touched.earliest - _MARGIN, latest=touched.latest)
    while sought:  # runs that vanished, and those whose outermost run began at another time
        sought = _look_up(connection, sought, roots) - sought
    former = _read_former_starts(connection, roots)
    return [
        _Tree(key, min([earliest, *former.get(_trace_of(key), ())]), max([latest, *former.get(_trace_of(key), ())]))
        for key, (earliest, latest) in roots.items()
    ]


def _look_up(
    connection: duckdb.DuckDBPyConnection,
    agent_trace_ids: Collection[str],
    roots: dict[str, tuple[datetime, datetime]],
    *,
    earliest: datetime | None = None,
    latest: datetime | None = None,
) -> set[str]:
    """Add to `roots` those of some runs that are outermost; return the runs that are still to be looked up."""
    asked = {"agent_trace_ids": listed(agent_trace_ids), "earliest": earliest, "latest": latest}
    missing, around = set(agent_trace_ids), set()
    for key, root, first, last in connection.execute(statement("trees_of_runs"), asked).fetchall():
        missing.discard(key)
        if key == root:
            roots[key] = first, last
        else:
            around.add(root)
    return (missing | around) - roots.keys()


def _read_former_starts(
    connection: duckdb.DuckDBPyConnection, roots: Collection[str]
) -> dict[str, tuple[datetime, datetime]]:
    """Return by trace the first and last former start of its runs; older scores have these times."""
    if not roots:
        return {}
    rows = connection.execute(
        statement("former_starts_of_traces"), {"trace_ids": listed({_trace_of(key) for key in roots})}
    ).fetchall()
    return {trace_id: (earliest, latest) for trace_id, earliest, latest in rows}


def _trace_of(agent_trace_id: str) -> str:
    return agent_trace_id.partition("-")[0]


def _split(trees: Iterable[_Tree]) -> Iterator[Sequence[_Tree]]:
    """Split trees into groups that follow each other closely."""
    group: list[_Tree] = []
    latest = None
    for tree in sorted(trees, key=lambda tree: (tree.earliest, tree.agent_trace_id)):
        if latest is not None and tree.earliest - latest > _GAP:
            yield group
            group = []
        group.append(tree)
        latest = tree.latest if latest is None else max(latest, tree.latest)
    if group:
        yield group
