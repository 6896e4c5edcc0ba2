"""The queue between receivers and store, bounded by bytes, and the thread that commits its content.

An export is answered only after its commit. The thread takes everything that is queued and never waits for more, so
that batches grow with the load. A batch closes at 2,000 records, or at 2 MB of rows. A large request is decoded and
committed in parts of that size, and small ones between them, so that they do not wait for all of it; if the server is
killed meanwhile, its sender sends it again, and the spans that are stored count as known.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar, cast

from ..errors import CollectorError, Draining, Malformed, Overloaded, StoreBusy
from ..metrics import counters
from ..otlp.decode import Decoded, Row, decode_in_parts
from ..otlp.limits import RequestLimits
from ..otlp.own_mark import Mark
from ..otlp.signal import Signal
from ..receiver import ExportOutcome
from ..store.arrivals.writer import Arrivals, Written
from ..store.errors import StoreInvalidated, StoreOutOfMemory, StoreUnavailable, first_line
from ..store.maintenance.caretaker import Caretaker
from ..system.log import log
from .arrived import Arrived, make_outcome

__all__ = ["IngestQueue"]

T = TypeVar("T")

_BATCH_RECORDS = 2_000
_BATCH_BYTES = 2 * 2**20
_LARGE_BYTES = 2**19
"""From this size of its body on, a request is stored in parts."""

_IDLE_S = 1.0
_OVER = object()
_OURS = (StoreUnavailable, MemoryError)
"""Errors that are not caused by the request: the sender keeps its records and sends them again."""
_OUT_OF_MEMORY = (StoreOutOfMemory, MemoryError)
"""Errors that one request of a batch may cause for all of them."""


@dataclass(slots=True)
class _Request:
    signal: Signal
    body: bytes
    answer: asyncio.Future[ExportOutcome]
    decoded: Decoded = field(default_factory=Decoded)
    is_part: bool = False
    """Whether others of the same request follow, after which it is answered."""


class _Reservation:
    def __init__(self, queue: IngestQueue) -> None:
        self._queue = queue
        self.size_bytes = 0

    def grow(self, size_bytes: int) -> None:
        """Reserve further bytes. Raises Overloaded."""
        self._queue.take(size_bytes)
        self.size_bytes += size_bytes


class IngestQueue:
    """Accepts export requests on the event loop and commits them on its own thread, which also runs the `caretaker`."""

    def __init__(
        self,
        arrivals: Arrivals,
        *,
        queue_bytes: int,
        on_commit: Callable[[Arrived], None],
        caretaker: Caretaker | None = None,
        limits: RequestLimits | None = None,
        mark: Mark | None = None,
    ) -> None:
        self._arrivals = arrivals
        self._limits = limits or RequestLimits()
        self._mark = mark or Mark()
        self._caretaker = caretaker
        self._refusal: str | None = None
        self._perhaps_stored: Arrived | None = None
        self._queue_bytes = queue_bytes
        self._on_commit = on_commit
        self._held_bytes = 0
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._large: deque[Iterator[None]] = deque()
        self._draining = False
        self._thread = threading.Thread(target=self._write, name="arrivals", daemon=True)

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    @property
    def trouble(self) -> str | None:
        """The reason why nothing can be accepted now; None if it can."""
        if self._draining:
            return "the server is shutting down"
        if not self._thread.is_alive():
            return "the writer of the store has died; restart the server"
        if self._caretaker is not None and self._caretaker.trouble is not None:
            return self._caretaker.trouble
        if self._refusal is not None:
            return f"the store does not take what is sent: {self._refusal}"
        if self._held_bytes >= self._queue_bytes:
            return "the queue before the store is full"
        return None

    @contextmanager
    def reserve(self, size_bytes: int) -> Iterator[_Reservation]:
        """Reserve memory for a request body from its first byte to the answer. Raises Overloaded or Draining."""
        if self._draining:
            raise Draining("the server is shutting down; send it again to its successor")
        reservation = _Reservation(self)
        try:
            reservation.grow(size_bytes)
            yield reservation
        finally:
            self._held_bytes -= reservation.size_bytes
            counters.queue_bytes.set(self._held_bytes)

    def take(self, size_bytes: int) -> None:
        if self._held_bytes and self._held_bytes + size_bytes > self._queue_bytes:
            raise Overloaded(f"{self._held_bytes} bytes are waiting to be stored; the limit is {self._queue_bytes}")
        self._held_bytes += size_bytes
        counters.queue_bytes.set(self._held_bytes)

    async def accept(self, signal: Signal, body: bytes) -> ExportOutcome:
        """Return once the records of `body` (protobuf of an Export*ServiceRequest) are committed.

        Raises Malformed if it is not such a request, TooLarge if it exceeds a limit, StoreBusy if the store did not
        take it, Overloaded if memory is short, and Draining during a shutdown.
        """
        if self._draining:
            raise Draining("the server is shutting down; send it again to its successor")
        if signal is Signal.METRICS:
            counters.metric_requests.inc()
            return ExportOutcome(accepted=1)
        answer: asyncio.Future[ExportOutcome] = self._loop.create_future()
        self._requests.put(_Request(signal, body, answer))
        return await answer

    async def drain(self) -> None:
        """Refuse further requests, commit those that are queued, and return when the thread has ended."""
        self._draining = True
        self._requests.put(None)
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join)

    def _write(self) -> None:
        while (batch := self._next()) is not None:
            is_idle = not batch and not self._large
            if batch:
                self._commit(batch)
            del batch  # its memory, which would otherwise be taken until the next request
            if self._large and next(self._large[0], _OVER) is _OVER:
                self._large.popleft()
            self._look_after(is_idle=is_idle)

    def _next(self) -> list[_Request] | None:
        """Return the small requests that are queued, decoded; an empty list if large ones are being stored, or after a
        second without any; None at the end."""
        batch: list[_Request] = []
        records = size_bytes = 0
        while records < _BATCH_RECORDS and size_bytes < _BATCH_BYTES:
            try:
                request = self._requests.get(timeout=0 if batch or self._large else _IDLE_S)
            except queue.Empty:
                break
            if request is None:
                self._requests.put(None)
                return batch if batch or self._large else None
            if len(request.body) >= _LARGE_BYTES:
                self._large.append(self._store_in_parts(request))
                continue
            if _run(self._decode(request)):
                batch.append(request)
                records += len(request.decoded.rows)
            size_bytes += max(len(request.body), request.decoded.size_bytes)
        return batch

    def _store_in_parts(self, request: _Request) -> Iterator[None]:
        """Decode and commit a large request, with a pause after each part, and answer it."""
        if not (yield from self._decode(request)):
            return
        whole = request.decoded
        for rows in _cut_rows(whole.rows):
            part = _Request(request.signal, b"", request.answer, Decoded(rows), is_part=True)
            if not self._commit([part]):
                return
            yield
        self._answer(request, make_outcome(request.signal, request.decoded))

    def _decode(self, request: _Request) -> Generator[None, None, bool]:
        """Decode a request, with a pause after each part; return whether it is to be stored."""
        try:
            for decoded in decode_in_parts(request.signal, request.body, self._limits):
                request.decoded = decoded
                yield
            self._leave_out_own(request)
        except CollectorError as error:
            self._fail(request, error)
            return False
        except MemoryError:
            self._fail(request, Overloaded("there is no memory to read it"))
            return False
        except Exception as error:  # noqa: BLE001 - no request may end this thread
            log.error("a request cannot be read", error=str(error))
            self._fail(request, Malformed(f"it cannot be read: {error}"))
            return False
        return True

    def _leave_out_own(self, request: _Request) -> None:
        """Remove the records that we sent ourselves: if they were evaluated, they would be sent again."""
        rows = self._mark.without_own(request.signal, request.decoded.rows)
        counters.own_records.labels(signal=request.signal.value).inc(len(request.decoded.rows) - len(rows))
        request.decoded.rows = rows

    def _commit(self, batch: list[_Request]) -> bool:
        """Store the batch, and answer its requests. Return whether all of it is stored."""
        try:
            self._store_somehow(batch)
        except _OURS as error:
            if isinstance(error, _OUT_OF_MEMORY) and len(batch) > 1:
                log.warning("there is no memory for a batch: its requests are tried alone", requests=len(batch))
                return self._commit_each(batch)
            self._refusal = first_line(error)
            log.error("the store did not take a batch", error=str(error), requests=len(batch))
            for request in batch:
                self._fail(request, StoreBusy(f"the store did not take it: {error}"))
        except Exception as error:  # noqa: BLE001 - one request must not fail the others
            if len(batch) > 1:
                return self._commit_each(batch)
            log.error("a request cannot be stored", error=str(error))
            self._fail(batch[0], Malformed(f"it cannot be stored: {error}"))
        else:
            return True
        return False

    def _commit_each(self, batch: list[_Request]) -> bool:
        return not [request for request in batch if not self._commit([request])]

    def _store_somehow(self, batch: list[_Request]) -> None:
        """Store the batch, once more if the store had to be opened again. Raises StoreUnavailable."""
        caretaker = self._caretaker
        if caretaker is not None and caretaker.trouble is not None and not caretaker.reopen():
            raise StoreUnavailable(caretaker.trouble)
        try:
            self._store(batch)
        except StoreInvalidated as error:
            self._doubt(batch)
            if caretaker is None or not caretaker.mend(error):
                raise
            self._store(batch)

    def _doubt(self, batch: list[_Request]) -> None:
        """Remember the failed commit of a batch, which may be stored once the store is open again.

        Its spans, if sent again, then count as known, so `on_commit` is called for this commit too, before the next
        one.
        """
        former = self._perhaps_stored or Arrived(self._arrivals.batch_seq + 1, {})
        present = Arrived.of(former.batch_seq, *_rows(batch))
        self._perhaps_stored = Arrived(former.batch_seq, {**former.trace_bytes, **present.trace_bytes})

    def _store(self, batch: list[_Request]) -> None:
        spans, logs = _rows(batch)
        if spans or logs:
            written = self._arrivals.write(spans, logs)
            _count(written)
            if self._perhaps_stored is not None:
                self._loop.call_soon_threadsafe(self._on_commit, self._perhaps_stored)
                self._perhaps_stored = None
            arrived = Arrived.of(written.batch_seq, spans, logs)
            self._loop.call_soon_threadsafe(self._on_commit, arrived)
        self._refusal = None
        for request in batch:
            if not request.is_part:
                self._answer(request, make_outcome(request.signal, request.decoded))

    def _look_after(self, *, is_idle: bool) -> None:
        """Run the caretaker, after each commit and each second without requests."""
        if self._caretaker is None:
            return
        self._caretaker.attend(is_idle=is_idle)
        if is_idle and self._refusal is not None and self._caretaker.is_writable():
            self._refusal = None  # as far as can be known without an export

    def _answer(self, request: _Request, outcome: ExportOutcome) -> None:
        counters.rejected_records.labels(signal=request.signal.value).inc(outcome.rejected)
        self._loop.call_soon_threadsafe(_resolve, request.answer, outcome)

    def _fail(self, request: _Request, error: CollectorError) -> None:
        self._loop.call_soon_threadsafe(_reject, request.answer, error)


def _run(steps: Generator[None, None, T]) -> T:
    """Take all steps, and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("T", end.value)


