"""Starts worker processes: as a new Python, or as a fork of a process that has no threads yet."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import subprocess
import sys
import threading
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from .. import worker

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

__all__ = ["Process", "Started", "forked", "spawned"]

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_WITH_THREADS: Final = ("duckdb", "grpc", "pyarrow")
"""Modules that start threads, some when they are imported: no process is forked after that."""

_SHARED: Final = (
    "tracegrade.collector.otlp.decode",
    "tracegrade.collector.records.links",
    "tracegrade.collector.records.row_mapping",
    "tracegrade.evaluators.catalog.build",
    "tracegrade.evaluators.checks",
)
"""Modules that take most of the start of a worker, and that a process which starts one needs too."""


class Process(Protocol):
    """The methods that are used of a process, named as in `subprocess.Popen`."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None:
        """Return the exit status; None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit status. Raises subprocess.TimeoutExpired."""

    def kill(self) -> None: ...


class Started(NamedTuple):
    """A worker process, and the server's end of the pipe to it."""

    process: Process
    pipe: Connection


def spawned() -> Started:
    """Start a worker in a new Python, which has to import everything."""
    # Not multiprocessing.Process, which would run the main module of an embedding program again.
    ours, theirs = Pipe()
    with theirs:
        command = [sys.executable, "-P", "-m", worker.__name__, str(theirs.fileno())]
        process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=_STDERR,  # output of evaluators must not mix with that of a command
            start_new_session=True,  # so that processes that evaluators start end with it
        )
    return Started(process, ours)


def forked() -> Started | None:
    """Fork a worker that has imported the same modules as this process, and the built-in checks.

    None if a fork is not safe: if there are threads, and on systems whose own libraries have some. The worker imports
    its other modules at once, and ends with this process, even if it was never used.
    """
    has_threads = threading.active_count() > 1 or any(name in sys.modules for name in _WITH_THREADS)
    if has_threads or sys.platform != "linux":
        return None
    for module in _SHARED:
        import_module(module)
    ours, theirs = Pipe()
    process = multiprocessing.get_context("fork").Process(target=_serve, args=(ours, theirs), daemon=True)
    process.start()
    theirs.close()
    return Started(_Fork(process), ours)


def _serve(ours: Connection, theirs: Connection) -> None:
    """Serve in the fork, after the set-up that `spawned` does by arguments."""
    ours.close()
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), _STDIN)
    os.dup2(_STDERR, _STDOUT)
    serving: Any = import_module(".serving", worker.__name__)
    with contextlib.suppress(EOFError):  # the worker was never used
        serving.serve(theirs)


class _Fork:
    """A `Process` that multiprocessing has forked."""

    def __init__(self, process: ForkProcess) -> None:
        self._process = process
        self.pid: int = process.pid or 0

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired("the worker", timeout or 0.0)
        return code

    def kill(self) -> None:
        self._process.kill()
