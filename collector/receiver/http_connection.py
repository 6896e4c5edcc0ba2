"""HTTP/1.1 on connections that are closed if the client stalls.

uvicorn waits without limit for headers, and for clients that do not read an answer. The time limit of bodies is in
`body`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tracegrade.queries.http.problem import GUARDING_HEADERS, Problem

__all__ = ["PEER", "Connection"]

PEER: Final = "peer"
"""Under this name the state of a request has the address at the other end of its connection, such as a proxy."""

_REQUEST_S: Final = 10.0
"""The time from the beginning of a connection, or its last answer, to the end of the headers of a request."""

_STALLED_S: Final = 60.0
"""The time that an answer may wait for the client to read some of it."""

_LINGER_S: Final = 5.0
"""The time that a closed connection may stay open for its remaining output."""


_STOP_STALLED_S: Final = 2.0
_STOP_S: Final = 8.0
"""When the server stops, a connection is closed once its client has stalled after the first time, and any after the
second: before uvicorn cancels what still runs."""

_LEAST_CHUNK_BYTES: Final = 32
"""Data with less than this between its line ends is parsed in parts, since it may be tiny chunks."""

_PART_BYTES: Final = 2048


class Connection(H11Protocol):
    """One of at most `limit` connections of a listener. If one more opens, the longest stalled one is closed."""

    limit: ClassVar[int]
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _waiting_since = 0.0
    _moved_at = 0.0
    """When the client last sent or read something."""
    _unread: bytearray
    """What was received in tiny chunks, each of which takes as long to parse as a large one."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.app_state = {**self.app_state, PEER: self.client[0] if self.client else ""}
        self._unread = bytearray()
        self._expect_request()
        if len(self.connections) > self.limit:
            self._close_most_stalled()

    def connection_lost(self, exc: Exception | None) -> None:
        self.disarm()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._expect_request()

    def data_received(self, data: bytes) -> None:
        self._moved_at = self.loop.time()
        if not self._unread and data.count(b"\r\n") * _LEAST_CHUNK_BYTES <= len(data):
            super().data_received(data)
            return
        self._unread += data
        if len(self._unread) == len(data):
            self._read_on()

    def _read_on(self) -> None:
        """Parse a part of what was received, and the rest after what else the event loop has to do."""
        if self.transport.is_closing():
            return
        part = bytes(self._unread[:_PART_BYTES])
        del self._unread[:_PART_BYTES]
        super().data_received(part)
        if self._unread:
            self.transport.pause_reading()
            self.loop.call_soon(self._read_on)
        elif not self.flow.read_paused:
            self.transport.resume_reading()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, with the headers that other answers get further inside."""
        answer = Problem.of(400, "malformed", msg).response({**GUARDING_HEADERS, "connection": "close"})
        head = h11.Response(status_code=answer.status_code, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (head, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def shutdown(self) -> None:
        """End the connection after its present answer, or as soon as its client stalls."""
        super().shutdown()
        if not self.transport.is_closing():
            self.loop.call_later(_STOP_S, self.transport.abort)
            self._abort_once_stalled()

    def _abort_once_stalled(self) -> None:
        """Abort the connection as soon as the server has waited for its client for two seconds."""
        if self.is_stalled and self.loop.time() - self._moved_at >= _STOP_STALLED_S:
            self.transport.abort()
        elif not self.transport.is_closing():
            self.loop.call_later(_STOP_STALLED_S / 4, self._abort_once_stalled)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._moved_at = self.loop.time()
        self._stalled = self.loop.call_later(_STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        _cancel(self._stalled)

    def timeout_keep_alive_handler(self) -> None:
        self._hang_up()

    def disarm(self) -> None:
        """Cancel the timers of a connection that has ended or continues with another protocol."""
        _cancel(self._deadline)
        _cancel(self._stalled)
        self._unset_keepalive_if_required()

    def _expect_request(self) -> None:
        self._waiting_since = self.loop.time()
        self._arm(_REQUEST_S, self._end_idle)

    def _end_idle(self) -> None:
        if not self._is_answering:
            self._hang_up()

    def _hang_up(self) -> None:
        self.transport.close()
        self._arm(_LINGER_S, self.transport.abort)

    def _arm(self, seconds: float, end: Callable[[], object]) -> None:
        _cancel(self._deadline)
        self._deadline = self.loop.call_later(seconds, end)

    def _close_most_stalled(self) -> None:
        waiting = [
            connection
            for connection in self.connections
            if isinstance(connection, Connection) and connection.is_stalled
        ]
        min(waiting, key=lambda connection: connection._waiting_since, default=self).transport.abort()  # noqa: SLF001 - same class

    @property
    def is_stalled(self) -> bool:
        """Whether the server waits for the client to send or to read something."""
        return not self.transport.is_closing() and not self.is_waited_for

    @property
    def is_waited_for(self) -> bool:
        """Whether the client waits for the server, which has all of its request."""
        return self._is_answering and not (
            self.transport.is_closing() or self.cycle.more_body or self.flow.write_paused
        )

    @property
    def _is_answering(self) -> bool:
        cycle: Any = self.cycle  # None before the first request, which uvicorn's annotation omits
        return cycle is not None and not cycle.response_complete


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
