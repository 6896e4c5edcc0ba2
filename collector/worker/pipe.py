"""The worker's end of the pipe to the server."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import Any

import pyarrow as pa

from .message import receive_message, send_message

__all__ = ["RequestFailed", "WorkerPipe"]


class RequestFailed(Exception):
    """The server could not answer a request, or was not asked; the message is the reason."""


class WorkerPipe:
    """Receives jobs and answers them. Any thread may call `beat` or `request` during a job.

    A process that an evaluator forked has the same pipe; it is ended before it can send anything.
    """

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._process = os.getpid()
        self._number: int | None = None
        self._lock = threading.Lock()

    def next_job(self) -> tuple[str, dict[str, pa.Table], Any]:
        """Wait for a job and return its verb, tables and further arguments.

        Raises EOFError if the server closed the pipe.
        """
        (self._number, verb, about), tables = receive_message(self._pipe)
        return verb, tables, about

    def answer(self, outcome: str, answer: Mapping[str, pa.Table] | str) -> None:
        """End the job with this outcome, and with tables or the reason why there are none."""
        with self._lock:
            self.end_if_forked()
            reason, tables = (answer, {}) if isinstance(answer, str) else ("", answer)
            send_message(self._pipe, (self._number, outcome, reason), tables)
            self._number = None

    def beat(self) -> None:
        """Send the server a message that the job continues; do nothing if there is no job."""
        with self._lock:
            if self._number is not None:
                self._send("busy", "")

    def request(self, verb: str, about: object) -> Any:
        """Send the server a request and return its answer. Blocks. Raises RequestFailed, also if the job has ended."""
        with self._lock:
            if self._number is None:  # a thread may be late; the server expects nothing between two jobs
                raise RequestFailed("the job has ended")
            self._send(verb, about)
            (failure, answer), _ = receive_message(self._pipe)
        if failure is not None:
            raise RequestFailed(failure)
        return answer

    def end_if_forked(self) -> None:
        """End this process if it is a fork of the worker."""
        if os.getpid() != self._process:
            os._exit(0)

    def _send(self, outcome: str, about: object) -> None:
        self.end_if_forked()
        send_message(self._pipe, (self._number, outcome, about))
