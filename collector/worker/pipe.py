"""The worker's end of the pipe to the server."""

from __future__ import annotations

import os
import threading
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["RequestFailed", "WorkerPipe"]


class RequestFailed(Exception):
    """The server could not do what was asked of it, and knows why."""


class WorkerPipe:
    """Takes jobs and answers them. Any thread may `beat` or `request` in the middle of one.

    A process that an evaluator has forked holds the same pipe and comes back here: it ends before it says anything.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._process = os.getpid()
        self._number: int | None = None
        self._lock = threading.Lock()

    def next_job(self) -> tuple[str, Any, Any]:
        """Its verb, tables and what else is to be known. Raises EOFError when there will be none."""
        self._number, verb, tables, about = self._pipe.recv()
        return verb, tables, about

    def answer(self, outcome: str, answer: object) -> None:
        """The end of the job."""
        with self._lock:
            self._send(outcome, answer)
            self._number = None

    def beat(self) -> None:
        """The answer is still to come; nothing, where it has just been given."""
        with self._lock:
            if self._number is not None:
                self._send("busy", "")

    def request(self, verb: str, about: object) -> Any:
        """What the server says to `about`. Blocks. Raises RequestFailed."""
        with self._lock:
            self._send(verb, about)
            failure, told = self._pipe.recv()
        if failure is not None:
            raise RequestFailed(failure)
        return told

    def end_if_forked(self) -> None:
        """Does not come back in a process that is not the worker."""
        if os.getpid() != self._process:
            os._exit(0)

    def _send(self, outcome: str, about: object) -> None:
        self.end_if_forked()
        self._pipe.send((self._number, outcome, about))
