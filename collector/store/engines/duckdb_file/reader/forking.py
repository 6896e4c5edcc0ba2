"""The process that readers are forked from. It has imported what they need, opens nothing, and asks nothing.

DuckDB and Arrow have a thread each as soon as they are imported, both idle: their allocators and schedulers are made
anew in a fork.
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
"""With the descriptor of a socket for the new process; answered with its PID."""

REAP: Final = b"r"
"""With a PID, which nobody else can get before; answered with the status that waitpid(2) gives."""

PID: Final = struct.Struct("=q")
_NICENESS: Final = 10
_END_S: Final = 0.5
_POLL_S: Final = 0.001


def serve(server: socket.socket) -> None:
    """Does what the server says, until it is gone. All readers are gone then, too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    os.nice(_NICENESS)
    os.umask(0o077)  # what a query spills is for nobody else
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
    def __init__(self) -> None:
        self._pids: set[int] = set()

    def begin(self, descriptor: int, server: socket.socket) -> int:
        if (pid := os.fork()) == 0:
            with contextlib.suppress(BaseException):
                server.close()
                answer(socket.socket(fileno=descriptor))
            os._exit(0)
        os.close(descriptor)
        self._pids.add(pid)
        return pid

    def reap(self, pid: int) -> int:
        """The status of one that has closed its socket, or was killed; if it does not end, it is killed."""
        give_up_at = time.monotonic() + _END_S
        while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0:
            if time.monotonic() >= give_up_at:
                os.kill(pid, signal.SIGKILL)
            time.sleep(_POLL_S)
        self._pids.discard(pid)
        return ended[1]

    def kill(self) -> None:
        for pid in self._pids:
            os.kill(pid, signal.SIGKILL)
