"""Finds stored runs, and loads those that a query selects, for an experiment without an agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tracegrade.evaluators.model import AgentTrace
from tracegrade.queries.catalog import statement

from ..client.query import Read, all_rows, split
from ..client.targets import Targets
from ..errors import Fault
from ..references.rules import References
from ..store.engines.arrow import listed

__all__ = ["find_stored_runs", "load_runs"]

_COLUMN: Final = "agent_trace_id"
_PORTION: Final = 1_000


def find_stored_runs(read: Read, agent_trace_ids: Sequence[str]) -> frozenset[str]:
    """Return the ids of those of these runs that the store has."""
    return frozenset(
        row[_COLUMN]
        for part in split(agent_trace_ids, _PORTION)
        for row in all_rows(read, statement("runs_without_content"), agent_trace_ids=listed(part))
    )


def load_runs(read: Read, sql: str, references: References) -> list[AgentTrace]:
    """Load the runs whose `agent_trace_id` the query returns, with their references, in its order.

    Raises SqlRefused, and Fault if there are none, if the query does not select that column, or returns too many rows.
    """
    answer = read(sql)
    names = [column.name for column in answer.columns]
    if _COLUMN not in names:
        raise Fault(f"the query selects {', '.join(names)}; select {_COLUMN}, such as from agent_traces")
    if answer.truncated:
        raise Fault(f"the query returns more than {answer.table.num_rows:,} runs; add a `limit` or a condition")
    ids = list(dict.fromkeys(answer.table.column(_COLUMN).to_pylist()))
    if not ids:
        raise Fault("the query returns no run")
    targets = Targets(read, references)
    runs = {run.agent_trace_id: run for batch in targets.load("trace", ids) for run in batch}
    if missing := [each for each in ids if each not in runs]:
        raise Fault(f"there is no run {missing[0]!r}, or it is too large to read ({len(missing):,} of {len(ids):,})")
    return [runs[each] for each in ids]