def _cut_rows(rows: list[Row]) -> Iterator[list[Row]]:
    """Yield the rows in parts that are as large as a batch."""
    part: list[Row] = []
    size_bytes = 0
    for row in rows:
        part.append(row)
        size_bytes += sum(len(value) for value in row if isinstance(value, str))
        if len(part) >= _BATCH_RECORDS or size_bytes >= _BATCH_BYTES:
            yield part
            part, size_bytes = [], 0
    if part:
        yield part


def _rows(batch: Iterable[_Request]) -> tuple[list[Row], list[Row]]:
    """Return the rows of spans and those of log records."""
    spans = [row for request in batch if request.signal is Signal.TRACES for row in request.decoded.rows]
    logs = [row for request in batch if request.signal is Signal.LOGS for row in request.decoded.rows]
    return spans, logs


def _count(written: Written) -> None:
    counters.accepted_records.labels(signal="traces").inc(written.spans)
    counters.accepted_records.labels(signal="logs").inc(written.logs)
    counters.repeated_records.labels(signal="traces").inc(written.repeated_spans)
    counters.repeated_records.labels(signal="logs").inc(written.repeated_logs)
    counters.conflicting_spans.inc(written.conflicting_spans)


def _resolve(answer: asyncio.Future[ExportOutcome], outcome: ExportOutcome) -> None:
    if not answer.done():
        answer.set_result(outcome)


def _reject(answer: asyncio.Future[ExportOutcome], error: CollectorError) -> None:
    if not answer.done():
        answer.set_exception(error)
