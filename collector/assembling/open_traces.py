"""Which traces have something new, and when each is worth a look. An index in memory: it holds no truth."""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Final

from ..store.arrivals.assembly_source import Unassembled
from .turns import OwnerTurns
from .unsettled import UnsettledCommits

__all__ = ["DueTrace", "OpenTraces"]

_SPAN_BYTES = 2_000
"""What a span may hold of which only the number is known: the median of recorded ones is 1,800."""

_PATIENCE = 2
"""After how many times the grace a trace that never falls silent is looked at as it is."""

_BYTES_PER_S = 500_000
"""What of one such trace may be read again in a second, a few hundredths of what assembly gets through: the more of it
there is, the longer until the next look, so that what grows for a day does not cost more with every hour."""

_TALKING = 10_000
"""Of how many such traces it is remembered between two looks how much of them there is."""

_SHARE = 10
"""A service with less than this part of the limit open is looked at though the others have too many."""

_AT_ONCE = 0.0

_NO_SERVICES: Final[Mapping[str, str | None]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class DueTrace:
    """A trace to assemble. `is_final`: what is there now counts, complete or not."""

    trace_id: str
    is_final: bool


@dataclass(slots=True)
class _Open:
    service: str | None
    last_seq: int
    size_bytes: int
    quiet_since: float
    new_since: float | None  # when the first came that nobody looked at
    due_at: float = _AT_ONCE
    is_final: bool = False
    unsettled_from: int | None = None  # from which commit on; None: the store remembers that it waits
    is_postponed: bool = False  # until due_at, even when too many are open
    queued_at: float = -1.0  # the due time under which it stands in the queue; other entries of it are stale


class OpenTraces:
    """Times are seconds of a monotonic clock. A trace is due after `grace_s` of silence; one whose runs were not
    complete then, after `idle_s`. One that is never silent is due some time after the first of what is new in it: twice
    the grace, and more the larger it is.

    Those that are due take turns by service, so that one that sends much does not delay the others.

    When more than `limit` are open, those of the service with the most that have been left alone longest are due at
    once, as they are. While twice as many are open, and until there is room, what is new is left to the store, but for
    that of services which have few: `left_from` says since which commit.
    """

    def __init__(self, *, grace_s: float, idle_s: float, limit: int) -> None:
        self._grace_s = grace_s
        self._idle_s = idle_s
        self._limit = limit
        self._open: dict[str, _Open] = {}
        self._services: dict[str | None, OrderedDict[str, _Open]] = {}  # what was left alone longest comes first
        self._queue: list[tuple[float, str]] = []
        self._turns: OwnerTurns[tuple[float, str]] = OwnerTurns()  # what the queue gave out, and was not chosen yet
        self._unsettled = UnsettledCommits()
        self._talking: OrderedDict[str, int] = OrderedDict()  # looked at before they were silent: how large they were
        self._taken_seq = self._left_seq = -1
        self._is_over = False

    def __len__(self) -> int:
        return len(self._open)

    @property
    def next_due_at(self) -> float | None:
        """When the next trace may be due; it may turn out to be later."""
        if self._turns:
            return _AT_ONCE
        return self._queue[0][0] if self._queue else None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self._is_over

    @property
    def left_from(self) -> int | None:
        """The first commit of which something was left to the store; None when nothing was."""
        return self._taken_seq + 1 if self._left_seq > self._taken_seq else None

    def room(self, *, leaving: int) -> int:
        """How many traces may be taken up that were left to the store, once `leaving` ones are closed."""
        staying = len(self._open) - leaving
        return self._limit - staying if 2 * staying <= self._limit else 0

    def arrived(
        self,
        batch_seq: int,
        trace_bytes: Mapping[str, int],
        now: float,
        *,
        services: Mapping[str, str | None] = _NO_SERVICES,
    ) -> None:
        """Something new of these traces is committed; `services` has the service by trace, as far as it is known."""
        for trace_id, size_bytes in trace_bytes.items():
            known = self._open.get(trace_id)
            if known is not None:
                known.size_bytes += size_bytes
                self._grow(trace_id, known, batch_seq, now)
            elif self._has_room_for(service := services.get(trace_id)):
                self._take(Unassembled(trace_id, batch_seq, batch_seq, service=service), size_bytes, now)
            else:
                self._leave(batch_seq)

    def choose_due(self, now: float, *, count: int, size_bytes: int) -> list[DueTrace]:
        """The traces to assemble now, up to `count` and about `size_bytes` of content.

        They stay open meanwhile, and their turn comes again if nobody ever says what became of them.
        """
        chosen: dict[str, DueTrace] = {}
        total_bytes = 0
        for trace_id in self._next(now):
            if trace_id in chosen:
                continue
            trace = self._open[trace_id]
            chosen[trace_id] = DueTrace(trace_id, is_final=trace.is_final or trace.due_at > now)
            total_bytes += trace.size_bytes
            self._look(trace_id, now)
            if len(chosen) == count or total_bytes >= size_bytes:
                break
        return list(chosen.values())

    def close(self, trace_id: str, *, seen_seq: int) -> None:
        """All that had arrived by `seen_seq` is dealt with."""
        trace = self._open[trace_id]
        if trace.last_seq <= seen_seq:
            self._forget(trace_id, trace)
            return
        self._holds_up(trace, seen_seq + 1)
        self._again(trace_id, trace, trace.due_at)

    def wait(self, trace_id: str, *, seen_seq: int) -> None:
        """Not complete yet: look again when more arrives, at the latest once the trace has been idle.

        The store remembers that it waits.
        """
        trace = self._open[trace_id]
        self._holds_up(trace, None)
        if trace.last_seq > seen_seq:
            self._again(trace_id, trace, trace.due_at)
            return
        trace.is_final = True
        self._again(trace_id, trace, trace.quiet_since + self._idle_s)

    def postpone(self, trace_id: str, *, until: float) -> None:
        """Look again at `until`, whatever comes. The store remembers that it waits."""
        trace = self._open[trace_id]
        self._holds_up(trace, None)
        self._again(trace_id, trace, until)
        trace.is_postponed = True

    def put_back(self, trace_ids: Iterable[str]) -> None:
        """Traces whose turn had come, and was not used: it comes at once."""
        for trace_id in trace_ids:
            if trace_id in self._open:
                self._queue_up(trace_id, _AT_ONCE)

    def settled_seq(self, last_seq: int) -> int:
        """Up to which commit nothing is open but what the store remembers, when `last_seq` is the newest commit that
        was heard of."""
        left_from = last_seq + 1 if self.left_from is None else self.left_from
        open_from = self._unsettled.first
        return (left_from if open_from is None else min(left_from, open_from)) - 1

    def expire(self) -> None:
        """Makes everything due and final: nothing more will come."""
        self._is_over = True
        for trace_id, trace in self._open.items():
            trace.is_final = True
            self._again(trace_id, trace, _AT_ONCE)

    def resume(self, last_seq: int) -> None:
        """After a restart everything is left to the store, up to the newest commit."""
        self._left_seq = last_seq

    def reopen(self, traces: Iterable[Unassembled], now: float, *, taken_seq: int) -> None:
        """Takes up what was left to the store: all that came up to the commit `taken_seq`."""
        for one in traces:
            known = self._open.get(one.trace_id)
            if known is None:
                self._take(one, one.records * _SPAN_BYTES, now)
            else:
                self._grow(one.trace_id, known, one.last_seq, known.quiet_since)
        self._taken_seq = max(self._taken_seq, taken_seq)

    def _leave(self, batch_seq: int) -> None:
        if self.left_from is None:
            self._taken_seq = batch_seq - 1
        self._left_seq = batch_seq

    def _look(self, trace_id: str, now: float) -> None:
        """Its turn has come; the next one comes by itself, should nobody say what became of it."""
        trace = self._open[trace_id]
        trace.new_since = None
        if now < trace.quiet_since + self._grace_s:
            self._talking[trace_id] = trace.size_bytes
            while len(self._talking) > _TALKING:
                self._talking.popitem(last=False)
        self._queue_up(trace_id, now + self._idle_s)
        self._services[trace.service].move_to_end(trace_id)

    def _take(self, new: Unassembled, size_bytes: int, now: float) -> None:
        trace = self._open[new.trace_id] = _Open(
            service=new.service,
            last_seq=new.last_seq,
            size_bytes=size_bytes + self._talking.pop(new.trace_id, 0),
            quiet_since=now,
            new_since=now,
            is_final=self._is_over,
        )
        self._services.setdefault(new.service, OrderedDict())[new.trace_id] = trace
        self._holds_up(trace, None if new.is_waiting else new.first_seq)
        self._again(new.trace_id, trace, now + self._grace_s)

    def _grow(self, trace_id: str, known: _Open, last_seq: int, now: float) -> None:
        known.last_seq = max(known.last_seq, last_seq)
        if self._is_over:
            return
        if known.is_final:
            self._queue_up(trace_id, now + self._grace_s)
        known.quiet_since = now
        known.new_since = now if known.new_since is None else known.new_since
        known.due_at = min(now + self._grace_s, known.new_since + self._patience_s(known.size_bytes))
        known.is_final = known.is_postponed = False
        self._services[known.service].move_to_end(trace_id)

    def _patience_s(self, size_bytes: int) -> float:
        """How long a trace of that size may talk before it is looked at: `idle_s` at the most."""
        return max(_PATIENCE * self._grace_s, min(size_bytes / _BYTES_PER_S, self._idle_s))

    def _has_room_for(self, service: str | None) -> bool:
        """Whether a new trace of `service` is looked after here, and not left to the store."""
        if self.left_from is None and len(self._open) < 2 * self._limit:
            return True
        return len(self._services.get(service, ())) < self._limit // _SHARE and len(self._open) < 3 * self._limit

    def _forget(self, trace_id: str, trace: _Open) -> None:
        self._holds_up(trace, None)
        del self._open[trace_id]
        of_service = self._services[trace.service]
        del of_service[trace_id]
        if not of_service:
            del self._services[trace.service]

    def _holds_up(self, trace: _Open, batch_seq: int | None) -> None:
        """From `batch_seq` on nothing is settled because of `trace`; None: it holds up nothing."""
        if trace.unsettled_from is not None:
            self._unsettled.remove(trace.unsettled_from)
        if batch_seq is not None:
            self._unsettled.add(batch_seq)
        trace.unsettled_from = batch_seq

    def _next(self, now: float) -> Iterator[str]:
        """The traces to assemble, each of which is looked at before the next one is asked for."""
        looked_at = 0
        for trace_id in self._due(now):
            yield trace_id
            looked_at += 1
        limit = self._limit if self.left_from is None else self._limit // 2
        yield from self._crowded_out(now, len(self._open) - looked_at - limit)

    def _crowded_out(self, now: float, excess: int) -> list[str]:
        """Up to `excess` of those to take before their time because too many are open."""
        if excess <= 0:
            return []
        most = max(self._services.values(), key=len)
        movable = (one for one, trace in most.items() if not (trace.is_postponed and trace.due_at > now))
        return list(islice(movable, excess))

    def _due(self, now: float) -> Iterator[str]:
        while self._queue and self._queue[0][0] <= now:
            due_at, trace_id = heapq.heappop(self._queue)
            trace = self._open.get(trace_id)
            if trace is not None and trace.queued_at == due_at:
                self._turns.add(trace.service, (due_at, trace_id))
        while self._turns:
            due_at, trace_id = self._turns.take()
            trace = self._open.get(trace_id)
            if trace is None or trace.queued_at != due_at:
                continue
            if trace.due_at > now:
                self._queue_up(trace_id, trace.due_at)
                continue
            yield trace_id

    def _again(self, trace_id: str, trace: _Open, due_at: float) -> None:
        trace.due_at = _AT_ONCE if self._is_over else due_at
        trace.is_postponed = False
        self._queue_up(trace_id, trace.due_at)

    def _queue_up(self, trace_id: str, due_at: float) -> None:
        self._open[trace_id].queued_at = due_at
        heapq.heappush(self._queue, (due_at, trace_id))
