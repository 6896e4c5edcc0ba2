"""The server's side of the processes that answer queries, and of the one that they are forked from."""

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
    """Forks readers, one for each query. It begins with the first, and again after it has ended. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def reader(self, cancelled: threading.Event) -> ReaderProcess:
        """A new one, that waits for its request. Raises OSError where the system has no room for it."""
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                pid = self._fork(theirs)
        except BaseException:
            ours.close()
            raise
        return ReaderProcess(self, ours, pid, cancelled)

    def reap(self, pid: int) -> int:
        """The status with which the reader has ended, as waitpid(2) gives it; it is killed if it has not."""
        with self._lock:
            try:
                return self._ask(REAP + PID.pack(pid))
            except OSError:  # it took all readers with it
                return 0

    def close(self) -> None:
        """Ends it with all readers. The next query begins another."""
        with self._lock:
            self._end()

    def _fork(self, theirs: socket.socket) -> int:
        try:
            return self._ask(FORK, theirs)
        except OSError:  # it was not there yet, or is no more
            self._end()
            self._begin()
            return self._ask(FORK, theirs)

    def _ask(self, request: bytes, *passed: socket.socket) -> int:
        if self._socket is None:
            raise ConnectionError("nobody forks readers")
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
            self._socket.close()  # which ends it
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._socket = self._process = None


class ReaderProcess:
    """A process that answers one query. Its `file` is what it writes; reading that raises OSError once the query is
    `cancelled`."""

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
        self._socket.sendall(pickle.dumps(request))

    def line(self) -> Any:
        """The next line, which is JSON. Raises EOFError where the process ended before."""
        line = self.file.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return orjson.loads(line)

    def stop(self) -> None:
        """Ends the process for reasons that are not the query's. For any thread."""
        self.is_stopped = True
        with self._lock:
            if self._status is None:  # until it is reaped nobody else gets its PID
                os.kill(self._pid, signal.SIGKILL)

    def end(self, *, is_over: bool = False) -> int:
        """The status with which the process ended. One of which it is not known that it `is_over` is killed."""
        with self._lock:
            if self._status is None:
                if not is_over:
                    os.kill(self._pid, signal.SIGKILL)
                self._status = self._forking.reap(self._pid)
                self._socket.close()
            return self._status


class _Incoming(io.RawIOBase):
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
        raise InterruptedError("nobody waits for the answer any more")
