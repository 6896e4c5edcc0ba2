"""Requests that are committed together: one that takes too much does not fail those beside it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.support import otlp
from tests.support.store import Store, opened

from tracegrade.collector.errors import StoreBusy
from tracegrade.collector.ingest.queue import IngestQueue
from tracegrade.collector.otlp.decode import SPAN_COLUMNS, Row
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.receiver import ExportOutcome
from tracegrade.collector.store.arrivals.writer import Arrivals, Written

NAME = SPAN_COLUMNS.index("name")


class Writer(Arrivals):
    """Waits until it is let, and has no memory for spans that are called `greedy`."""

    def __init__(self, store: Store, failure: Exception) -> None:
        super().__init__(store.database)
        self.reached, self.opened = threading.Event(), threading.Event()
        self.batches: list[int] = []
        self._failure = failure

    def write(self, spans: Sequence[Row], logs: Sequence[Row]) -> Written:
        self.reached.set()
        self.opened.wait()
        if any(row[NAME] == "greedy" for row in spans):
            with self._database.explain_errors():
                raise self._failure
        self.batches.append(len(spans))
        return super().write(spans, logs)


def answers(folder: Path, bodies: Sequence[bytes], *, failure: Exception | None = None) -> tuple[list[Any], list[int]]:
    """What became of requests that waited together, and how many spans each commit had."""

    async def exchanged(writer: Writer) -> list[Any]:
        intake = IngestQueue(writer, queue_bytes=10**8, on_commit=lambda _: None)
        intake.start()
        first = asyncio.create_task(intake.accept(Signal.TRACES, otlp.traces_request([otlp.span(99, trace=99)])))
        await asyncio.to_thread(writer.reached.wait)
        waiting = [asyncio.create_task(intake.accept(Signal.TRACES, body)) for body in bodies]
        await asyncio.sleep(0)
        writer.opened.set()
        found = await asyncio.gather(first, *waiting, return_exceptions=True)
        await intake.drain()
        return found[1:]

    with opened(folder) as store:
        writer = Writer(store, failure or MemoryError())
        try:
            return asyncio.run(exchanged(writer)), writer.batches[1:]
        finally:
            writer.close()


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(duckdb.OutOfMemoryException("over the limit"), id="of the store"),
        pytest.param(MemoryError(), id="of the process"),
    ],
)
def test_request_that_there_is_no_memory_for_fails_alone(tmp_path: Path, failure: Exception) -> None:
    bodies = [otlp.traces_request([otlp.span(number)]) for number in (1, 2)]
    greedy = otlp.traces_request([otlp.span(3, name="greedy")])
    (before, refused, after), _ = answers(tmp_path, [bodies[0], greedy, bodies[1]], failure=failure)
    assert before == after == ExportOutcome(accepted=1)
    assert isinstance(refused, StoreBusy)


def test_batch_closes_by_what_its_rows_hold_however_small_the_requests_were(tmp_path: Path) -> None:
    spans = [[otlp.span(number, trace=trace) for number in range(1, 101)] for trace in (1, 2, 3)]
    bodies = [otlp.traces_request(some, resource={"wide": "x" * 25_000}) for some in spans]
    assert sum(map(len, bodies)) < 2**20
    _, batches = answers(tmp_path, bodies)
    assert batches == [100, 100, 100]
