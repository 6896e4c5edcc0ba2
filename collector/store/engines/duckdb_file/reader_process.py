"""The server's end of the reader processes, which execute queries, and of the process that forks them."""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import threading
from typing import Any, Final

import orjson

from . import reader
from .reader.forking import FORK, PID, REAP
from .reader.request import Request

__all__ = ["Forking", "ReaderProcess"]

_POLL_MS: Final = 50


class Forking:
    """The process that forks reader processes, one per query. For any thread.

    It is started by the first query, and again by the next query after it has ended.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def reader(self, cancelled: threading.Event) -> ReaderProcess:
        """Fork a reader process, which then waits for its request. Raises OSError if the system cannot start one."""
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                pid = self._fork(theirs)
        except BaseException:
            ours.close()
            raise
        return ReaderProcess(self, ours, pid, cancelled)

    def reap(self, pid: int) -> int:
        """Wait briefly for the end of a reader process, then kill it. Returns its status, as waitpid(2) gives it."""
        with self._lock:
            try:
                return self._ask(REAP + PID.pack(pid))
            except OSError:  # the forking process has ended, and with it all readers
                return 0

    def close(self) -> None:
        """End the process and all reader processes."""
        with self._lock:
            self._end()

    def _fork(self, theirs: socket.socket) -> int:
        """Fork a reader with the socket, and return its PID; start the forking process first if it is not running."""
        try:
            return self._ask(FORK, theirs)
        except OSError:  # it is not started yet, or has ended
            self._end()
            self._begin()
            return self._ask(FORK, theirs)

    def _ask(self, request: bytes, *passed: socket.socket) -> int:
        """Send a request, with descriptors, and return the number in the answer. Raises OSError."""
        if self._socket is None:
            raise ConnectionError("the process that forks readers has ended")
        socket.send_fds(self._socket, [request], [end.fileno() for end in passed])
        answer = self._socket.recv(PID.size, socket.MSG_WAITALL)
        if len(answer) < PID.size:
            raise ConnectionError("the process that readers are forked from has ended")
        number: int = PID.unpack(answer)[0]
        return number

    def _begin(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-P", "-m", reader.__name__, str(theirs.fileno())]
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=2, start_new_session=True
            )
        self._socket = ours

    def _end(self) -> None:
        if self._socket is not None:
            self._socket.close()  # the process ends by that
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._socket = self._process = None


class ReaderProcess:
    """A process that executes one query.

    `file` is its output; reading it raises OSError once the event `cancelled` is set.
    """

    def __init__(self, forking: Forking, ours: socket.socket, pid: int, cancelled: threading.Event) -> None:
        self._forking = forking
        self._socket = ours
        self._pid = pid
        self._lock = threading.Lock()
        self._status: int | None = None
        self.cancelled = cancelled
        self.is_stopped = False
        self.file = io.BufferedReader(_Incoming(ours, cancelled))

    def ask(self, request: Request) -> None:
        """Send the request. Raises OSError if the process has ended."""
        self._socket.sendall(pickle.dumps(request))

    def line(self) -> Any:
        """Read a line of JSON and decode it. Raises EOFError if the process has ended before its end."""
        line = self.file.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return orjson.loads(line)

    def stop(self) -> None:
        """Kill the process for a reason other than its query. For any thread."""
        self.is_stopped = True
        with self._lock:
            if self._status is None:  # its PID is not reused before it is reaped
                os.kill(self._pid, signal.SIGKILL)

    def end(self, *, is_over: bool = False) -> int:
        """Wait for the end of the process and return its status. It is killed unless it `is_over`, that is, ending."""
        with self._lock:
            if self._status is None:
                if not is_over:
                    os.kill(self._pid, signal.SIGKILL)
                self._status = self._forking.reap(self._pid)
                self._socket.close()
            return self._status


class _Incoming(io.RawIOBase):
    """The readable end of a socket, which raises InterruptedError once `cancelled` is set."""

    def __init__(self, ours: socket.socket, cancelled: threading.Event) -> None:
        self._socket = ours
        self._cancelled = cancelled
        self._poll = select.poll()
        self._poll.register(ours, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._cancelled.is_set():
            if self._poll.poll(_POLL_MS):
                return self._socket.recv_into(buffer)
        raise InterruptedError("the query was cancelled")
