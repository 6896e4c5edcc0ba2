"""Executes each query of a user in its own process, which can be ended whatever the query does.

Limits within a process are not enough: DuckDB cannot be interrupted while it plans or within one function call, and its
memory limit does not count what such a call allocates.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from tracegrade.queries import fence
from tracegrade.queries.fence import Parameters, SqlFailed, SqlRefused, SqlTimedOut
from tracegrade.queries.ports import Unavailable
from tracegrade.queries.result import Column, Result, Stream

from ....records.arrow_batch import streams
from ..readers import NO_TABLES
from .disk_space import measure_free_space
from .file_lock import FileLock, Held
from .reader.request import Request
from .reader_process import Forking, ReaderProcess

__all__ = ["Isolated"]

_MOST_DISK_BYTES: Final = 4 * 2**30
_DISK_SHARE: Final = 8
_ERRORS: Final = {kind.kind: kind for kind in (SqlRefused, SqlFailed, SqlTimedOut)}
_SCRATCH: Final = ".query-"


class Isolated:
    """Implements `readers.Readers` for the store at `path`, which this process has locked.

    DuckDB may use `memory_bytes` for each query.
    """

    def __init__(self, path: Path, *, memory_bytes: int, lock: FileLock, wait_until_open: Callable[[], object]) -> None:
        self._path = path
        self._memory_bytes = memory_bytes
        self._file = lock
        self._wait_until_open = wait_until_open
        self._forking = Forking()
        self._running: set[ReaderProcess] = set()
        self._lock = threading.Lock()
        for left_behind in path.parent.glob(f"{path.name}{_SCRATCH}*"):
            shutil.rmtree(left_behind, ignore_errors=True)

    def read(
        self,
        sql: str,
        *,
        parameters: Parameters | None = None,
        timeout_s: float,
        max_rows: int,
        cancelled: threading.Event | None = None,
        tables: Mapping[str, pa.Table] = NO_TABLES,
    ) -> Result:
        began = time.perf_counter()
        request = self._request(sql, parameters, timeout_s, max_rows, tables=tables)
        with self._answering(request, cancelled) as answer:
            table = pa.Table.from_batches(answer.batches, answer.schema)
        elapsed_ms = (time.perf_counter() - began) * 1000
        return Result(columns=answer.columns, table=table, truncated=answer.is_truncated, elapsed_ms=elapsed_ms)

    @contextmanager
    def stream(
        self,
        sql: str,
        *,
        parameters: Parameters | None = None,
        timeout_s: float,
        max_rows: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> Iterator[Stream]:
        began = time.perf_counter()
        request = self._request(sql, parameters, timeout_s, max_rows, streams_rows=True)
        with self._answering(request, cancelled) as answer:
            yield Stream(answer.columns, answer.schema, answer.batches, max_rows=max_rows, began=began)

    def stop(self) -> None:
        with self._lock:
            running = list(self._running)
        for process in running:
            process.stop()

    def hold(self) -> None:
        self._file.hold()

    def let_in(self) -> None:
        self._file.let_in()

    @property
    def are_held(self) -> bool:
        return self._file.is_held

    @property
    def have_read(self) -> bool:
        return self._file.has_been_read

    def close(self) -> None:
        self.stop()
        self._forking.close()

    def _request(
        self,
        sql: str,
        parameters: Parameters | None,
        timeout_s: float,
        max_rows: int | None,
        *,
        streams_rows: bool = False,
        tables: Mapping[str, pa.Table] = NO_TABLES,
    ) -> Request:
        return Request(
            path=str(self._path),
            sql=sql,
            parameters=parameters,
            timeout_s=timeout_s,
            max_rows=max_rows,
            streams=streams_rows,
            memory_bytes=self._memory_bytes,
            disk_bytes=min(_MOST_DISK_BYTES, measure_free_space(self._path) // _DISK_SHARE),
            scratch=f"{self._path}{_SCRATCH}{uuid.uuid4().hex}",
            tables=streams(tables),
        )

    @contextmanager
    def _answering(self, request: Request, cancelled: threading.Event | None) -> Iterator[_Answer]:
        """Yield the answer to a request once the columns have arrived. Its process is ended when the context is left.

        If the process is stopped before, since the server needs the file alone, another one begins after that.
        """
        try:
            answer, held = self._begin(request, cancelled)
        except _Stopped:
            answer, held = self._begin(request, cancelled)
        with held:
            yield answer

    def _begin(self, request: Request, cancelled: threading.Event | None) -> tuple[_Answer, ExitStack]:
        """Start a process for a request, and wait for the columns. The context ends the process."""
        with ExitStack() as held:
            held.callback(shutil.rmtree, request.scratch, ignore_errors=True)
            self._wait_until_open()
            held.enter_context(self._reading())
            process = self._start_process(cancelled or threading.Event())
            held.callback(self._end_process, process)
            answer = _Answer(process, request)
            with self._file.shared():
                answer.begin()
            answer.wait()
            return answer, held.pop_all()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Register a reader within the context. Raises Unavailable if readers are held for too long."""
        try:
            with self._file.reading():
                yield
        except Held as held:
            raise Unavailable("the server needs the file of the store alone; try again") from held

    def _start_process(self, cancelled: threading.Event) -> ReaderProcess:
        """Start a process that `stop` can end. Raises Unavailable if the system cannot start one."""
        try:
            process = self._forking.reader(cancelled)
        except OSError as error:
            raise Unavailable(f"no process can be started that answers the query: {error}") from error
        with self._lock:
            self._running.add(process)
        return process

    def _end_process(self, process: ReaderProcess) -> None:
        with self._lock:
            self._running.discard(process)
        process.end()


