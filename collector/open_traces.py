"""Which traces have something new, and when each is worth a look. An index in memory: it holds no truth."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["OpenTraces", "Ripe"]


@dataclass(frozen=True, slots=True)
class Ripe:
    """A trace to assemble. `is_final`: what is there now counts, complete or not."""

    trace_id: str
    is_final: bool


@dataclass(slots=True)
class _Open:
    first_seq: int
    last_seq: int
    size_bytes: int
    quiet_since: float
    due_at: float
    is_final: bool = False
    queued_at: float = -1.0  # the due time under which it stands in the queue; other entries of it are stale


class OpenTraces:
    """Times are seconds of a monotonic clock. A trace is due after `grace_s` of silence; one whose runs were not
    complete then, after `idle_s`. When more than `limit` are open the oldest are due at once.
    """

    def __init__(self, *, grace_s: float, idle_s: float, limit: int) -> None:
        self._grace_s = grace_s
        self._idle_s = idle_s
        self._limit = limit
        self._open: dict[str, _Open] = {}
        self._queue: list[tuple[float, str]] = []

    def __len__(self) -> int:
        return len(self._open)

    @property
    def next_due_at(self) -> float | None:
        """When the next trace may be due; it may turn out to be later."""
        return self._queue[0][0] if self._queue else None

    def arrived(self, batch_seq: int, trace_bytes: Mapping[str, int], now: float) -> None:
        """Something new of these traces is committed."""
        for trace_id, size_bytes in trace_bytes.items():
            known = self._open.get(trace_id)
            if known is None:
                self._open[trace_id] = _Open(batch_seq, batch_seq, size_bytes, now, now + self._grace_s)
                self._queue_up(trace_id, now + self._grace_s)
                continue
            if known.is_final:
                self._queue_up(trace_id, now + self._grace_s)
            known.last_seq = batch_seq
            known.size_bytes += size_bytes
            known.quiet_since = now
            known.due_at = now + self._grace_s
            known.is_final = False

    def ripe(self, now: float, *, count: int, size_bytes: int) -> list[Ripe]:
        """The traces to assemble now, up to `count` and about `size_bytes` of content.

        They stay open meanwhile, and their turn comes again if nobody ever says what became of them.
        """
        chosen: dict[str, Ripe] = {}
        total_bytes = 0
        excess = len(self._open) - self._limit
        while self._queue and len(chosen) < count and total_bytes < size_bytes:
            due_at, trace_id = self._queue[0]
            if due_at > now and excess <= 0:
                break
            heapq.heappop(self._queue)
            trace = self._open.get(trace_id)
            if trace is None or trace.queued_at != due_at or trace_id in chosen:
                continue
            if trace.due_at > now and excess <= 0:
                self._queue_up(trace_id, trace.due_at)
                continue
            chosen[trace_id] = Ripe(trace_id, is_final=trace.is_final or trace.due_at > now)
            total_bytes += trace.size_bytes
            excess -= 1
        for trace_id in chosen:
            self._queue_up(trace_id, now + self._idle_s)
        return list(chosen.values())

    def close(self, trace_id: str, *, seen_seq: int) -> None:
        """All that had arrived by `seen_seq` is dealt with."""
        trace = self._open[trace_id]
        if trace.last_seq <= seen_seq:
            del self._open[trace_id]
            return
        trace.first_seq = seen_seq + 1
        self._again(trace_id, trace, trace.due_at)

    def wait(self, trace_id: str, *, seen_seq: int) -> None:
        """Not complete yet: look again when more arrives, at the latest once the trace has been idle."""
        trace = self._open[trace_id]
        if trace.last_seq > seen_seq:
            self._again(trace_id, trace, trace.due_at)
            return
        trace.is_final = True
        self._again(trace_id, trace, trace.quiet_since + self._idle_s)

    def postpone(self, trace_id: str, *, until: float) -> None:
        """Look again at `until`, whatever comes."""
        self._again(trace_id, self._open[trace_id], until)

    def settled_seq(self, last_seq: int) -> int:
        """Up to which commit nothing is open, when `last_seq` is the newest commit that was heard of."""
        return min((trace.first_seq for trace in self._open.values()), default=last_seq + 1) - 1

    def expire(self) -> None:
        """Makes everything due and final: nothing more will come."""
        for trace_id, trace in self._open.items():
            trace.is_final = True
            self._again(trace_id, trace, 0.0)

    def reopen(self, traces: Iterable[tuple[str, int, int]], now: float) -> None:
        """After a restart: (trace_id, first batch_seq, last batch_seq) of what was not dealt with."""
        for trace_id, first_seq, last_seq in traces:
            self._open[trace_id] = _Open(first_seq, last_seq, 0, now, now + self._grace_s)
            self._queue_up(trace_id, now + self._grace_s)

    def _again(self, trace_id: str, trace: _Open, due_at: float) -> None:
        trace.due_at = due_at
        self._queue_up(trace_id, due_at)

    def _queue_up(self, trace_id: str, due_at: float) -> None:
        self._open[trace_id].queued_at = due_at
        heapq.heappush(self._queue, (due_at, trace_id))
