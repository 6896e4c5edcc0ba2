"""Counts scores by evaluator, service, agent and whether they passed, for /metrics, as they are written.

Services and agents are named by whoever sends spans: only so many names get a series of their own.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from ..records.row_mapping import MEMBERS
from . import counters

__all__ = ["OTHER", "BoundedPairs", "count_scores"]

OTHER: Final = "other"
"""The name under which the rest is counted."""

_PAIRS, _FIRSTS = 200, 50
_LONGEST: Final = 100
_PASSED: Final[Mapping[bool | None, str]] = {True: "true", False: "false", None: ""}


class BoundedPairs:
    """Lets the first `pairs` pairs of names through, of up to `firsts` first names; of later ones what is known, and
    `other`. For any thread."""

    def __init__(self, *, pairs: int, firsts: int) -> None:
        self._pairs: set[tuple[str, str]] = set()
        self._firsts: set[str] = set()
        self._most_pairs = pairs
        self._most_firsts = firsts
        self._lock = threading.Lock()

    def bounded(self, first: str, second: str) -> tuple[str, str]:
        """The pair under which this one is counted."""
        with self._lock:
            if first not in self._firsts:
                if len(self._firsts) >= self._most_firsts:
                    return OTHER, OTHER
                self._firsts.add(first)
            if (first, second) not in self._pairs:
                if len(self._pairs) >= self._most_pairs:
                    return first, OTHER
                self._pairs.add((first, second))
            return first, second


_NAMES = BoundedPairs(pairs=_PAIRS, firsts=_FIRSTS)


def count_scores(scores: pa.Table, targets: Mapping[str, pa.Table]) -> None:
    """Counts rows of `scores` that were written on `targets`, which say to which services their runs belong."""
    services = _services(targets)
    columns = (
        scores.column(name).to_pylist() for name in ("evaluator", "target_id", "agent_trace_id", "agent_name", "passed")
    )
    counts = Counter(
        (evaluator, services.get(run or target), agent, passed)
        for evaluator, target, run, agent, passed in zip(*columns, strict=True)
    )
    for (evaluator, service, agent, passed), count in counts.items():
        service_label, agent_label = _NAMES.bounded(_label(service), _label(agent))
        counters.scores.labels(
            evaluator=evaluator, service=service_label, agent=agent_label, passed=_PASSED[passed]
        ).inc(count)


def _services(targets: Mapping[str, pa.Table]) -> dict[str, Any]:
    """The service of each run, and of each session that of its last run, where it is known."""
    runs = targets.get("agent_traces")
    if runs is None or "service_name" not in runs.column_names:
        return {}
    found = dict(zip(runs.column("agent_trace_id").to_pylist(), runs.column("service_name").to_pylist(), strict=True))
    if (members := targets.get(MEMBERS)) is not None:
        pairs = zip(members.column("target_id").to_pylist(), members.column("agent_trace_id").to_pylist(), strict=True)
        found |= {target: found.get(run) for target, run in pairs}
    return found


def _label(name: str | None) -> str:
    return (name or "")[:_LONGEST]
