"""The server's end of one worker process, which is started for the first job, and replaced if it dies or hangs."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from itertools import count
from multiprocessing.connection import Connection
from typing import Any, Final

import pyarrow as pa

from .message import receive_message, send_message
from .start import Process, Started, spawned

__all__ = ["WorkbenchClosed", "WorkerDied", "WorkerLost", "WorkerProcess"]

START_S: Final = 60.0
"""The seconds that a worker may take until its first message."""

_EXIT_S: Final = 2.0
"""The seconds that a process whose pipe has ended may take until its exit status is known."""

_CLOSED: Final = "its worker was told to end"
_ENDED: Final = "it ended the worker process"
_UNREADABLE = (
    EOFError,
    OSError,
    pa.ArrowException,
    pickle.UnpicklingError,
    AttributeError,
    ImportError,
    IndexError,
    TypeError,
    ValueError,
)
"""The errors of reading a pipe whose other end is closed, or into which an evaluator has written."""


class WorkerLost(Exception):
    """The worker process died, hung or failed during a job; the message names which."""


class WorkerDied(WorkerLost):
    """The worker process ended in the middle of a job.

    With `is_killed` another process ended it, such as the kernel when memory ran out.
    """

    def __init__(self, message: str = _ENDED, *, is_killed: bool = False) -> None:
        super().__init__(message)
        self.is_killed = is_killed


class WorkbenchClosed(Exception):
    """The worker is being ended: no further job is accepted."""


class WorkerProcess:
    """Runs one job at a time, for any thread.

    `served` holds, by verb, the functions that the worker may call during a job. `begun` is the first worker, if one
    was started before.
    """

    def __init__(
        self,
        schemas: Mapping[str, pa.Schema],
        *,
        memory_bytes: int,
        served: Mapping[str, Callable[[Any], object]] | None = None,
        begun: Started | None = None,
    ) -> None:
        self._schemas = dict(schemas)
        self._memory_bytes = memory_bytes
        self._served = served or {}
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._pipe: Connection | None = None
        self._closed = False
        self._must_renew = False
        if begun is not None:
            self._process, self._pipe = begun
            with contextlib.suppress(WorkerDied):  # the first job notices it, and starts another
                self._introduce(begun.pipe)

    @property
    def pid(self) -> int | None:
        """The process id; None while no process runs."""
        process = self._process  # another thread may replace it
        return process.pid if process is not None else None

    def prepare(self) -> None:
        """Start the process before its first job, which then need not wait for its imports."""
        if self._process is None and self._lock.acquire(blocking=False):  # else a job starts it
            try:
                with contextlib.suppress(WorkerDied, WorkbenchClosed):  # the first job notices it
                    self._started()
            finally:
                self._lock.release()

    def do(self, verb: str, inputs: Mapping[str, pa.Table], about: object, *, silence_s: float) -> dict[str, pa.Table]:
        """Run a job on `inputs` and return the tables that the worker computed, by name.

        Raises WorkerLost, also if the worker sends nothing for `silence_s` seconds (at least START_S until its first
        message, since it may have to import evaluators first); WorkbenchClosed; and any error of a function of
        `served`, if the job failed because of it.
        """
        with self._lock:
            number = next(self._numbers)
            failures: list[Exception] = []
            try:
                pipe = self._started()
                _send(pipe, (number, verb, about), inputs)
                outcome, reason, tables = self._answer(pipe, number, silence_s, failures)
            except WorkerDied as error:
                died = self._death()
                self._discard()
                if self._closed:
                    raise WorkbenchClosed(_CLOSED) from error
                raise died from error
            except BaseException:
                self._discard()  # it may be in the middle of the job, and the next job needs a process that is not
                raise
            if outcome in {"late", "spent"}:
                self._discard()
        if outcome != "done":
            raise failures[0] if failures else WorkerLost(reason)
        return tables

    def renew(self) -> None:
        """Start the next job in a new process, without the state of this one. May be called from any thread."""
        self._must_renew = True

    def close(self) -> None:
        """End the process after its current job, and accept no further one."""
        with self._lock:
            self._closed = True
            self._discard()

    def kill(self) -> None:
        """End the process at once, even during a job, and accept no further one."""
        self._closed = True  # without the lock, which the job holds
        if (process := self._process) is not None:
            _end(process)

    def _answer(
        self, pipe: Connection, number: int, silence_s: float, failures: list[Exception]
    ) -> tuple[str, str, dict[str, pa.Table]]:
        """Return the worker's outcome, its reason, and its tables; `late` if it sent nothing for too long.

        Errors of `served` are added to `failures`.
        """
        patience_s = max(silence_s, START_S)
        while pipe.poll(patience_s):
            outcome, answer, tables = _received(pipe, number)
            patience_s = silence_s
            if outcome in self._served:
                _send(pipe, _result(self._served[outcome], answer, failures))
            elif outcome != "busy":
                return outcome, str(answer), tables
        return "late", f"no answer within {patience_s:g} s", {}

    def _started(self) -> Connection:
        if self._closed:
            raise WorkbenchClosed(_CLOSED)
        if self._must_renew:
            self._must_renew = False  # before the process ends, so that a later renew() counts for the next job
            self._discard()
        if self._process is not None and self._process.poll() is not None:
            self._discard()  # it ended between two jobs, so no record is the cause
        return self._pipe or self._start()

    def _start(self) -> Connection:
        self._process, pipe = spawned()
        self._pipe = pipe
        if self._closed:
            raise WorkbenchClosed(_CLOSED)  # kill() may have come before there was a process to kill
        self._introduce(pipe)
        return pipe

    def _introduce(self, pipe: Connection) -> None:
        """Send a new worker the schemas and its memory limit, before its first job."""
        schemas = {name: schema.serialize().to_pybytes() for name, schema in self._schemas.items()}
        _send(pipe, (schemas, self._memory_bytes))

    def _death(self) -> WorkerDied:
        """Describe how the process ended; if it still runs, it has corrupted its pipe."""
        process = self._process
        try:
            code = process.wait(_EXIT_S) if process is not None else None
        except subprocess.TimeoutExpired:
            code = None
        if code is None:
            return WorkerDied()
        if code >= 0:
            return WorkerDied(f"{_ENDED} (exit status {code})")
        name = _signal_name(-code)
        if -code in {signal.SIGKILL, signal.SIGTERM}:
            return WorkerDied(f"the worker process was killed ({name}), perhaps because memory ran out", is_killed=True)
        return WorkerDied(f"{_ENDED} ({name})")

    def _discard(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            _end(self._process)
            self._process.wait()
        self._pipe = self._process = None


def _send(pipe: Connection, head: object, tables: Mapping[str, pa.Table] | None = None) -> None:
    """Send a message. Raises WorkerDied if the other end of the pipe is closed.

    A message that cannot be pickled is an error in this program, not in a record: the error is raised unchanged.
    """
    try:
        send_message(pipe, head, tables or {})
    except OSError as error:
        raise WorkerDied from error


def _received(pipe: Connection, number: int) -> tuple[str, Any, dict[str, pa.Table]]:
    """Return the next message of job `number`: outcome or verb, its content, and its tables. Raises WorkerDied."""
    try:
        (of, outcome, answer), tables = receive_message(pipe)
    except _UNREADABLE as error:
        raise WorkerDied from error
    if of != number or not isinstance(outcome, str):
        raise WorkerDied
    return outcome, answer, tables


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _result(serve: Callable[[Any], object], asked: object, failures: list[Exception]) -> tuple[str | None, object]:
    """Return the error as text, or None, and the result of `serve`."""
    try:
        return None, serve(asked)
    except Exception as error:  # noqa: BLE001 - for any error, the worker has to end its job first
        failures.append(error)
        return f"{type(error).__name__}: {error}", None


def _end(process: Process) -> None:
    """Kill the process and all processes in its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
