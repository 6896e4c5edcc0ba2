"""How far assembly and evaluators are behind, at a cost that grows with what waits, not with what is stored."""

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
"""How much of the time may be spent on what reads all runs: what took 50 ms is read again after 50 s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorLag:
    """What waits for an evaluator: `new` targets that it has not looked at, and `deferred` ones by kind of reason.
    `oldest_at` is when the oldest of them ended (UTC); None where none waits that has a time, which tools have not."""

    evaluator: str
    is_paused: bool
    new: int
    deferred: Mapping[str, int]
    oldest_at: datetime | None
    has_times: bool

    def lag_s(self, now: datetime) -> float | None:
        """For how long the oldest has been waiting; None where that cannot be told."""
        if self.oldest_at is None:
            return 0.0 if self.has_times or not (self.new or self.deferred) else None
        return max(0.0, (now - self.oldest_at).total_seconds())


@dataclass(frozen=True, slots=True)
class Lag:
    """`unassembled_at` is when the oldest span ended that is not assembled; None where all are."""

    unassembled_at: datetime | None = None
    evaluators: Sequence[EvaluatorLag] = ()

    def lag_s(self, now: datetime) -> float:
        """For how long that span has been waiting."""
        return 0.0 if self.unassembled_at is None else max(0.0, (now - self.unassembled_at).total_seconds())


@dataclass(slots=True)
class LagReader:
    """Reads the lag now and again. For one thread at a time."""

    read: Read
    clock: Callable[[], float] = time.monotonic
    _oldest_deferred: Mapping[str, datetime] = field(default_factory=dict)
    _fresh_until: float = float("-inf")

    def measure(self, evaluators: Sequence[Configured]) -> Lag:
        """The lag of assembly and of each of `evaluators`. Raises what reading raises."""
        progress = all_rows(
            self.read,
            report("progress"),
            evaluators=[one.name for one in evaluators],
            evaluator_versions=[one.version for one in evaluators],
            config_hashes=[one.config_hash for one in evaluators],
        )
        (arrivals,) = all_rows(self.read, report("unassembled"), after_seq=progress[0]["settled_seq"])
        enrolled = [row for row in progress if row["seq"] is not None]
        new = self._new(enrolled)
        deferred = self._deferred()
        oldest = self._oldest(deferred)
        return Lag(arrivals["oldest_at"], [_lag(row, new, deferred, oldest) for row in enrolled])

    def _new(self, enrolled: Sequence[Mapping[str, Any]]) -> Mapping[tuple[str, int], Mapping[str, Any]]:
        """What is behind each cursor, one by one: a join with all of them takes ten times as long."""
        return {cursor: self._behind(*cursor) for cursor in {_cursor(row) for row in enrolled}}

    def _behind(self, scope: str, seq: int) -> Mapping[str, Any]:
        if scope == "tool":
            (row,) = all_rows(self.read, report("unscored_tools"), after_seq=seq)
        else:
            (row,) = all_rows(self.read, report("unscored"), after_seq=seq, is_session=scope == "session")
        return row

    def _deferred(self) -> Mapping[str, Mapping[str, int]]:
        """How many targets by evaluator and kind of reason."""
        found: dict[str, dict[str, int]] = {}
        for row in all_rows(self.read, report("deferred"), backfill=BACKFILL):
            found.setdefault(row["evaluator"], {})[row["reason"]] = row["targets"]
        return found

    def _oldest(self, deferred: Mapping[str, object]) -> Mapping[str, datetime]:
        """When the oldest run ended that each evaluator has deferred, as it was when that was last looked up."""
        began = self.clock()
        if deferred and began >= self._fresh_until:
            rows = all_rows(self.read, report("oldest_deferred"), backfill=BACKFILL)
            self._oldest_deferred = {row["evaluator"]: row["oldest_at"] for row in rows}
            ended = self.clock()
            self._fresh_until = ended + (ended - began) / _SHARE
        self._oldest_deferred = {name: at for name, at in self._oldest_deferred.items() if name in deferred}
        return self._oldest_deferred


def _cursor(row: Mapping[str, Any]) -> tuple[str, int]:
    """What evaluators share that have as much before them."""
    return ("trace" if row["scope"] == "tool_call" else row["scope"], row["seq"])


def _lag(
    row: Mapping[str, Any],
    new: Mapping[tuple[str, int], Mapping[str, Any]],
    deferred: Mapping[str, Mapping[str, int]],
    oldest: Mapping[str, datetime],
) -> EvaluatorLag:
    name = row["evaluator"]
    behind = new[_cursor(row)]
    times = [at for at in (behind["oldest_at"], oldest.get(name)) if at is not None]
    return EvaluatorLag(
        evaluator=name,
        is_paused=row["is_paused"],
        new=behind["targets"],
        deferred=deferred.get(name, {}),
        oldest_at=min(times, default=None),
        has_times=row["scope"] != "tool",
    )
