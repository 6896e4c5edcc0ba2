"""How a worker process begins: as a new Python, or as a fork of a process that has no threads yet."""

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
"""What has threads of its own, some of it as soon as it is imported: no process is forked after that."""

_SHARED: Final = (
    "tracegrade.collector.otlp.decode",
    "tracegrade.collector.records.links",
    "tracegrade.collector.records.row_mapping",
    "tracegrade.evaluators.catalog.build",
    "tracegrade.evaluators.checks",
)
"""What takes most of the time in which a worker starts, and whoever starts one needs, too."""


class Process(Protocol):
    """What is asked of a process, in the words of `subprocess.Popen`."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None:
        """The exit status; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit status. Raises subprocess.TimeoutExpired."""

    def kill(self) -> None: ...


class Started(NamedTuple):
    """A worker process, and our end of the pipe to it."""

    process: Process
    pipe: Connection


def spawned() -> Started:
    """A worker in a new Python, which has to import everything."""
    # Not multiprocessing.Process: it would run the main module of whoever embeds us once more.
    ours, theirs = Pipe()
    with theirs:
        command = [sys.executable, "-P", "-m", worker.__name__, str(theirs.fileno())]
        process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=_STDERR,  # what evaluators print is no part of what a command prints
            start_new_session=True,  # so that what evaluators start ends with it
        )
    return Started(process, ours)


def forked() -> Started | None:
    """A worker that has imported what this process has, and the built-in checks; it imports the rest meanwhile.

    None where a fork is not safe: where there are threads, and on systems whose own libraries have some. The worker
    ends with this process, also where nobody takes it.
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
    """In the fork: does what `spawned` has done for it, then serves."""
    ours.close()
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), _STDIN)
    os.dup2(_STDERR, _STDOUT)
    serving: Any = import_module(".serving", worker.__name__)
    with contextlib.suppress(EOFError):  # nobody took it
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
