"""Compares assembled runs with the stored ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

__all__ = ["Changes", "Row", "compare"]

Row: TypeAlias = Mapping[str, Any]

_COLUMNS = [
    "agent_trace_id",
    "trace_id",
    "session_id",
    "parent_agent_trace_id",
    "root_agent_trace_id",
    "started_at",
    "completeness",
    "fingerprint",
    "rows_hash",
    "experiment_id",
    "error",
    "failed_calls",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The differences between assembled and stored runs.

    `new` and `changed` runs get their next revision. The rows of `stale` runs, some of the `same` ones, are written
    again under their present revision. `gone` runs are stored and were not assembled.

    `waiting` traces have runs that are not complete. Of `postponed` traces, in which a run was revised too recently,
    nothing is written. `touched` are all traces of new and changed runs, including postponed ones.
    """

    new: Sequence[Row]
    changed: Sequence[Row]
    same: Sequence[Row]
    stale: Sequence[Row]
    gone: Sequence[str]
    waiting: frozenset[str]
    postponed: frozenset[str]
    touched: frozenset[str]

    @property
    def revised(self) -> list[Row]:
        """The runs that get a new revision."""
        return [*self.new, *self.changed]


def compare(
    assembled: pa.Table,
    stored: Mapping[str, Row],
    *,
    final: Collection[str],
    is_restless: Callable[[Row], bool],
    writes_all: bool = False,
) -> Changes:
    """Compare rows of `agent_traces` with the `stored` ones of the same traces, by agent_trace_id.

    Runs that are not complete count only if their trace is in `final`. A trace is postponed if a run changed whose
    stored row `is_restless`. With `writes_all` every run that is the same is stale.
    """
    runs: list[Row] = assembled.select(_COLUMNS).to_pylist()
    ready = [run for run in runs if run["completeness"] == "complete" or run["trace_id"] in final]
    new, changed, same = _sorted(ready, stored)
    postponed = {run["trace_id"] for run in changed if is_restless(stored[run["agent_trace_id"]])}

    def now(some: Sequence[Row]) -> list[Row]:
        """Return the runs whose trace is not postponed."""
        return [run for run in some if run["trace_id"] not in postponed]

    ready_ids, assembled_ids = _ids(ready), _ids(runs)
    return Changes(
        new=now(new),
        changed=now(changed),
        same=same,
        stale=now([run for run in same if writes_all or _has_other_rows(run, stored[run["agent_trace_id"]])]),
        gone=list(_ids(now([row for key, row in stored.items() if key not in assembled_ids]))),
        waiting=frozenset(run["trace_id"] for run in runs if run["agent_trace_id"] not in ready_ids),
        postponed=frozenset(postponed),
        touched=frozenset(run["trace_id"] for run in [*new, *changed]),
    )


def _sorted(runs: Sequence[Row], stored: Mapping[str, Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Return the new runs, the changed ones, and those that are the same."""
    new: list[Row] = []
    changed: list[Row] = []
    same: list[Row] = []
    for run in runs:
        row = stored.get(run["agent_trace_id"])
        if row is None:
            new.append(run)
        else:
            (same if row["fingerprint"] == run["fingerprint"] else changed).append(run)
    return new, changed, same


def _has_other_rows(run: Row, stored: Row) -> bool:
    """Return whether a run of the same content has other rows than the stored ones.

    The hash is from before the store decided whether it knows the experiment.
    """
    return bool(run["rows_hash"] != stored["rows_hash"] or run["experiment_id"] != stored["experiment_id"])


def _ids(runs: Sequence[Row]) -> dict[str, None]:
    """Return their agent_trace_ids in order, as keys."""
    return dict.fromkeys(run["agent_trace_id"] for run in runs)
