"""Counts scores by evaluator, service, agent and whether they passed, for /metrics, as they are written.

Senders choose the names of services and agents, so the number of series is limited.
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
"""The name under which all further names are counted."""

_PAIRS, _FIRSTS = 200, 50
_LONGEST: Final = 100
_PASSED: Final[Mapping[bool | None, str]] = {True: "true", False: "false", None: ""}


class BoundedPairs:
    """Limits pairs of names to the first `pairs` ones, with up to `firsts` first names; later names become `other`. For
    any thread."""

    def __init__(self, *, pairs: int, firsts: int) -> None:
        self._pairs: set[tuple[str, str]] = set()
        self._firsts: set[str] = set()
        self._most_pairs = pairs
        self._most_firsts = firsts
        self._lock = threading.Lock()

    def bound(self, first: str, second: str) -> tuple[str, str]:
        """Return the pair under which this pair is counted."""
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
    """Count written rows of `scores`; their `targets` contain the services of the runs."""
    services = _find_services(targets)
    columns = (
        scores.column(name).to_pylist() for name in ("evaluator", "target_id", "agent_trace_id", "agent_name", "passed")
    )
    counts = Counter(
        (evaluator, services.get(run or target), agent, passed)
        for evaluator, target, run, agent, passed in zip(*columns, strict=True)
    )
    for (evaluator, service, agent, passed), count in counts.items():
        service_label, agent_label = _NAMES.bound(_shorten(service), _shorten(agent))
        counters.scores.labels(
            evaluator=evaluator, service=service_label, agent=agent_label, passed=_PASSED[passed]
        ).inc(count)


def _find_services(targets: Mapping[str, pa.Table]) -> dict[str, Any]:
    """Return the known service of each run, and for each session that of its last run."""
    runs = targets.get("agent_traces")
    if runs is None or "service_name" not in runs.column_names:
        return {}
    services = dict(
        zip(runs.column("agent_trace_id").to_pylist(), runs.column("service_name").to_pylist(), strict=True)
    )
    if (members := targets.get(MEMBERS)) is not None:
        pairs = zip(members.column("target_id").to_pylist(), members.column("agent_trace_id").to_pylist(), strict=True)
        services |= {target: services.get(run) for target, run in pairs}
    return services


def _shorten(name: str | None) -> str:
    return (name or "")[:_LONGEST]
