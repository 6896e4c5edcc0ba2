"""Executes one query, in a reader process.

The answer is a line of JSON once the file is open, a line with the columns, an Arrow IPC stream, and a last line with
whether it is truncated. An error is one line with its kind and message. A killed process leaves an incomplete answer.
"""

from __future__ import annotations

import io
import os
import pickle
import resource
import signal
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import duckdb
import orjson
import pyarrow as pa

from tracegrade.queries import fence
from tracegrade.queries.result import Answer

from .....records.arrow_batch import tables
from ..file_lock import release_locks
from .request import Request

__all__ = ["answer"]

_BESIDE_BYTES: Final = 128 * 2**20
"""How much a process may allocate beyond the memory_limit of DuckDB: what replaying the WAL takes outside of it
(about 60 MB for one of 16 MB), results of functions, the answer, threads."""

_SLACK_S: Final = 1.0
"""How long after its time limit the process of a query is ended, if DuckDB could not interrupt the query."""

_STANDS_BACK_AFTER_S: Final = 1.0
"""After how many seconds a query gets a lower priority than those that have just begun."""

_LEAST: Final = 19

_STATM: Final = Path("/proc/self/statm")
_STATM_DATA: Final = 5
"""The field of the data segment, in pages (proc_pid_statm(5)): what RLIMIT_DATA counts."""

_OOM_SCORE: Final = Path("/proc/self/oom_score_adj")
_ENDED_FIRST: Final = "900"


def answer(server: socket.socket) -> None:
    """Read a pickled Request from the socket, execute it, and write the answer."""
    with server.makefile("rwb") as file:
        request: Request = pickle.load(cast("BinaryIO", file))  # noqa: S301 - from the server that started this process
        try:
            _confine(request.memory_bytes)
            with duckdb.connect(request.path, read_only=True, config=_config(request)) as store:
                release_locks(Path(request.path))  # DuckDB's: the server counts its readers itself
                _write_line(file, {"is_open": True})
                file.flush()
                _stand_back_after(_STANDS_BACK_AFTER_S)
                fence.harden(store)
                _write(cast("BinaryIO", file), store, request)
        except fence.SqlError as error:
            limits = {"limit": error.limit, "setting": error.setting}
            _write_line(file, {"error": {"kind": error.kind, "message": str(error), "limits": limits}})
        except (duckdb.Error, MemoryError) as error:
            _write_line(file, {"error": {"kind": None, "message": f"{type(error).__name__}: {error}"}})
        file.flush()


def _config(request: Request) -> dict[str, Any]:
    return {
        **fence.SHUT,
        "memory_limit": f"{request.memory_bytes // 1000}KB",
        "temp_directory": request.scratch,
        "max_temp_directory_size": f"{request.disk_bytes // 1000}KB",
    }


def _confine(memory_bytes: int) -> None:
    """Limit the memory of this process, and make the kernel end it first if the system runs out of memory.

    What the process that forked it had allocated comes on top, as most of it is shared. Only Linux counts all
    allocations.
    """
    most = _allocated_bytes() + memory_bytes + _BESIDE_BYTES
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    with suppress(OSError):
        _OOM_SCORE.write_text(_ENDED_FIRST, encoding="ascii")


def _allocated_bytes() -> int:
    """Return what this process has allocated by now; 0 where the system does not tell."""
    try:
        return int(_STATM.read_text(encoding="ascii").split()[_STATM_DATA]) * resource.getpagesize()
    except OSError:
        return 0


def _stand_back_after(limit_s: float) -> None:
    """Give this process the lowest priority after `limit_s`.

    On Linux each thread has its own niceness; setting that of the process group sets it for all threads.
    """
    os.setpgid(0, 0)
    timer = threading.Timer(limit_s, os.setpriority, (os.PRIO_PGRP, 0, _LEAST))
    timer.daemon = True
    timer.start()


def _write(file: BinaryIO, store: duckdb.DuckDBPyConnection, request: Request) -> None:
    """Execute the query and write its answer. Raises fence.SqlError."""
    registered = tables(request.tables)

    def connect() -> duckdb.DuckDBPyConnection:
        cursor = store.cursor()
        for name, table in registered.items():
            cursor.register(name, table)
        return cursor

    limits: dict[str, Any] = {"parameters": request.parameters, "timeout_s": request.timeout_s}
    limit_s = request.timeout_s + _SLACK_S
    if not request.streams:
        _end_after(limit_s)
        result = fence.read(connect, request.sql, max_rows=request.max_rows or 0, **limits)
        _end_after(0.0)
        _write_answer(file, result, result.batches)
        return
    _end_after(limit_s)
    with fence.stream(connect, request.sql, max_rows=request.max_rows, **limits) as stream:
        _write_answer(file, stream, _each_within(limit_s, stream.batches))


def _write_answer(file: BinaryIO, answer: Answer, batches: Iterable[Any]) -> None:
    """Write the columns, the batches and the last line."""
    _write_line(file, {"columns": [[column.name, column.type] for column in answer.columns]})
    with pa.ipc.new_stream(_Unclosed(file), answer.schema) as sink:
        for batch in batches:
            sink.write_batch(batch)
            file.flush()
    _write_line(file, {"truncated": answer.truncated, "elapsed_ms": answer.elapsed_ms})


def _each_within(limit_s: float, batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches, each of which may take `limit_s` to compute; waiting for the consumer does not count."""
    coming = iter(batches)
    while True:
        _end_after(limit_s)
        batch = next(coming, None)
        _end_after(0.0)
        if batch is None:
            return
        yield batch


def _end_after(limit_s: float) -> None:
    """Make the kernel end this process with SIGALRM after `limit_s`; 0 cancels that."""
    signal.setitimer(signal.ITIMER_REAL, limit_s)


def _write_line(file: Any, content: object) -> None:
    file.write(orjson.dumps(content) + b"\n")


class _Unclosed(io.RawIOBase):
    """A file that Arrow cannot close, since a last line follows its stream."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return self._file.write(content)
