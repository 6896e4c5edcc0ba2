"""How the runs that were just assembled differ from those that are stored."""

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
    "started_at",
    "completeness",
    "fingerprint",
    "rows_hash",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """`new` and `changed` runs get their next revision; of the `same` ones those that are `stale` get their rows
    written again, under the revision that they have; `gone` ones are stored and were not assembled.

    `waiting` traces have runs that are not complete; `postponed` ones a run that was revised a moment ago, and nothing
    of them is written. `touched` are all traces of new and changed runs, those of postponed ones too.
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
        """The runs that get a revision."""
        return [*self.new, *self.changed]


def compare(
    assembled: pa.Table,
    stored: Mapping[str, Row],
    *,
    final: Collection[str],
    is_restless: Callable[[Row], bool],
    writes_all: bool = False,
) -> Changes:
    """Compares rows of `agent_traces` with the `stored` ones of the same traces, by agent_trace_id.

    Runs that are not complete count only when their trace is among `final`. A trace in which a run changed that
    `is_restless` is postponed. With `writes_all` every run that is the same is stale.
    """
    runs: list[Row] = assembled.select(_COLUMNS).to_pylist()
    ready = [run for run in runs if run["completeness"] == "complete" or run["trace_id"] in final]
    new, changed, same = _sorted(ready, stored)
    postponed = {run["trace_id"] for run in changed if is_restless(stored[run["agent_trace_id"]])}

    def now(some: Sequence[Row]) -> list[Row]:
        return [run for run in some if run["trace_id"] not in postponed]

    ready_ids, assembled_ids = _ids(ready), _ids(runs)
    return Changes(
        new=now(new),
        changed=now(changed),
        same=same,
        stale=now(
            [run for run in same if writes_all or run["rows_hash"] != stored[run["agent_trace_id"]]["rows_hash"]]
        ),
        gone=list(_ids(now([row for key, row in stored.items() if key not in assembled_ids]))),
        waiting=frozenset(run["trace_id"] for run in runs if run["agent_trace_id"] not in ready_ids),
        postponed=frozenset(postponed),
        touched=frozenset(run["trace_id"] for run in [*new, *changed]),
    )


def _sorted(runs: Sequence[Row], stored: Mapping[str, Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Those that are new, those that changed, and those that are the same."""
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


def _ids(runs: Sequence[Row]) -> dict[str, None]:
    """Their agent_trace_ids, in order."""
    return dict.fromkeys(run["agent_trace_id"] for run in runs)
