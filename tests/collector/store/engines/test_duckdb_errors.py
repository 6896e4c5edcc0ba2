"""DuckDB's errors become those of the store where no statement is to blame, and only there."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.errors import (
    StoreBeingRead,
    StoreBeingWritten,
    StoreFull,
    StoreInvalidated,
    StoreLocked,
    StoreOutOfMemory,
    StoreUnavailable,
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[DuckDbFile]:
    database = DuckDbFile(tmp_path / "store.duckdb", checkpoints_itself=False, threads=1)
    yield database
    database.close()


@pytest.mark.parametrize(
    ("error", "explained"),
    [
        pytest.param(duckdb.FatalException("invalidated: no space left"), StoreInvalidated, id="instance invalidated"),
        pytest.param(duckdb.OutOfMemoryException("over the limit"), StoreOutOfMemory, id="out of memory"),
        pytest.param(duckdb.IOException("No space left on device"), StoreFull, id="disk full"),
        pytest.param(duckdb.IOException("Input/output error"), StoreUnavailable, id="broken disk"),
        pytest.param(duckdb.ConnectionException("closed"), StoreUnavailable, id="connection closed"),
        pytest.param(duckdb.TransactionException("conflict"), StoreUnavailable, id="conflict"),
        pytest.param(duckdb.InterruptException("interrupted"), StoreUnavailable, id="interrupted"),
        pytest.param(duckdb.InternalException("assertion"), StoreUnavailable, id="internal"),
    ],
)
def test_error_of_the_store_is_explained(
    database: DuckDbFile, error: duckdb.Error, explained: type[StoreUnavailable]
) -> None:
    with pytest.raises(StoreUnavailable) as raised, database.explain_errors():
        raise error
    assert type(raised.value) is explained
    assert raised.value.__cause__ is error


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(duckdb.ConversionException("Could not convert 'no space left'"), id="value that speaks of a disk"),
        pytest.param(duckdb.ConstraintException("duplicate key"), id="constraint"),
        pytest.param(duckdb.ParserException("syntax error"), id="statement"),
        pytest.param(OSError(errno.ENOSPC, "No space left on device"), id="error of another module"),
    ],
)
def test_error_of_a_statement_or_of_its_values_passes_through(database: DuckDbFile, error: Exception) -> None:
    with pytest.raises(type(error)) as raised, database.explain_errors():
        raise error
    assert raised.value is error


def test_second_process_is_told_who_holds_the_store(tmp_path: Path) -> None:
    error = duckdb.IOException("IO Error: Could not set lock on file: Conflicting lock is held in python (PID 4711)")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", _raising(error))
        with pytest.raises(StoreLocked, match="held by process 4711"):
            DuckDbFile(tmp_path / "store.duckdb")


def test_checkpoint_beside_an_update_is_to_be_tried_again(database: DuckDbFile) -> None:
    with database.cursor() as writer:
        writer.execute("create table kept as select range as i from range(100)")
        writer.execute("begin")
        writer.execute("update kept set i = i + 1")  # DuckDB checkpoints beside inserts
        with pytest.raises(StoreBeingWritten):
            database.checkpoint(wait_s=0.0)
        writer.execute("commit")
    database.checkpoint(wait_s=0.0)
    assert database.wal_bytes == 0


def test_checkpoint_beside_a_reader_in_another_process_is_to_be_tried_again(tmp_path: Path) -> None:
    database = DuckDbFile(tmp_path / "store.duckdb", checkpoints_itself=False, threads=1, query_bytes=100 * 2**20)
    try:
        with database.readers.stream("select * from range(100000000)", timeout_s=60.0) as answer:
            next(iter(answer.batches))
            with pytest.raises(StoreBeingRead):
                database.checkpoint(wait_s=0.0)
        database.checkpoint(wait_s=0.0)
        assert database.wal_bytes == 0
    finally:
        database.close()


def _raising(error: Exception) -> object:
    def connect(*_: object, **__: object) -> None:
        raise error

    return connect
