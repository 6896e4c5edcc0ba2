"""gRPC at a port for HTTP/1.1: it is refused with the right address, in our log and in the sender's.

Every HTTP/2 connection begins with one sequence of bytes. What follows is answered with just enough of HTTP/2 for a
gRPC status. https://www.rfc-editor.org/rfc/rfc9113.html#name-http-2-connection-preface
"""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from ..system.log import log
from .http_connection import Connection

__all__ = ["Endpoints", "protocol"]

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


_PAUSE_S: Final = 60.0
"""How long the log is silent after it has named a sender: a misled exporter comes back every second."""

_HEADER: Final = struct.Struct(">HBBBL")  # length (first 16 bits, then 8), type, flags, stream
_HEADERS, _SETTINGS, _PING, _ACK = 0x1, 0x4, 0x6, 0x1
_END_OF_STREAM_AND_HEADERS: Final = 0x5
_LARGEST_FRAME_BYTES: Final = 16_384  # as long as nobody asks for more
_STATUS_200: Final = b"\x88"
_UNIMPLEMENTED: Final = "12"
_LINGER_S: Final = 5.0


@dataclass(slots=True)
class Endpoints:
    """Where spans are received, as HOST:PORT."""

    grpc: str
    http: str

    def at(self, host: str) -> str:
        """Say which address speaks which protocol, to a sender that reached this machine by `host`."""
        grpc, http = (_replace_wildcard(address, host) for address in (self.grpc, self.http))
        return (
            f"OTEL_EXPORTER_OTLP_ENDPOINT=http://{grpc} with OTEL_EXPORTER_OTLP_PROTOCOL=grpc, "
            f"or http://{http} with http/protobuf"
        )


def protocol(endpoints: Endpoints, *, connections: int) -> type[asyncio.Protocol]:
    """Make the HTTP/1.1 protocol of a listener of so many connections, which notices gRPC."""
    misdirection = _Misdirection(endpoints)

    class NoticesGrpc(Connection):
        limit = connections
        _first: bytes | None = b""

        def data_received(self, data: bytes) -> None:
            if self._first is None:
                super().data_received(data)
                return
            self._first += data
            if len(self._first) < len(PREFACE) and PREFACE.startswith(self._first):
                return
            first, self._first = self._first, None
            if not first.startswith(PREFACE):
                super().data_received(first)
                return
            self.disarm()
            on_lost = partial(self.connections.discard, self)  # it counts until then
            refusal = _Refusal(self.transport, misdirection.explain(self.transport), on_lost)
            self.transport.set_protocol(refusal)
            refusal.data_received(first.removeprefix(PREFACE))

    return NoticesGrpc


class _Misdirection:
    """Explains the mistake to senders, and now and then in the log."""

    def __init__(self, endpoints: Endpoints, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoints = endpoints
        self._clock = clock
        self._silent_until = 0.0

    def explain(self, transport: asyncio.Transport) -> str:
        """Give the message for the other end."""
        host, port, *_ = transport.get_extra_info("sockname")
        remedy = f"set {self._endpoints.at(f'[{host}]' if ':' in host else host)}"
        if self._clock() >= self._silent_until:
            self._silent_until = self._clock() + _PAUSE_S
            sender = ":".join(map(str, (transport.get_extra_info("peername") or ())[:2]))
            log.warning("gRPC arrived at a port that speaks HTTP/1.1", port=port, sender=sender, remedy=remedy)
        return f"port {port} speaks HTTP/1.1, not gRPC: {remedy}"


class _Refusal(asyncio.Protocol):
    """Answers every call on one HTTP/2 connection with UNIMPLEMENTED and `message`."""

    def __init__(self, transport: asyncio.Transport, message: str, on_lost: Callable[[], object]) -> None:
        self._transport = transport
        self._on_lost = on_lost
        self._answer = _write_trailers(
            {"content-type": "application/grpc", "grpc-status": _UNIMPLEMENTED, "grpc-message": message}
        )
        self._buffer = b""
        self._closing = asyncio.get_running_loop().call_later(_LINGER_S, transport.abort)
        transport.write(_write_frame(_SETTINGS, 0, 0))

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        for kind, flags, stream, payload in self._read_frames():
            if kind == _SETTINGS and not flags & _ACK:
                self._transport.write(_write_frame(_SETTINGS, _ACK, 0))
            elif kind == _PING and not flags & _ACK:
                self._transport.write(_write_frame(_PING, _ACK, 0, payload))
            elif kind == _HEADERS:
                self._transport.write(_write_frame(_HEADERS, _END_OF_STREAM_AND_HEADERS, stream, self._answer))

    def connection_lost(self, _: Exception | None) -> None:
        self._closing.cancel()
        self._on_lost()

    def _read_frames(self) -> Iterator[tuple[int, int, int, bytes]]:
        """Take the frames that are complete from the buffer."""
        while len(self._buffer) >= _HEADER.size:
            high, low, kind, flags, stream = _HEADER.unpack_from(self._buffer)
            end = _HEADER.size + (high << 8 | low)
            if end > _HEADER.size + _LARGEST_FRAME_BYTES:
                self._transport.close()
                return
            if len(self._buffer) < end:
                return
            payload, self._buffer = self._buffer[_HEADER.size : end], self._buffer[end:]
            yield kind, flags, stream, payload


def _replace_wildcard(address: str, host: str) -> str:
    """Give `address`, or `host` and its port where it means all addresses of this machine."""
    name, _, port = address.rpartition(":")
    is_all = name.strip("[]") in {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound
    return f"{host}:{port}" if is_all else address


def _write_frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return _HEADER.pack(len(payload) >> 8, len(payload) & 0xFF, kind, flags, stream) + payload


def _write_trailers(fields: dict[str, str]) -> bytes:
    """Write the header fields of a successful HTTP response in HPACK, plain and not indexed."""
    plain = (b"\x00" + _write_text(name) + _write_text(value) for name, value in fields.items())
    return _STATUS_200 + b"".join(plain)


def _write_text(value: str) -> bytes:
    """Write a text with its length in front, of 7 bits and then, where these do not suffice, 7 bits a byte."""
    encoded = value.encode("ascii", "replace")
    rest = len(encoded) - 127
    if rest < 0:
        return bytes([len(encoded)]) + encoded
    length = b"\x7f"
    while rest >= 128:
        length += bytes([rest & 0x7F | 0x80])
        rest >>= 7
    return length + bytes([rest]) + encoded
