"""Measures how far assembly and evaluators are behind, at a cost that grows with what waits, not with the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..store.priority import BACKFILL

__all__ = ["EvaluatorLag", "Lag", "LagReader"]

_SHARE: Final = 0.001
"""Share of the time for queries over all runs: a query that took 50 ms is repeated after 50 s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorLag:
    """The targets that wait for an evaluator: `new` ones that it has not looked at, and `deferred` ones by kind of
    reason. `oldest_at` is when the oldest of them ended (UTC); None if none of them has a time, as tools have none."""

    evaluator: str
    is_paused: bool
    new: int
    deferred: Mapping[str, int]
    oldest_at: datetime | None
    has_times: bool

    def lag_s(self, now: datetime) -> float | None:
        """Returns how long the oldest target has been waiting; None if unknown."""
        if self.oldest_at is None:
            return 0.0 if self.has_times or not (self.new or self.deferred) else None
        return max(0.0, (now - self.oldest_at).total_seconds())


@dataclass(frozen=True, slots=True)
class Lag:
    """`unassembled_at` is when the oldest span that is not assembled ended; None if all are."""

    unassembled_at: datetime | None = None
    evaluators: Sequence[EvaluatorLag] = ()

    def lag_s(self, now: datetime) -> float:
        """Returns how long that span has been waiting."""
        return 0.0 if self.unassembled_at is None else max(0.0, (now - self.unassembled_at).total_seconds())


@dataclass(slots=True)
class LagReader:
    """Measures the lag repeatedly. For one thread at a time."""

    read: Read
    clock: Callable[[], float] = time.monotonic
    _oldest_deferred: Mapping[str, datetime] = field(default_factory=dict)
    _fresh_until: float = float("-inf")

    def measure(self, evaluators: Sequence[Configured]) -> Lag:
        """Measures the lag of assembly and of each of `evaluators`. Raises the errors of `read`."""
        progress = all_rows(
            self.read,
            report("progress"),
            evaluators=[evaluator.name for evaluator in evaluators],
            evaluator_versions=[evaluator.version for evaluator in evaluators],
            config_hashes=[evaluator.config_hash for evaluator in evaluators],
        )
        (arrivals,) = all_rows(self.read, report("unassembled"), after_seq=progress[0]["settled_seq"])
        enrolled = [row for row in progress if row["seq"] is not None]
        new = self._count_new(enrolled)
        deferred = self._count_deferred()
        oldest = self._read_oldest(deferred)
        return Lag(arrivals["oldest_at"], [_build_lag(row, new, deferred, oldest) for row in enrolled])

    def _count_new(self, enrolled: Sequence[Mapping[str, Any]]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """Counts the targets after each cursor, one query each: a join with all cursors takes ten times as long."""
        return {cursor: self._count_after(*cursor) for cursor in {_find_cursor(row) for row in enrolled}}

    def _count_after(self, scope: str, seq: int) -> Mapping[str, Any]:
        if scope == "tool":
            (row,) = all_rows(self.read, report("unscored_tools"), after_seq=seq)
        else:
            (row,) = all_rows(self.read, report("unscored"), after_seq=seq, is_session=scope == "session")
        return row

    def _count_deferred(self) -> Mapping[str, Mapping[str, int]]:
        """Counts the deferred targets by evaluator and kind of reason."""
        counts: dict[str, dict[str, int]] = {}
        for row in all_rows(self.read, report("deferred"), backfill=BACKFILL):
            counts.setdefault(row["evaluator"], {})[row["kind"]] = row["targets"]
        return counts

    def _read_oldest(self, deferred: Mapping[str, object]) -> Mapping[str, datetime]:
        """Returns when the oldest deferred run of each evaluator ended, as of the last query for it."""
        began = self.clock()
        if deferred and began >= self._fresh_until:
            rows = all_rows(self.read, report("oldest_deferred"), backfill=BACKFILL)
            self._oldest_deferred = {row["evaluator"]: row["oldest_at"] for row in rows}
            ended = self.clock()
            self._fresh_until = ended + (ended - began) / _SHARE
        self._oldest_deferred = {name: at for name, at in self._oldest_deferred.items() if name in deferred}
        return self._oldest_deferred


def _find_cursor(row: Mapping[str, Any]) -> tuple[str, int]:
    """Returns the scope and position that evaluators with the same new targets share."""
    return ("trace" if row["scope"] == "tool_call" else row["scope"], row["seq"])


def _build_lag(
    row: Mapping[str, Any],
    new: Mapping[tuple[str, int], Mapping[str, Any]],
    deferred: Mapping[str, Mapping[str, int]],
    oldest: Mapping[str, datetime],
) -> EvaluatorLag:
    name = row["evaluator"]
    behind = new[_find_cursor(row)]
    times = [at for at in (behind["oldest_at"], oldest.get(name)) if at is not None]
    return EvaluatorLag(
        evaluator=name,
        is_paused=row["is_paused"],
        new=behind["targets"],
        deferred=deferred.get(name, {}),
        oldest_at=min(times, default=None),
        has_times=row["scope"] != "tool",
    )
