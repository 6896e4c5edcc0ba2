"""The worker's end of the pipe to the server."""

from __future__ import annotations

import os
import threading
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["RequestFailed", "WorkerPipe"]


class RequestFailed(Exception):
    """The server could not answer a request; the message is its error."""


class WorkerPipe:
    """Receives jobs and answers them. Any thread may `beat` or `request` during a job.

    A process that an evaluator forked has the same pipe; it ends before it can send anything.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._process = os.getpid()
        self._number: int | None = None
        self._lock = threading.Lock()

    def next_job(self) -> tuple[str, Any, Any]:
        """Waits for a job: its verb, tables and further arguments. Raises EOFError when the server closed the pipe."""
        self._number, verb, tables, about = self._pipe.recv()
        return verb, tables, about

    def answer(self, outcome: str, answer: object) -> None:
        """Ends the job with this outcome."""
        with self._lock:
            self._send(outcome, answer)
            self._number = None

    def beat(self) -> None:
        """Tells the server that the job goes on; nothing when there is no job."""
        with self._lock:
            if self._number is not None:
                self._send("busy", "")

    def request(self, verb: str, about: object) -> Any:
        """The server's answer to `verb` with this argument. Blocks. Raises RequestFailed."""
        with self._lock:
            self._send(verb, about)
            failure, answer = self._pipe.recv()
        if failure is not None:
            raise RequestFailed(failure)
        return answer

    def end_if_forked(self) -> None:
        """Ends this process when it is a fork of the worker."""
        if os.getpid() != self._process:
            os._exit(0)

    def _send(self, outcome: str, about: object) -> None:
        self.end_if_forked()
        self._pipe.send((self._number, outcome, about))
