"""Says of an id that no run has what was searched, and whether the run may still come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..catalog import report
from .source import Read, rows_of

__all__ = ["explain_missing"]


def explain_missing(read: Read, id_: str, *, is_bounded: bool = False) -> str:
    """Return what was searched for a run, and whether it may still arrive. `is_bounded`: only a day around a time."""
    where = " that began within a day of `at`" if is_bounded else ""
    searched = rows_of(read(report("searched_runs"), parameters=None))[0]
    message = f"no run{where} has an id that begins with {id_!r}: searched {searched['runs']:,} runs"
    trace = id_.lower().partition("-")[0]
    arrivals = rows_of(read(report("arrivals_of_id"), parameters={"id": trace})) if trace else []
    if arrivals:
        return f"{message}. {_describe_arrivals(arrivals[0])}"
    newest = searched["arrived_at"]
    last = f"the newest arrived at {newest:%Y-%m-%d %H:%M:%S} UTC" if newest else "none has arrived"
    return f"{message} and the trace ids of {searched['spans']:,} spans; {last}. The run may not have arrived yet"


def _describe_arrivals(trace: Mapping[str, Any]) -> str:
    head = f"{trace['spans']:,} spans of trace {trace['trace_id']} have arrived"
    if trace["cause"] is not None:
        return f"{head}, but it cannot be assembled: {trace['cause']}"
    if trace["is_open"]:
        return f"{head}, the last at {trace['arrived_at']:%H:%M:%S} UTC; it is not assembled yet: ask again in seconds"
    return f"{head} and are assembled, but no run in them has this id"
