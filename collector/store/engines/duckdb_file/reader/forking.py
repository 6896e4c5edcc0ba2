"""The process that forks the readers. It has imported all that they need, and uses neither DuckDB nor Arrow itself.

DuckDB and Arrow start one thread each when they are imported. Both are idle, and a fork gets new allocators and
schedulers, so forking is safe.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import time
from typing import Final

from .answering import answer

__all__ = ["FORK", "PID", "REAP", "serve"]

FORK: Final = b"f"
"""The request to fork, sent with the descriptor of a socket for the new process. The answer is its PID."""

REAP: Final = b"r"
"""The request to reap, followed by a PID, which is not reused before. The answer is the status from waitpid(2)."""

PID: Final = struct.Struct("=q")
_NICENESS: Final = 10
_END_S: Final = 0.5
_POLL_S: Final = 0.001


def serve(server: socket.socket) -> None:
    """Execute requests of the server until it closes the socket; then kill all readers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the server
    os.nice(_NICENESS)
    os.umask(0o077)  # temporary files of a query are private
    forks = _Forks()
    while True:
        said, descriptors, _, _ = socket.recv_fds(server, 1 + PID.size, 1)
        if said == FORK:
            server.sendall(PID.pack(forks.begin(descriptors[0], server)))
        elif said.startswith(REAP):
            (pid,) = PID.unpack(said[1:])
            server.sendall(PID.pack(forks.reap(pid)))
        else:
            return forks.kill()


class _Forks:
    """The readers that have not been reaped."""

    def __init__(self) -> None:
        self._pids: set[int] = set()

    def begin(self, descriptor: int, server: socket.socket) -> int:
        """Fork a reader that answers on the socket `descriptor`. Returns its PID."""
        if (pid := os.fork()) == 0:
            with contextlib.suppress(BaseException):
                server.close()
                answer(socket.socket(fileno=descriptor))
            os._exit(0)
        os.close(descriptor)
        self._pids.add(pid)
        return pid

    def reap(self, pid: int) -> int:
        """Wait half a second for the end of a reader, then kill it. Returns its status."""
        give_up_at = time.monotonic() + _END_S
        while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0:
            if time.monotonic() >= give_up_at:
                os.kill(pid, signal.SIGKILL)
            time.sleep(_POLL_S)
        self._pids.discard(pid)
        return ended[1]

    def kill(self) -> None:
        """Kill all readers."""
        for pid in self._pids:
            os.kill(pid, signal.SIGKILL)
