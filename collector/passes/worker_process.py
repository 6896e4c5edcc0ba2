"""The server's side of one worker process: started when the first job comes, replaced when it is lost."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Final

import pyarrow as pa

from .. import worker
from ..batch import streams, tables

__all__ = ["WorkbenchClosed", "WorkerLost", "WorkerProcess"]

START_S: Final = 60.0
"""How long a worker may take until it is at work."""

_STDERR: Final = 2
_SURPRISING = (EOFError, OSError, pickle.UnpicklingError, AttributeError, ImportError, ValueError, TypeError)
"""What reading a pipe raises whose other end is gone, or into which somebody else has written."""


class WorkerLost(Exception):
    """The worker died, hung or failed over a job; the message says which."""


class WorkbenchClosed(Exception):
    """No further job is taken."""


class WorkerProcess:
    """Does one job at a time, for any thread. `served` is what the worker may ask for in the middle of one."""

    def __init__(
        self,
        schemas: Mapping[str, pa.Schema],
        *,
        memory_bytes: int,
        served: Mapping[str, Callable[[Any], object]] | None = None,
    ) -> None:
        self._schemas = dict(schemas)
        self._memory_bytes = memory_bytes
        self._served = served or {}
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._closed = False
        self._is_spent = False

    @property
    def pid(self) -> int | None:
        """Of the process; None while there is none."""
        return self._process.pid if self._process is not None else None

    def do(self, verb: str, inputs: Mapping[str, pa.Table], about: object, *, silence_s: float) -> dict[str, pa.Table]:
        """What the worker makes of `inputs`. Raises WorkerLost, also when nothing was heard of it for `silence_s`.

        Until it is first heard of that is START_S at least: it may have to import what evaluators need. Raises what
        `served` raised where the job failed of that.
        """
        with self._lock:
            pipe = self._started()
            number = next(self._numbers)
            failures: list[Exception] = []
            try:
                pipe.send((number, verb, streams(inputs), about))
                outcome, answer = self._answer(pipe, number, silence_s, failures)
            except _SURPRISING as error:
                self._discard()
                if self._closed:
                    raise WorkbenchClosed("the server is shutting down") from error
                raise WorkerLost("it ended the worker process") from error
            if outcome in {"late", "spent"}:
                self._discard()
        if outcome != "done":
            raise failures[0] if failures else WorkerLost(str(answer))
        return tables(answer)

    def renew(self) -> None:
        """Lets the next job begin in a new process, which remembers nothing."""
        self._is_spent = True

    def close(self) -> None:
        """Ends the process once its job is done."""
        with self._lock:
            self._closed = True
            self._discard()

    def kill(self) -> None:
        """Ends it now, in the middle of a job."""
        self._closed = True
        if (process := self._process) is not None:
            _end(process)

    def _answer(self, pipe: Connection, number: int, silence_s: float, failures: list[Exception]) -> tuple[str, Any]:
        """The worker's answer; `late` when nothing was heard of it for so long. What serving it raises joins
        `failures`."""
        patience_s = max(silence_s, START_S)
        while pipe.poll(patience_s):
            of, outcome, answer = pipe.recv()
            patience_s = silence_s
            if of != number:
                raise ValueError("an answer to another job")
            if outcome in self._served:
                pipe.send(_said(self._served[outcome], answer, failures))
            elif outcome != "busy":
                return outcome, answer
        return "late", f"no answer within {patience_s:g} s"

    def _started(self) -> Connection:
        if self._closed:
            raise WorkbenchClosed("the server is shutting down")
        if self._process is not None and (self._is_spent or self._process.poll() is not None):
            self._discard()  # between two jobs, which no record is to blame for
        self._is_spent = False
        if self._pipe is None:
            # Not multiprocessing.Process: it would run the main module of whoever embeds us once more.
            self._pipe, there = Pipe()
            with there:
                command = [sys.executable, "-P", "-m", worker.__name__, str(there.fileno())]
                self._process = subprocess.Popen(  # noqa: S603 - our own module
                    command,
                    pass_fds=[there.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=_STDERR,  # what evaluators print is no part of what a command prints
                    start_new_session=True,  # so that what evaluators start ends with it
                )
            schemas = {name: schema.serialize().to_pybytes() for name, schema in self._schemas.items()}
            self._pipe.send((schemas, self._memory_bytes))
        return self._pipe

    def _discard(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            _end(self._process)
            self._process.wait()
        self._pipe = self._process = None


def _said(serve: Callable[[Any], object], asked: object, failures: list[Exception]) -> tuple[str | None, object]:
    """What went wrong, or else what there is to say."""
    try:
        return None, serve(asked)
    except Exception as error:  # noqa: BLE001 - whatever it is, the worker has to end its job first
        failures.append(error)
        return f"{type(error).__name__}: {error}", None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and what it has started, as far as that has not left its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
