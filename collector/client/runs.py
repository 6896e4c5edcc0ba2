"""Finds runs by the beginning of an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracegrade.queries.catalog import report
from tracegrade.queries.read.missing_run import explain_missing

from ..errors import Fault
from .query import Read, all_rows

__all__ = ["NoSingleMatch", "explain_missing_run", "read_runs", "select_run"]

_NOTHING = 1


class NoSingleMatch(Fault):
    """The id matches nothing, or more than one run or trace."""


def explain_missing_run(read: Read, prefix: str) -> str:
    """Return what was searched for a run, whether it may still arrive, and what lists those that have."""
    return f"{explain_missing(read, prefix)}; `tracegrade tail` shows the newest"


def read_runs(read: Read, prefix: str) -> list[Mapping[str, Any]]:
    """Return the runs of the trace whose id, or of whose run the id, begins with `prefix`; the outermost first.

    Raises NoSingleMatch.
    """
    runs: list[Mapping[str, Any]] = [*all_rows(read, report("runs_of_trace"), id=prefix.lower())]
    if not runs:
        raise NoSingleMatch(explain_missing_run(read, prefix), exit_code=_NOTHING)
    if len({run["trace_id"] for run in runs}) > 1:
        raise NoSingleMatch(f"several traces begin with {prefix!r}: write more of the id")
    return runs


def select_run(read: Read, prefix: str) -> Mapping[str, Any]:
    """Return the run whose id begins with `prefix`; that of a trace means its outermost run. Raises NoSingleMatch."""
    runs = read_runs(read, prefix)
    if "-" in prefix and len(runs) > 1:
        raise NoSingleMatch(f"several runs begin with {prefix!r}: write more of the id")
    return next((run for run in runs if run["parent_agent_trace_id"] is None), runs[0])