class _Stopped(Unavailable):
    """The process of a query was stopped, since the server needs the file of the store alone."""


class _Answer:
    """The answer of a reader process, read as it arrives. `is_truncated` is valid once `batches` are exhausted.

    All reading raises fence.SqlError and Unavailable.
    """

    def __init__(self, process: ReaderProcess, request: Request) -> None:
        self._process = process
        self._request = request
        self.columns: tuple[Column, ...] = ()
        self.schema: pa.Schema = pa.schema([])
        self.is_truncated = False
        self._coming: Any = None

    def begin(self) -> None:
        """Send the request, and wait until the process has opened the file."""
        with self._explain_end():
            self._process.ask(self._request)
            self._read_line()

    def wait(self) -> None:
        """Wait for the columns of the result."""
        with self._explain_end():
            self.columns = tuple(Column(*each) for each in self._read_line()["columns"])
            self._coming = pa.ipc.open_stream(pa.PythonFile(self._process.file, mode="r"))
            self.schema = self._coming.schema

    @property
    def batches(self) -> Iterator[Any]:
        """The Arrow batches of the result. Can be read once."""
        while True:
            with self._explain_end():
                try:
                    batch = self._coming.read_next_batch()
                except StopIteration:
                    self.is_truncated = bool(self._read_line()["truncated"])
                    return
            yield batch

    def _read_line(self) -> Mapping[str, Any]:
        """Read a line of JSON. Raises the error that it holds."""
        line: Mapping[str, Any] = self._process.line()
        if "error" in line:
            kind, message = line["error"]["kind"], line["error"]["message"]
            if kind is None:
                raise Unavailable(f"the store cannot be read now: {message}")
            raise _ERRORS[kind](message, **line["error"]["limits"])
        return line

    @contextmanager
    def _explain_end(self) -> Iterator[None]:
        """Replace errors of reading by the reason why the process has ended."""
        try:
            yield
        except (EOFError, OSError, pa.ArrowException) as error:
            raise self._describe_end() from error

    def _describe_end(self) -> Exception:
        """Return the error to raise for a process that ended without an answer, or whose query was cancelled."""
        if self._process.cancelled.is_set():
            return fence.timed_out(self._request.timeout_s)
        status = self._process.end(is_over=True)
        if self._process.is_stopped:
            return _Stopped(
                "the query was interrupted, as the server needed the file of the store for itself; try again"
            )
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
            return fence.timed_out(self._request.timeout_s)
        return SqlFailed(
            f"its process has ended: it needs more than {self._request.memory_bytes >> 20} MiB, or breaks DuckDB. "
            "Narrow the query, or raise query_memory.",
            limit=self._request.memory_bytes,
            setting="query_memory",
        )
