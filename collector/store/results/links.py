"""Links runs without an agent span that belong to one loop, and runs whose conversation is named after a response.

The runs get one session, and their tool calls the outcomes that later runs contain. Links are not part of a revision.
They are computed from the ids that all these runs ask with and answer, whenever one of the runs is written or vanishes,
so that neither the order of arrival nor a rebuild changes them. All functions run in a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ...records.arrow_batch import keyed
from ..engines.arrow import listed, read_table, registered
from .changes import Row
from .link_rows import Linked, LinkedRun, rewrite, times_of
from .linked import Answer, Continuation, Piece, answers_of, continuations_of, groups_of

__all__ = ["Moved", "relink"]

_WINDOW: Final = timedelta(days=7)
"""How much later than a run another may begin that continues it."""

_MOST_ASKS: Final = 20
"""An id that more runs ask with is ignored."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Pairs of a run and the session that a link gave it: those `before` a change, and those `now`.

    `answered` has the start of each run of which calls have another outcome now, by agent_trace_id.
    """

    before: frozenset[tuple[str, str]] = frozenset()
    now: frozenset[tuple[str, str]] = frozenset()
    answered: Mapping[str, datetime] = field(default_factory=dict)


def relink(
    connection: duckdb.DuckDBPyConnection, keys: pa.Table, written: Collection[str], *, before: Iterable[Row]
) -> Moved:
    """Link the runs that were just `written` with others, by `keys`, rows of `link_keys`.

    `before` are the former rows of the runs that were replaced, and of those that are gone.
    """
    keys = keyed(keys, "agent_trace_id", written) if keys.num_rows else keys
    former = {
        row["agent_trace_id"]: Piece(row["started_at"], row["agent_trace_id"]) for row in before if row["is_linkable"]
    }
    if not keys.num_rows and not former:
        return Moved()
    return _relink(connection, keys, former)


def _relink(connection: duckdb.DuckDBPyConnection, keys: pa.Table, former: Mapping[str, Piece]) -> Moved:
    """Replace the link keys of written and `former` runs, and compute again the links of all runs that these affect."""
    written = _pieces(keys.select(["agent_trace_id", "started_at", "session_id"]).to_pylist())
    changed = _continuing(connection, former)
    runs = _linked_runs(connection, former)
    _replace_keys(connection, keys, former)
    changed |= _continuing(connection, written)
    if not former and changed.keys() <= written.keys():
        return _append(connection, written)
    changed = {key: piece for key, piece in changed.items() if key not in former} | written
    continuations = _continued(connection, changed)
    reached = changed | _earlier(continuations)
    runs |= _linked_runs(connection, reached)
    reached |= {key: run.piece for key, run in runs.items() if key not in former and key not in reached}
    continuations += _continued(connection, {key: piece for key, piece in reached.items() if key not in changed})
    continuations = [each for each in continuations if each.earlier.agent_trace_id in reached]
    before = Linked(runs, _linked_calls(connection, {*runs, *reached}))
    after = Linked.of(groups_of(reached.values(), continuations), answers_of(continuations))
    answered = rewrite(connection, reached, before=before, after=after, fresh={*written, *former})
    return Moved(before=before.given, now=after.given, answered=answered)


def _append(connection: duckdb.DuckDBPyConnection, written: Mapping[str, Piece]) -> Moved:
    """Link new runs that no other run continues yet, the usual case: the links of other runs stay as they are."""
    continuations = _continued(connection, written)
    earlier = _earlier(continuations)
    runs = _linked_runs(connection, earlier)
    reached = {**written, **earlier, **{key: run.piece for key, run in runs.items()}}
    before = Linked(runs, _linked_calls(connection, earlier) if earlier else {})
    groups = groups_of(reached.values(), continuations, {key: run.group_id for key, run in runs.items()})
    after = Linked.of(groups, answers_of(continuations, before.calls))
    answered = rewrite(connection, reached, before=before, after=after, fresh={*written})
    return Moved(before=before.given, now=after.given, answered=answered)


def _replace_keys(connection: duckdb.DuckDBPyConnection, keys: pa.Table, former: Mapping[str, Piece]) -> None:
    if former:
        connection.execute(statement("delete_link_keys"), _about(former))
    if keys.num_rows:
        with registered(connection, "new_link_keys", keys):
            connection.execute(statement("insert_link_keys"))


def _continuing(connection: duckdb.DuckDBPyConnection, pieces: Mapping[str, Piece]) -> dict[str, Piece]:
    """Return the runs that continue these."""
    return _pieces(_rows(connection, "continuing_runs", pieces, window=_WINDOW, most_asks=_MOST_ASKS))


def _continued(connection: duckdb.DuckDBPyConnection, pieces: Mapping[str, Piece]) -> list[Continuation]:
    """Return the continuations of earlier runs by these."""
    return continuations_of(_rows(connection, "continued_runs", pieces, window=_WINDOW, most_asks=_MOST_ASKS))


def _linked_runs(connection: duckdb.DuckDBPyConnection, pieces: Mapping[str, Piece]) -> dict[str, LinkedRun]:
    """Return the stored runs of the groups that these runs belong to."""
    return {row["agent_trace_id"]: LinkedRun.of(row) for row in _rows(connection, "linked_groups", pieces)}


def _linked_calls(
    connection: duckdb.DuckDBPyConnection, agent_trace_ids: Iterable[str]
) -> dict[tuple[str, int], Answer]:
    """Return the stored answers to tool calls of these runs, by run and position."""
    parameters = {"agent_trace_ids": listed(agent_trace_ids)}
    rows = read_table(connection, "linked_calls_of_runs", parameters).to_pylist()
    return {(row.pop("agent_trace_id"), row.pop("position")): Answer(**row) for row in rows}


def _rows(connection: duckdb.DuckDBPyConnection, name: str, pieces: Mapping[str, Piece], **more: Any) -> list[Row]:
    """Return the rows of a statement about some runs; none without runs."""
    if not pieces:
        return []
    rows: list[Row] = read_table(connection, name, {**_about(pieces), **more}).to_pylist()
    return rows


def _about(pieces: Mapping[str, Piece]) -> dict[str, Any]:
    """Return the parameters of statements about these runs."""
    return {"agent_trace_ids": listed(pieces), **times_of(pieces.values())}


def _pieces(rows: Iterable[Row]) -> dict[str, Piece]:
    return {row["agent_trace_id"]: Piece.of(row) for row in rows}


def _earlier(continuations: Iterable[Continuation]) -> dict[str, Piece]:
    return {each.earlier.agent_trace_id: each.earlier for each in continuations}
