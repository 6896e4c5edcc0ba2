"""Connections that begin and do not go on."""

from __future__ import annotations

import random
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from threading import Event
from typing import Final

__all__ = ["half_open"]

_BEGUN: Final = (
    b"",
    b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\nx-",
    b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{",
    b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n{",
    b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
)
_PAUSE_S: Final = 0.01
_PATIENCE_S: Final = 2.0


def half_open(
    addresses: Sequence[tuple[str, int]], most: int, chance: random.Random, seen: Counter[str], stopped: Event
) -> None:
    """Holds up to `most` connections until it is stopped, each as far as one of these beginnings; where the other side
    closes one, opens another."""
    held: list[socket.socket] = []
    with ExitStack() as stack:
        stack.callback(lambda: _close(held))
        while not stopped.wait(_PAUSE_S):
            if len(held) >= most:
                held = _open_ones(held)
                seen["half-open: closed by the server"] += most - len(held)
                stopped.wait(1.0)
                continue
            try:
                connection = socket.create_connection(chance.choice(addresses), timeout=_PATIENCE_S)
            except OSError:
                seen["half-open: not taken"] += 1
                continue
            held.append(connection)
            seen["half-open: opened"] += 1
            with suppress(OSError):
                connection.sendall(chance.choice(_BEGUN))


def _close(held: Sequence[socket.socket]) -> None:
    for connection in held:
        connection.close()


def _open_ones(held: Sequence[socket.socket]) -> list[socket.socket]:
    """Those that the other side has not closed; what it sent is read and forgotten."""
    still: list[socket.socket] = []
    for connection in held:
        connection.setblocking(False)  # noqa: FBT003 - as the socket has it
        try:
            is_open = bool(connection.recv(65_536))
        except BlockingIOError:
            is_open = True
        except OSError:
            is_open = False
        if is_open:
            still.append(connection)
        else:
            connection.close()
    return still
