"""When the write-ahead log is folded into the file, and what becomes of a store whose checkpoint fails."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.support import agent_spans, otlp
from tests.support.disk import growth_forbidden, small_disk
from tests.support.polling import until

from tracegrade.collector.assembling.open_traces import OpenTraces
from tracegrade.collector.config.settings import Settings
from tracegrade.collector.errors import StoreBusy
from tracegrade.collector.ingest.arrived import Arrived
from tracegrade.collector.ingest.queue import IngestQueue
from tracegrade.collector.otlp.decode import decode_spans
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.receiver import ExportOutcome
from tracegrade.collector.server.pipeline import Pipeline
from tracegrade.collector.store.arrivals.writer import Arrivals, Written
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.engines.duckdb_file.disk_space import find_write_error
from tracegrade.collector.store.errors import StoreInvalidated, StoreUnavailable
from tracegrade.collector.store.maintenance import checkpoints as policy
from tracegrade.collector.store.maintenance.caretaker import Caretaker
from tracegrade.collector.store.maintenance.checkpoints import Checkpoints
from tracegrade.collector.store.results.writer import Results

MIB = 2**20


class Seconds:
    """A monotonic clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Kept:
    """A store with those who look after it. `free_bytes` is what the file system says."""

    database: DuckDbFile
    arrivals: Arrivals
    results: Results
    checkpoints: Checkpoints
    caretaker: Caretaker
    clock: Seconds
    free_bytes: int = 10**12

    def arrive(self, number: int = 1, *, name: str = "") -> None:
        self.arrivals.write(decode_spans(otlp.traces_request([otlp.span(number, name=name or "span")])).rows, [])

    def grow(self, megabytes: int) -> None:
        """Lets that much be committed to the write-ahead log."""
        for _ in range(megabytes):
            self.arrive(next(NUMBERS), name="x" * MIB)

    def spans(self) -> int:
        with self.database.cursor() as connection:
            [(count,)] = connection.execute("select count(*) from spans").fetchall()
        return int(count)


NUMBERS = iter(range(10_000, 10**9))


@contextmanager
def opened_with_checkpoints(
    path: Path, *, on_lost: Callable[[StoreUnavailable], object] = lambda _: None, query_bytes: int | None = None
) -> Iterator[Kept]:
    database = DuckDbFile(path, checkpoints_itself=False, query_bytes=query_bytes)
    with database.cursor() as connection:
        connection.execute("checkpoint")
    arrivals, results, clock = Arrivals(database), Results(database), Seconds()
    checkpoints = Checkpoints(database, clock=clock, free_bytes=lambda: store.free_bytes)
    caretaker = Caretaker(database, checkpoints, on_lost=on_lost)
    store = Kept(database, arrivals, results, checkpoints, caretaker, clock)
    try:
        yield store
    finally:
        arrivals.close()
        results.close()
        database.close()


def test_log_is_folded_when_nothing_arrives_for_a_while(tmp_path: Path) -> None:
    with opened_with_checkpoints(tmp_path / "store.duckdb") as store:
        store.arrive()
        store.checkpoints.attend(is_idle=True)
        assert store.database.wal_bytes
        store.clock.now += 31
        store.checkpoints.attend(is_idle=True)
        assert not store.database.wal_bytes


def test_log_is_folded_every_few_minutes_though_spans_never_stop_arriving(tmp_path: Path) -> None:
    with opened_with_checkpoints(tmp_path / "store.duckdb") as store:
        store.arrive(1)
        store.clock.now += 100
        store.checkpoints.attend(is_idle=False)
        assert store.database.wal_bytes
        store.clock.now += 100
        store.checkpoints.attend(is_idle=False)
        assert not store.database.wal_bytes


def test_large_log_is_folded_in_the_first_quiet_moment_and_a_huge_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "_LARGE_BYTES", MIB)
    monkeypatch.setattr(policy, "_HUGE_BYTES", 4 * MIB)
    with opened_with_checkpoints(tmp_path / "store.duckdb") as store:
        store.grow(2)
        store.checkpoints.attend(is_idle=False)
        assert store.database.wal_bytes > MIB
        store.checkpoints.attend(is_idle=True)
        assert not store.database.wal_bytes
        store.grow(5)
        store.checkpoints.attend(is_idle=False)
        assert not store.database.wal_bytes


