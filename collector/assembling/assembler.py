"""Keeps AgentTraces up to date with what has arrived."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from ..ingest.queue import Arrived
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
_FAILING = 1_000
"""So many traces that cannot be assembled are tried again while the program runs; more of them by the next start."""


class AssemblyWorker(Protocol):
    """Computes AgentTraces, in another process or in several."""

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        """The AgentTraces and the feedback that rows of `spans` and `logs` hold, as rows of their tables."""
        ...


class Assembler:
    """Looks after the open traces: `arrived` on the event loop, `assemble` on any one thread at a time."""

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
        """After a start: takes up what an earlier run of the program did not get to, and what waited then.

        The silence begins anew: while the program was away nobody could be heard.
        """
        self._last_seq = last_seq
        self._open.resume(last_seq)
        self._left(last_seq, leaving=0)()
        counters.open_traces.set(len(self._open))

    def arrived(self, arrived: Arrived) -> None:
        """Something new is committed."""
        self._last_seq = arrived.batch_seq
        self._open.arrived(arrived.batch_seq, arrived.trace_bytes, self._clock(), services=arrived.services)
        counters.open_traces.set(len(self._open))

    def choose_due(self) -> list[DueTrace]:
        """The traces whose turn has come, on the event loop."""
        return self._open.choose_due(self._clock(), count=self._round_size.traces, size_bytes=_BYTES)

    def put_back(self, due_traces: Sequence[DueTrace]) -> None:
        """They could not be assembled now, and no trace is at fault: their turn comes at once, on the event loop."""
        self._open.put_back([one.trace_id for one in due_traces])

    def next_due_in_s(self) -> float | None:
        """Seconds until a trace may be due; None when none is open."""
        due_at = self._open.next_due_at
        return None if due_at is None else max(0.0, due_at - self._clock())

    def expire(self) -> None:
        """Everything that is open is due now, complete or not."""
        self._open.expire()

    @property
    def last_seq(self) -> int:
        return self._last_seq

    def assemble(self, due_traces: Sequence[DueTrace], seen_seq: int) -> tuple[Callable[[], None], int]:
        """Rebuilds the runs of `due_traces` from the store. Blocks.

        Gives what is left to do on the event loop, and how many revisions were written.
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
        """Writes the runs of a rebuild's portion again, from all spans that are stored. Blocks.

        Gives what is left to do on the event loop, and how many revisions were written.
        """
        tables, kept, _ = self._assembled(portion.settled)
        changes = self._results.rebuild(tables, kept, portion)
        counters.assembled_runs.inc(len(changes.revised))
        return lambda: self._open_later(changes.postponed), len(changes.revised)

    def settled_seq(self) -> int:
        """Up to which commit everything is assembled."""
        return self._open.settled_seq(self._last_seq)

    def _assembled(self, trace_ids: Sequence[str]) -> tuple[Mapping[str, pa.Table], list[str], Mapping[str, str]]:
        """The rows of these traces' runs, the traces without those that cannot be assembled, and why these cannot."""
        assembled = self._worker.assemble(*assembly_source.sources(self._database, trace_ids))
        kept = [trace_id for trace_id in trace_ids if trace_id not in assembled.failed]
        return assembled.tables, kept, assembled.failed

    def _failed(self, failed: Mapping[str, str]) -> Mapping[str, float]:
        """Leaves in the store that these traces could not be assembled. Blocks; gives the seconds until each is tried
        again, none where that is left to the next start."""
        if not failed:
            return {}
        are_retried = not self._open.is_over and len(self._failing | failed.keys()) <= _FAILING
        pauses = self._results.fail(failed, are_retried=are_retried)
        return {trace_id: pause.total_seconds() for trace_id, pause in pauses.items()} if are_retried else {}

    def _open_later(self, postponed: Collection[str]) -> None:
        """Opens traces that are revised once their runs have been left alone for a while."""
        seq, now = self._last_seq, self._clock()
        waiting = [Unassembled(trace_id, seq, seq, is_waiting=True) for trace_id in postponed]
        self._open.reopen(waiting, now, taken_seq=-1)
        for trace_id in postponed:
            self._open.postpone(trace_id, until=now + _CALM_S)
        counters.open_traces.set(len(self._open))

    def _left(self, seen_seq: int, *, leaving: int) -> Callable[[], None]:
        """Reads what was left to the store, if there is room. Blocks; gives what is left to do on the event loop."""
        from_seq, room = self._open.left_from, self._open.room(leaving=leaving)
        if from_seq is None or not room:
            return lambda: None
        found, are_all = assembly_source.unassembled(self._database, from_seq=from_seq, limit=room)
        taken_seq = seen_seq if are_all else found[-1].first_seq
        return lambda: self._open.reopen(found, self._clock(), taken_seq=taken_seq)

    def _settle_failed(self, failed: Collection[str], pauses_s: Mapping[str, float], seen_seq: int) -> None:
        for trace_id in failed:
            if trace_id in pauses_s:
                self._failing.add(trace_id)
                self._open.postpone(trace_id, until=self._clock() + pauses_s[trace_id])
            else:
                self._open.close(trace_id, seen_seq=seen_seq)

    def _settle(self, trace_ids: Sequence[str], revised: Revised, seen_seq: int) -> None:
        self._failing.difference_update(trace_ids)
        for trace_id in trace_ids:
            if trace_id in revised.postponed:
                self._open.postpone(trace_id, until=self._clock() + _CALM_S)
            elif trace_id in revised.waiting:
                self._open.wait(trace_id, seen_seq=seen_seq)
            else:
                self._open.close(trace_id, seen_seq=seen_seq)
