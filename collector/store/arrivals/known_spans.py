"""An index in memory of the ids of stored spans. Ids that it does not hold are read from the store."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

import duckdb

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed

__all__ = ["KnownSpans", "SpanId"]

SpanId: TypeAlias = tuple[str, str]
"""The id of a trace and that of a span in it."""

_REMEMBERED: Final = 250_000
"""How many span ids are held, about 100 bytes each: those of the traces with the most recent arrivals."""

_TRACES: Final = 50_000
"""For how many traces span ids are held: a trace takes as much memory as five of its spans."""

_LARGE: Final = 50_000
"""The span ids of a trace with more spans are not held: each of its spans is looked up in the store. The same applies
to those traces of one batch that would exceed _REMEMBERED together."""

_SLICE_SPANS: Final = 200_000
"""How many stored spans are read at once for the ids of their traces; one commit may exceed it."""

_FIRST_SLICE, _GROWTH = 200, 16
"""How many commits the first such slice covers, and by which factor the next one may exceed the last."""

_FRESH: Final = 50_000
"""How many new trace ids are collected before they are merged into the sorted ones."""

_MERGED: Final = 2**20
"""Arrays of this many trace ids are not merged any more, since sorting temporarily takes five times their memory."""


@dataclass(slots=True)
class _Trace:
    """A trace: the commit of its first span, and the ids of all its stored spans; None if they are not held."""

    first_seq: int
    span_ids: set[str] | None


class KnownSpans:
    """The ids of the spans of recently written traces, and of all traces. For one thread.

    A span of another trace is new if no such trace is stored. If one is stored, its span ids are read from the whole
    store once, and held from then on. After a start the ids of stored traces are read in slices, one per batch, newest
    first; until all are read, traces without held span ids are looked up in the store. `last_seq` is the newest commit.
    """

    def __init__(self, last_seq: int) -> None:
        self._recent: OrderedDict[str, _Trace] = OrderedDict()  # most recently written last
        self._held = 0
        self._traces = _Traces()
        self._unread_to = last_seq
        self._slice_seqs = _FIRST_SLICE

    def stored(self, connection: duckdb.DuckDBPyConnection, ids: Collection[SpanId]) -> set[SpanId]:
        """Return which of these spans are stored."""
        self._read_slice(connection)
        self._recall(connection, {trace_id for trace_id, _ in ids} - self._recent.keys())
        found: set[SpanId] = set()
        of_large: list[SpanId] = []
        for one in ids:
            trace = self._recent.get(one[0])
            if trace is None:
                continue
            if trace.span_ids is None:
                of_large.append(one)
            elif one[1] in trace.span_ids:
                found.add(one)
        return found | self._stored_of_large(connection, of_large)

    def first_seq(self, ids: Iterable[SpanId], *, batch_seq: int) -> int:
        """Return the earliest commit in the traces of these spans; `batch_seq`, now being written, if none is known."""
        known = (self._recent.get(trace_id) for trace_id, _ in ids)
        return min((trace.first_seq for trace in known if trace is not None), default=batch_seq)

    def add(self, ids: Iterable[SpanId], *, batch_seq: int) -> None:
        """Add spans that were committed, and were not stored before."""
        for trace_id, span_id in ids:
            trace = self._recent.get(trace_id)
            if trace is None:
                self._traces.add(trace_id)
                trace = self._recent[trace_id] = _Trace(batch_seq, set())
            else:
                self._recent.move_to_end(trace_id)
            if trace.span_ids is not None:
                trace.span_ids.add(span_id)
                self._held += 1
                self._keep_small(trace)
        self._forget_some()

    def doubt(self, ids: Iterable[SpanId]) -> None:
        """Forget the span ids of these traces, since it is unknown whether the spans were committed."""
        for trace_id in {trace_id for trace_id, _ in ids}:
            self._traces.add(trace_id)
            self._forget(trace_id)

    def _read_slice(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Read the trace ids of the newest commits that are not read yet."""
        if self._unread_to <= 0:
            return
        until_seq = self._unread_to
        commits = {"after_seq": max(until_seq - self._slice_seqs, 0), "until_seq": until_seq}
        wanted = {**commits, "most_spans": _SLICE_SPANS}
        [(after_seq,)] = connection.execute(statement("commit_before_slice"), wanted).fetchall()
        commits = {"after_seq": after_seq, "until_seq": until_seq}
        self._traces.extend(
            key for (key,) in connection.execute(statement("trace_keys_of_commits"), commits).fetchall()
        )
        self._unread_to = after_seq
        self._slice_seqs = _GROWTH * (until_seq - after_seq)

    def _recall(self, connection: duckdb.DuckDBPyConnection, trace_ids: Collection[str]) -> None:
        """Read the span ids of those traces that are stored, or may be stored."""
        closed = [trace_id for trace_id in trace_ids if trace_id in self._traces]
        asked = trace_ids if self._unread_to else closed
        if not asked:
            return
        until_seq = None if closed else self._unread_to
        wanted = {"trace_ids": listed(asked), "until_seq": until_seq}
        small: dict[str, int] = {}
        room = _REMEMBERED
        for trace_id, spans, first_seq in connection.execute(statement("extents_of_traces"), wanted).fetchall():
            self._traces.add(trace_id)
            is_small = spans <= min(_LARGE, room)
            self._recent[trace_id] = _Trace(first_seq, set() if is_small else None)
            if is_small:
                small[trace_id] = first_seq
                room -= spans
        if small:
            wanted = {"trace_ids": listed(small), "first_seq": min(small.values())}
            for trace_id, span_id in connection.execute(statement("span_ids_of_traces"), wanted).fetchall():
                span_ids = self._recent[trace_id].span_ids
                if span_ids is not None:
                    span_ids.add(span_id)
            self._held += sum(len(self._recent[trace_id].span_ids or ()) for trace_id in small)

    def _stored_of_large(self, connection: duckdb.DuckDBPyConnection, ids: Collection[SpanId]) -> set[SpanId]:
        """Look up in the store which of these spans are stored, of traces whose span ids are not held."""
        if not ids:
            return set()
        wanted = {
            "trace_ids": listed({trace_id for trace_id, _ in ids}),
            "span_ids": listed({span_id for _, span_id in ids}),
            "first_seq": min(self._recent[trace_id].first_seq for trace_id, _ in ids),
        }
        return {*connection.execute(statement("stored_spans"), wanted).fetchall()}

    def _keep_small(self, trace: _Trace) -> None:
        """Forget the span ids of a trace that has become large."""
        if trace.span_ids is not None and len(trace.span_ids) > _LARGE:
            self._held -= len(trace.span_ids)
            trace.span_ids = None

    def _forget_some(self) -> None:
        """Forget the span ids of the least recently written traces, down to the limits."""
        while self._held > _REMEMBERED or len(self._recent) > _TRACES:
            self._forget(next(iter(self._recent)))

    def _forget(self, trace_id: str) -> None:
        trace = self._recent.pop(trace_id, None)
        if trace is not None:
            self._held -= len(trace.span_ids or ())


class _Traces:
    """The ids of all traces, 8 bytes each: the lower half of each id.

    A new trace may be mistaken for a stored one, never the other way round.
    """

    def __init__(self) -> None:
        self._sorted: list[array[int]] = []  # each at least twice as long as the next, or longer than _MERGED
        self._fresh: set[int] = set()

    def __contains__(self, trace_id: str) -> bool:
        key = _key(trace_id)
        return key in self._fresh or any(_has(keys, key) for keys in self._sorted)

    def add(self, trace_id: str) -> None:
        self.extend((_key(trace_id),))

    def extend(self, keys: Iterable[int]) -> None:
        """Add trace ids by their lower halves."""
        self._fresh.update(keys)
        if len(self._fresh) < _FRESH:
            return
        new, others = array("Q", sorted(self._fresh)), self._sorted.copy()
        while others and len(others[-1]) < min(2 * len(new), _MERGED):
            new = array("Q", sorted(others.pop() + new))
        self._sorted, self._fresh = [*others, new], set()  # together, so that running out of memory loses no trace


def _key(trace_id: str) -> int:
    return int(trace_id[-16:], 16)


def _has(keys: array[int], key: int) -> bool:
    at = bisect_left(keys, key)
    return at < len(keys) and keys[at] == key
