"""Loads stored runs that a query selects, for an experiment without an agent."""

from __future__ import annotations

from tracegrade.evaluators.model import AgentTrace

from ..client.query import Read
from ..client.targets import Targets
from ..errors import Fault
from ..references.rules import References

__all__ = ["load_runs"]

_COLUMN = "agent_trace_id"


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