def test_readers_that_a_snapshot_holds_back_are_not_let_in_by_a_commit(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with opened_with_checkpoints(path, query_bytes=64 * MIB) as store, store.checkpoints.held(lambda: None):
        store.arrive()
        store.clock.now += 31
        store.database.readers.hold()
        store.checkpoints.attend(is_idle=True)
        assert store.database.readers.are_held


def test_log_is_folded_while_a_transaction_of_results_is_open(tmp_path: Path) -> None:
    with opened_with_checkpoints(tmp_path / "store.duckdb") as store, store.results.transaction():
        store.arrive()
        store.clock.now += 31
        store.checkpoints.attend(is_idle=True)
        assert store.database.wal_bytes < 1_000


def test_no_checkpoint_is_tried_for_which_there_is_no_room(tmp_path: Path) -> None:
    with opened_with_checkpoints(tmp_path / "store.duckdb") as store:
        store.arrive()
        store.clock.now += 1_000
        store.free_bytes = MIB
        store.checkpoints.attend(is_idle=True)
        assert store.database.wal_bytes
        store.free_bytes = 100 * MIB
        store.checkpoints.attend(is_idle=True)
        assert not store.database.wal_bytes


def test_store_is_open_again_after_a_checkpoint_that_failed_and_has_all_that_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with opened_with_checkpoints(path) as store:
        store.arrive(1)
        with growth_forbidden(path):
            store.clock.now += 31
            store.caretaker.attend(is_idle=True)
            assert store.caretaker.trouble is None
            assert store.spans() == 1
            store.arrive(2)
            with store.results.transaction() as connection:
                assert connection.execute("select count(*) from spans").fetchall() == [(2,)]
        store.clock.now += 31
        store.caretaker.attend(is_idle=True)
        assert not store.database.wal_bytes
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("select count(*) from spans").fetchall() == [(2,)]


def test_checkpoint_that_failed_is_tried_again_after_a_pause(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with opened_with_checkpoints(path) as store:
        store.arrive(1)
        with growth_forbidden(path):
            store.clock.now += 31
            with pytest.raises(StoreInvalidated):
                store.checkpoints.attend(is_idle=True)
            store.caretaker.mend(StoreInvalidated())
            store.clock.now += 29
            store.checkpoints.attend(is_idle=True)  # which would raise
            store.clock.now += 2
            with pytest.raises(StoreInvalidated):
                store.checkpoints.attend(is_idle=True)
            store.caretaker.mend(StoreInvalidated())


def test_query_that_runs_does_not_keep_the_store_from_being_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with opened_with_checkpoints(path) as store:
        store.arrive(1)
        reader = store.database.connect()
        reader.execute("select range from range(1000000)")
        assert reader.fetchone() == (0,)
        with growth_forbidden(path):
            store.clock.now += 31
            store.caretaker.attend(is_idle=True)
            reader.close()
            store.caretaker.attend(is_idle=True)
        assert store.caretaker.trouble is None
        assert store.spans() == 1


def test_store_that_is_no_store_any_more_is_lost_and_that_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    lost: list[StoreUnavailable] = []
    with opened_with_checkpoints(path, on_lost=lost.append) as store:
        store.arrive(1)
        with growth_forbidden(path):
            store.clock.now += 31
            with pytest.raises(StoreInvalidated):
                store.checkpoints.attend(is_idle=True)
        path.write_bytes(b"nothing that DuckDB knows" * 1_000)
        assert not store.caretaker.mend(StoreInvalidated())
        assert not store.caretaker.reopen()
        assert store.caretaker.trouble
    assert [one.exit_code for one in lost] == [4]
    assert "store.duckdb" in str(lost[0])


def test_export_that_meets_a_store_that_was_given_up_is_stored_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"

    async def tell(store: Kept) -> ExportOutcome:
        arrived: list[Arrived] = []
        intake = IngestQueue(store.arrivals, queue_bytes=10**6, on_commit=arrived.append, caretaker=store.caretaker)
        intake.start()
        try:
            return await intake.accept(Signal.TRACES, agent_spans.export_request(agent_spans.trip(7)))
        finally:
            await intake.drain()

    with opened_with_checkpoints(path) as store:
        store.arrive(1)
        with growth_forbidden(path):
            store.clock.now += 31
            with pytest.raises(StoreInvalidated):
                store.checkpoints.attend(is_idle=True)
            assert asyncio.run(tell(store)) == ExportOutcome(accepted=4)
        assert store.spans() == 5


def test_commit_that_was_kept_though_it_failed_is_told_of_so_that_no_assembly_passes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_traces = OpenTraces(grace_s=2, idle_s=60, limit=10)
    seqs: list[int] = []

    def arrived(commit: Arrived) -> None:
        seqs.append(commit.batch_seq)
        open_traces.arrived(commit.batch_seq, commit.trace_bytes, 0.0)

    async def tell(store: Kept) -> ExportOutcome:
        intake = IngestQueue(store.arrivals, queue_bytes=10**6, on_commit=arrived, caretaker=store.caretaker)
        intake.start()
        try:
            return await intake.accept(Signal.TRACES, agent_spans.export_request(agent_spans.trip(7)))
        finally:
            await intake.drain()

    def failing(*rows: Any) -> Written:
        monkeypatch.undo()
        store.arrivals.write(*rows)
        store.arrivals.batch_seq -= 1
        raise StoreInvalidated  # the log was written, and its end was not

    with opened_with_checkpoints(tmp_path / "store.duckdb") as store:
        store.arrive(1)
        monkeypatch.setattr(store.arrivals, "write", failing)
        assert asyncio.run(tell(store)) == ExportOutcome(accepted=4)
        assert store.spans() == 5
    assert seqs == [2, 3]
    assert open_traces.settled_seq(3) == 1


def test_refused_exports_are_trouble_until_something_can_be_written(tmp_path: Path) -> None:
    async def tell(store: Kept) -> None:
        intake = IngestQueue(store.arrivals, queue_bytes=10**8, on_commit=lambda _: None, caretaker=store.caretaker)
        intake.start()
        try:
            await intake.accept(Signal.TRACES, agent_spans.export_request(agent_spans.trip(1)))
            assert intake.trouble is None
            disk.fill()
            with pytest.raises(StoreBusy, match="No space left"):
                await _exhaust(intake)
            await asyncio.sleep(0)
            assert intake.trouble is not None
            assert "No space left" in intake.trouble
            disk.make_room()
            await asyncio.to_thread(until, lambda: intake.trouble is None)  # though nobody sends to what is not ready
            assert await intake.accept(Signal.TRACES, agent_spans.export_request(agent_spans.trip(2))) == ExportOutcome(
                accepted=4
            )
        finally:
            await intake.drain()

    with (
        small_disk(tmp_path / "disk", megabytes=24) as disk,
        opened_with_checkpoints(disk.folder / "store.duckdb") as store,
    ):
        asyncio.run(tell(store))


def test_disk_that_is_mounted_for_reading_only_is_told_as_one_that_cannot_be_written(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=4) as disk:
        path = disk.folder / "store.duckdb"
        assert find_write_error(path) is None
        disk.forbid_writing()
        error = find_write_error(path)
        assert error is not None
        assert error.errno == errno.EROFS
        with pytest.raises(StoreUnavailable, match="Read-only file system"):
            Pipeline(Settings(store=str(path)))


def test_disk_that_cannot_be_asked_for_its_room_ends_no_thread(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def free_bytes() -> int:
        raise OSError(errno.EIO, "Input/output error")

    with opened_with_checkpoints(tmp_path / "store.duckdb") as store:
        store.arrive()
        clock = Seconds()
        caretaker = Caretaker(store.database, Checkpoints(store.database, clock=clock, free_bytes=free_bytes))
        clock.now += 31
        caretaker.attend(is_idle=True)
        assert caretaker.trouble is None
        assert "Input/output error" in capsys.readouterr().out


async def _exhaust(intake: IngestQueue) -> None:
    """Exports until one is refused: what is on the disk of the log may still have room at its end."""
    for number in range(100, 400):
        await intake.accept(Signal.TRACES, agent_spans.export_request(agent_spans.trip(number)))
