from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support import otlp
from tests.support.feedback import make_record
from tests.support.store import Store, opened

from tracegrade.collector.errors import Draining, Malformed, Overloaded, StoreBusy
from tracegrade.collector.ingest.arrived import Arrived
from tracegrade.collector.ingest.queue import IngestQueue
from tracegrade.collector.otlp.decode import SPAN_COLUMNS, Row
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.receiver import ExportOutcome
from tracegrade.collector.store.arrivals.writer import Arrivals, Written

T = TypeVar("T")
NAME = SPAN_COLUMNS.index("name")


class Gate(Arrivals):
    """Writes when it is let, and not at all what is called `poison`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.database)
        self.opened = threading.Event()
        self.opened.set()
        self.reached = threading.Event()
        self.failure: Exception | None = None

    def write(self, spans: Sequence[Row], logs: Sequence[Row]) -> Written:
        self.reached.set()
        self.opened.wait()
        with self._database.explain_errors():
            if self.failure is not None:
                raise self.failure
        if any(row[NAME] == "poison" for row in spans):
            raise duckdb.ConversionException("no such value")
        return super().write(spans, logs)

    @contextmanager
    def shut(self) -> Iterator[None]:
        """Lets nothing through until the block ends."""
        self.opened.clear()
        self.reached.clear()
        try:
            yield
        finally:
            self.opened.set()


class Bench:
    """An intake on a real store, and what it said of its commits."""

    def __init__(self, store: Store, queue_bytes: int) -> None:
        self.store = store
        self.gate = Gate(store)
        self.arrived: list[Arrived] = []
        self.intake = IngestQueue(self.gate, queue_bytes=queue_bytes, on_commit=self.arrived.append)

    async def export(self, *spans: Span) -> ExportOutcome:
        return await self.intake.accept(Signal.TRACES, otlp.traces_request(spans))

    async def stalled(self) -> asyncio.Task[ExportOutcome]:
        """An export that the shut gate holds back; whatever comes now forms the next batch."""
        task = asyncio.create_task(self.export(otlp.span(99, trace=99)))
        await asyncio.to_thread(self.gate.reached.wait)
        return task

    async def queued(self, *exports: Coroutine[Any, Any, ExportOutcome]) -> list[asyncio.Task[ExportOutcome]]:
        """Exports that wait for the writer."""
        tasks = [asyncio.create_task(export) for export in exports]
        await asyncio.sleep(0)
        return tasks


def within(folder: Path, tell: Callable[[Bench], Awaitable[T]], *, queue_bytes: int = 10**6) -> T:
    """What `tell` says, told on a loop with an intake that is drained afterwards."""

    async def told(bench: Bench) -> T:
        bench.intake.start()
        try:
            return await tell(bench)
        finally:
            await bench.intake.drain()

    with opened(folder) as store:
        bench = Bench(store, queue_bytes)
        try:
            return asyncio.run(told(bench))
        finally:
            bench.gate.close()


def test_export_is_acknowledged_only_after_its_commit(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with bench.gate.shut():
            task = await bench.stalled()
            assert bench.store.one("select count(*) from spans") == 0
            assert not task.done()
        assert await task == ExportOutcome(accepted=1)
        assert bench.store.one("select count(*) from spans") == 1

    within(tmp_path, tell)


def test_commit_is_told_with_the_traces_it_touched(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        await bench.export(otlp.span(1, trace=1, attributes={"a": "b"}), otlp.span(2, trace=2), otlp.span(3, trace=2))
        record = otlp.log(1, trace=3, body=otlp.any_value("four"))
        await bench.intake.accept(Signal.LOGS, otlp.logs_request([record, otlp.log(2, trace_id=b"")]))
        sizes = [(one.batch_seq, dict(one.trace_bytes)) for one in bench.arrived]
        assert sizes == [
            (1, {otlp.trace_id(1): len('{"a":"b"}[]'), otlp.trace_id(2): 2 * len("{}[]")}),
            (2, {otlp.trace_id(3): len('"four"')}),
        ]

    within(tmp_path, tell)


def test_what_waits_becomes_one_commit(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with bench.gate.shut():
            first = await bench.stalled()
            waiting = await bench.queued(*(bench.export(otlp.span(number)) for number in (1, 2, 3)))
        await asyncio.gather(first, *waiting)
        assert [one.batch_seq for one in bench.arrived] == [1, 2]
        assert bench.store.rows("select batch_seq, count(*) from spans group by all order by all") == [(1, 1), (2, 3)]

    within(tmp_path, tell)


def test_span_that_cannot_be_kept_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> ExportOutcome:
        return await bench.export(otlp.span(1), otlp.span(2, span_id=b""), otlp.span(3, span_id=b""))

    outcome = within(tmp_path, tell)
    assert (outcome.accepted, outcome.rejected) == (1, 2)
    assert outcome.message == (
        "not kept: 2 spans: its span id is empty instead of 8 bytes. Sending the same again cannot help."
    )


def test_score_that_judges_nothing_is_kept_as_a_record_and_its_sender_told(tmp_path: Path) -> None:
    nameless, lost = make_record(name=""), make_record()
    lost.trace_id = b""

    async def tell(bench: Bench) -> ExportOutcome:
        return await bench.intake.accept(Signal.LOGS, otlp.logs_request([make_record(), nameless, lost, lost]))

    outcome = within(tmp_path, tell)
    assert (outcome.accepted, outcome.rejected) == (4, 0)
    assert "not a score: 1 evaluation without gen_ai.evaluation.name" in outcome.message
    assert "not a score: 2 evaluations without a trace id" in outcome.message


def test_sender_learns_of_evaluations_on_spans_that_have_no_name(tmp_path: Path) -> None:
    async def send(bench: Bench) -> ExportOutcome:
        event = Span.Event(name="gen_ai.evaluation.result", attributes=otlp.key_values({"gen_ai.evaluation.name": 5}))
        annotation = {"annotations.0.annotation.score": 0.5, "annotations.1.annotation.name": "polite"}
        return await bench.export(otlp.span(1, events=[event]), otlp.span(2, attributes=annotation))

    outcome = within(tmp_path, send)
    assert (outcome.accepted, outcome.rejected) == (2, 0)
    assert "not a score: 1 evaluation without gen_ai.evaluation.name" in outcome.message
    assert "not a score: 1 evaluation without the name of an annotation" in outcome.message


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(b"no protobuf", id="cannot-be-read"),
        pytest.param(otlp.traces_request([otlp.span(9, name="poison")]), id="cannot-be-stored"),
    ],
)
def test_bad_request_does_not_fail_its_neighbours_in_the_same_batch(tmp_path: Path, bad: bytes) -> None:
    async def tell(bench: Bench) -> list[Any]:
        with bench.gate.shut():
            first = await bench.stalled()
            bodies = [otlp.traces_request([otlp.span(1)]), bad, otlp.traces_request([otlp.span(2)])]
            waiting = await bench.queued(*(bench.intake.accept(Signal.TRACES, body) for body in bodies))
        answers = await asyncio.gather(first, *waiting, return_exceptions=True)
        assert bench.store.one("select count(*) from spans") == 3
        return answers

    _, before, refused, after = within(tmp_path, tell)
    assert before == after == ExportOutcome(accepted=1)
    assert isinstance(refused, Malformed)


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(duckdb.IOException("no space left on device"), id="disk-full"),
        pytest.param(duckdb.OutOfMemoryException("over the limit"), id="out-of-memory"),
        pytest.param(duckdb.FatalException("invalidated"), id="database-invalidated"),
        pytest.param(duckdb.ConnectionException("closed"), id="connection-closed"),
        pytest.param(MemoryError(), id="no-memory-left"),
    ],
)
def test_store_at_fault_asks_every_sender_to_come_again_and_takes_it_then(tmp_path: Path, failure: Exception) -> None:
    async def tell(bench: Bench) -> None:
        bench.gate.failure = failure
        with bench.gate.shut():
            tasks = [await bench.stalled(), *await bench.queued(bench.export(otlp.span(1)), bench.export(otlp.span(2)))]
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(answer) for answer in answers] == [StoreBusy] * 3
        bench.gate.failure = None
        assert await bench.export(otlp.span(1)) == ExportOutcome(accepted=1)

    within(tmp_path, tell)


def test_repeated_export_is_acknowledged_like_the_first(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        assert await bench.export(otlp.span(1)) == await bench.export(otlp.span(1)) == ExportOutcome(accepted=1)
        assert bench.store.one("select count(*) from spans") == 1

    within(tmp_path, tell)


@pytest.mark.parametrize("signal", [Signal.TRACES, Signal.LOGS])
def test_export_of_nothing_is_acknowledged(tmp_path: Path, signal: Signal) -> None:
    async def tell(bench: Bench) -> None:
        assert await bench.intake.accept(signal, b"") == ExportOutcome(accepted=0)
        assert bench.arrived == []

    within(tmp_path, tell)


def test_metrics_are_acknowledged_and_put_aside(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> ExportOutcome:
        return await bench.intake.accept(Signal.METRICS, b"anything")

    assert within(tmp_path, tell).rejected == 0


def test_full_queue_is_overloaded_and_has_room_again_when_a_request_is_answered(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        intake = bench.intake
        with intake.reserve(60):
            with pytest.raises(Overloaded, match="60 bytes are waiting"), intake.reserve(50):
                pass
            with intake.reserve(40):
                assert intake.trouble == "the queue before the store is full"
            assert intake.trouble is None
        with intake.reserve(100):
            pass

    within(tmp_path, tell, queue_bytes=100)


def test_refused_growth_leaves_what_was_granted_and_gives_all_of_it_back(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with bench.intake.reserve(30):
            with bench.intake.reserve(30) as reservation:
                reservation.grow(30)
                with pytest.raises(Overloaded):
                    reservation.grow(30)
                assert reservation.size_bytes == 60
            with bench.intake.reserve(70):
                pass

    within(tmp_path, tell, queue_bytes=100)


def test_request_larger_than_the_queue_is_taken_when_it_is_alone(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with bench.intake.reserve(1_000):
            pass

    within(tmp_path, tell, queue_bytes=100)


def test_room_is_freed_when_the_sender_breaks_off(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with pytest.raises(ConnectionError), bench.intake.reserve(100):
            raise ConnectionError
        with bench.intake.reserve(100):
            pass

    within(tmp_path, tell, queue_bytes=100)


def test_drain_commits_what_is_queued_and_refuses_what_is_new(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with bench.gate.shut():
            first = await bench.stalled()
            waiting = await bench.queued(bench.export(otlp.span(1)), bench.export(otlp.span(2)))
            draining = asyncio.create_task(bench.intake.drain())
            await asyncio.sleep(0)
            with pytest.raises(Draining):
                await bench.export(otlp.span(3))
            with pytest.raises(Draining), bench.intake.reserve(1):
                pass
            assert bench.intake.trouble == "the server is shutting down"
        await draining
        assert [task.result() for task in (first, *waiting)] == [ExportOutcome(accepted=1)] * 3
        assert bench.store.one("select count(*) from spans") == 3

    within(tmp_path, tell)


def test_sender_that_left_does_not_stop_the_commit(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with bench.gate.shut():
            (await bench.stalled()).cancel()
            [waiting] = await bench.queued(bench.export(otlp.span(1)))
        assert await waiting == ExportOutcome(accepted=1)
        assert bench.store.one("select count(*) from spans") == 2

    within(tmp_path, tell)


def test_intake_that_never_started_can_be_drained(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        asyncio.run(IngestQueue(store.arrivals, queue_bytes=1, on_commit=lambda _: None).drain())


def test_dead_writer_is_trouble(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        intake = IngestQueue(store.arrivals, queue_bytes=1, on_commit=lambda _: None)
        assert intake.trouble == "the writer of the store has died; restart the server"


def make_large_export(*, last: str = "last") -> list[Span]:
    """3,001 spans of 3 MB in all."""
    spans = [otlp.span(number, trace=7, attributes={"text": "x" * 1_000}) for number in range(1, 3_001)]
    return [*spans, otlp.span(3_001, trace=7, name=last)]


def test_small_requests_pass_a_large_one(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with bench.gate.shut():
            await bench.stalled()
            large, small = await bench.queued(bench.export(*make_large_export()), bench.export(otlp.span(1)))
        await asyncio.wait((large, small), return_when=asyncio.FIRST_COMPLETED)
        assert (small.done(), large.done()) == (True, False)
        assert await large == ExportOutcome(accepted=3_001)
        assert bench.store.one("select count(*) from spans where trace_id = $id", id=otlp.trace_id(7)) == 3_001

    within(tmp_path, tell, queue_bytes=10**8)


def test_part_that_cannot_be_stored_fails_its_request(tmp_path: Path) -> None:
    async def tell(bench: Bench) -> None:
        with pytest.raises(Malformed, match="cannot be stored"):
            await bench.export(*make_large_export(last="poison"))
        assert await bench.export(*make_large_export()) == ExportOutcome(accepted=3_001)
        assert bench.store.one("select count(*) from spans") == 3_001

    within(tmp_path, tell, queue_bytes=10**8)
