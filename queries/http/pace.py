"""Long answers and slow clients: a client that reads too slowly is cut off, so that nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from starlette.types import Scope, Send

from .refusal import REASON

__all__ = ["PATIENCE_S", "SLOW_READER", "ReadTooSlowly", "Sending", "Turns"]

SLOW_READER: Final = "slow_reader"
"""The reason, in the metrics, of an answer that was cut off."""

PATIENCE_S: Final = 60.0
"""How long a client may take nothing, and how far it may fall behind the least rate."""

_LEAST_RATE: Final = 64 * 2**10
"""The bytes per second that a client has to read on average."""

_LEAST_RATE_BEFORE_OTHERS: Final = 2**20
"""The same while others wait for the end of the answer."""

_LONGEST_S: Final = 4 * 3600.0
_PIECE_BYTES: Final = 256 * 2**10


class ReadTooSlowly(Exception):
    """The client reads the answer more slowly than it has to."""


class Sending:
    """An answer that is being sent, in pieces. Only the time counts in which the client does not read."""

    def __init__(self, scope: Scope, send: Send, *, others_wait: Callable[[], bool] = lambda: False) -> None:
        self._state: dict[str, Any] = scope.setdefault("state", {})
        self._send = send
        self._others_wait = others_wait
        self._clock = asyncio.get_running_loop().time
        self._end_at = self._clock() + _LONGEST_S
        self._waited_s = 0.0
        self._sent_bytes = 0

    async def send(self, part: bytes) -> None:
        """Send a part of the answer. Raises ReadTooSlowly: the answer has to be cut off then."""
        for begin in range(0, len(part), _PIECE_BYTES):
            began = self._clock()
            try:
                async with asyncio.timeout_at(began + self._allowed_s(began)):
                    piece = part[begin : begin + _PIECE_BYTES]
                    await self._send({"type": "http.response.body", "body": piece, "more_body": True})
            except TimeoutError as error:
                self._state[REASON] = SLOW_READER
                raise ReadTooSlowly from error
            self._waited_s += self._clock() - began
            self._sent_bytes += len(piece)

    def _allowed_s(self, now: float) -> float:
        """Return for how long the client may not take the next piece."""
        rate = _LEAST_RATE_BEFORE_OTHERS if self._others_wait() else _LEAST_RATE
        in_arrears_s = self._waited_s - self._sent_bytes / rate
        return min(PATIENCE_S, PATIENCE_S - in_arrears_s, self._end_at - now)


class Turns:
    """Lets at most `most` answers go on at a time, first come, first served. For one event loop."""

    def __init__(self, most: int) -> None:
        self._free = asyncio.Semaphore(most)
        self._waiting = 0

    async def take(self) -> None:
        """Wait for a turn, which is the caller's until `give_back`."""
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1

    def give_back(self) -> None:
        """End a turn."""
        self._free.release()

    def others_wait(self) -> bool:
        """Return whether somebody waits for a turn. For any thread."""
        return self._waiting > 0
