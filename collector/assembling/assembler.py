"""Assembles open traces in the worker, and stores the runs that are new or changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from ..ingest.arrived import Arrived
from ..metrics import counters
from ..store.arrivals import assembly_source
from ..store.arrivals.assembly_source import Unassembled
from ..store.engines.database import Database
from ..store.results.rebuilds import Portion
from ..store.results.writer import Results, Revised
from ..worker.client import Assembled
from .open_traces import DueTrace, OpenTraces
from .round_size import RoundSize

__all__ = ["Assembler", "AssemblyWorker"]

_BYTES = 64 * 2**20
_CALM_S = 60.0
"""For how long a trace is postponed whose runs have been revised often."""

_FAILING = 1_000
"""How many traces that cannot be assembled are retried by this process; beyond that, the next start retries them."""


class AssemblyWorker(Protocol):
    """Assembles AgentTraces in one or more worker processes."""

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        """Return the runs and the feedback in rows of `spans` and `logs`, and the traces that cannot be assembled."""
        ...


class Assembler:
    """Assembles open traces and updates the index of them.

    Methods are for the event loop, except `assemble` and `assemble_again`: they block, and run on one other thread at a
    time. They return a function to call on the event loop afterwards, which updates the index.
    """

    def __init__(
        self,
        database: Database,
        results: Results,
        worker: AssemblyWorker,
        open_traces: OpenTraces,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._results = results
        self._worker = worker
        self._open = open_traces
        self._clock = clock
        self._round_size = RoundSize()
        self._last_seq = 0
        self._failing: set[str] = set()

    def resume(self, last_seq: int) -> None:
        """Open the traces that an earlier process left unassembled or incomplete. To be called once, after the start.

        Blocks while it reads the store. Their grace begins now, since nothing could arrive while no process ran.
        """
        self._last_seq = last_seq
        self._open.resume(last_seq)
        self._left(last_seq, leaving=0)()
        counters.open_traces.set(len(self._open))

    def arrived(self, arrived: Arrived) -> None:
        """Add the traces of a commit to the open ones."""
        self._last_seq = arrived.batch_seq
        self._open.arrived(arrived.batch_seq, arrived.trace_bytes, self._clock(), services=arrived.services)
        counters.open_traces.set(len(self._open))

    def choose_due(self) -> list[DueTrace]:
        """Return the traces to assemble now: as many as take about half a second, and at most about 64 MiB."""
        return self._open.choose_due(self._clock(), count=self._round_size.traces, size_bytes=_BYTES)

    def put_back(self, due_traces: Sequence[DueTrace]) -> None:
        """Make these traces due at once, since they could not be assembled now for a reason that is not in them."""
        self._open.put_back([one.trace_id for one in due_traces])

    def next_due_in_s(self) -> float | None:
        """Return the seconds until a trace may be due; None if none is open."""
        due_at = self._open.next_due_at
        return None if due_at is None else max(0.0, due_at - self._clock())

    def expire(self) -> None:
        """Make all open traces due now, complete or not."""
        self._open.expire()

    @property
    def last_seq(self) -> int:
        """The newest commit that `arrived` was called with."""
        return self._last_seq

    def assemble(self, due_traces: Sequence[DueTrace], seen_seq: int) -> tuple[Callable[[], None], int]:
        """Assemble the runs of `due` from the store, and store those that are new or changed.

        `seen_seq` is the newest commit at that time: a trace with later arrivals stays open. Returns the function to
        call on the event loop, and the number of revisions written.
        """
        began = self._clock()
        trace_ids = [one.trace_id for one in due_traces]
        final = {one.trace_id for one in due_traces if one.is_final}
        take_up = self._left(seen_seq, leaving=len(due_traces))
        tables, kept, failed = self._assembled(trace_ids)
        revised = self._results.revise(tables, kept, final=final, is_last=self._open.is_over)
        counters.assembled_runs.inc(revised.written)
        pauses_s = self._failed(failed)
        self._round_size.took(self._clock() - began, traces=len(due_traces))

        def settle() -> None:
            self._settle(kept, revised, seen_seq)
            self._settle_failed(failed, pauses_s, seen_seq)
            take_up()
            counters.open_traces.set(len(self._open))

        return settle, revised.written

    def assemble_again(self, portion: Portion) -> tuple[Callable[[], None], int]:
        """Assemble the runs of a portion of a rebuild again, from all stored spans, and write all their rows.

        Returns the function to call on the event loop, and the number of revisions written.
        """
        tables, kept, _ = self._assembled(portion.settled)
        changes = self._results.rebuild(tables, kept, portion)
        counters.assembled_runs.inc(len(changes.revised))
        return lambda: self._open_later(changes.postponed), len(changes.revised)

    def settled_seq(self) -> int:
        """Return the commit up to which all arrivals are assembled, or known to the store as waiting."""
        return self._open.settled_seq(self._last_seq)

    def _assembled(self, trace_ids: Sequence[str]) -> tuple[dict[str, pa.Table], list[str], Mapping[str, str]]:
        """Assemble traces. Returns their rows by table, the traces without failed ones, and the causes of failures."""
        assembled = self._worker.assemble(*assembly_source.sources(self._database, trace_ids))
        kept = [trace_id for trace_id in trace_ids if trace_id not in assembled.failed]
        return assembled.tables, kept, assembled.failed

    def _failed(self, failed: Mapping[str, str]) -> Mapping[str, float]:
        """Store which traces could not be assembled. Blocks.

        Returns the seconds until the retry of each; nothing if only the next start retries them.
        """
        if not failed:
            return {}
        are_retried = not self._open.is_over and len(self._failing | failed.keys()) <= _FAILING
        pauses = self._results.fail(failed, are_retried=are_retried)
        return {trace_id: pause.total_seconds() for trace_id, pause in pauses.items()} if are_retried else {}

    def _open_later(self, postponed: Collection[str]) -> None:
        """Open traces of a rebuild that are postponed, since their runs have been revised often."""
        seq, now = self._last_seq, self._clock()
        waiting = [Unassembled(trace_id, seq, seq, is_waiting=True) for trace_id in postponed]
        self._open.reopen(waiting, now, taken_seq=-1)
        for trace_id in postponed:
            self._open.postpone(trace_id, until=now + _CALM_S)
        counters.open_traces.set(len(self._open))

    def _left(self, seen_seq: int, *, leaving: int) -> Callable[[], None]:
        """Read traces that are only in the store, if there is room once `leaving` traces are closed. Blocks.

        Returns the function that opens them, to call on the event loop.
        """
        from_seq, room = self._open.left_from, self._open.room(leaving=leaving)
        if from_seq is None or not room:
            return lambda: None
        found, are_all = assembly_source.unassembled(self._database, from_seq=from_seq, limit=room)
        taken_seq = seen_seq if are_all else found[-1].first_seq
        return lambda: self._open.reopen(found, self._clock(), taken_seq=taken_seq)

    def _settle_failed(self, failed: Collection[str], pauses_s: Mapping[str, float], seen_seq: int) -> None:
        """Postpone failed traces until their retry; close those that only the next start retries."""
        for trace_id in failed:
            if trace_id in pauses_s:
                self._failing.add(trace_id)
                self._open.postpone(trace_id, until=self._clock() + pauses_s[trace_id])
            else:
                self._open.close(trace_id, seen_seq=seen_seq)

    def _settle(self, trace_ids: Sequence[str], revised: Revised, seen_seq: int) -> None:
        """Close the traces that were assembled, except those that stay open by `revised`."""
        self._failing.difference_update(trace_ids)
        for trace_id in trace_ids:
            if trace_id in revised.postponed:
                self._open.postpone(trace_id, until=self._clock() + _CALM_S)
            elif trace_id in revised.waiting:
                self._open.wait(trace_id, seen_seq=seen_seq)
            else:
                self._open.close(trace_id, seen_seq=seen_seq)
