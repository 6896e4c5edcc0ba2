"""Reading the body of an HTTP request in bounded memory and time, whatever it claims to be."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator
from typing import Final

from starlette.requests import ClientDisconnect, Request

from ..errors import Malformed, Unavailable, Unsupported
from ..otlp.limits import RequestLimits
from . import Reservation

__all__ = ["read"]

_WINDOW_BITS: Final = {"gzip": zlib.MAX_WBITS + 16, "x-gzip": zlib.MAX_WBITS + 16, "deflate": zlib.MAX_WBITS}
_PIECE_BYTES: Final = 256 * 1024
_TIME_LIMIT_S: Final = 60.0


async def read(
    request: Request, room: Reservation, *, limits: RequestLimits, time_limit_s: float = _TIME_LIMIT_S
) -> bytes:
    """Read and decompress the body; neither it nor its compressed form exceeds the limit.

    Reserves memory for every piece before it keeps it. Raises CollectorError, also when the sender hangs up or stalls.
    """
    inflate = _choose_decoder(request.headers.get("content-encoding", ""))
    _refuse_announced(request, limits)
    try:
        async with asyncio.timeout(time_limit_s):
            return await _collect(request, inflate, room, limits=limits)
    except ClientDisconnect as error:
        raise Unavailable("the sender disconnected before its body was complete") from error
    except TimeoutError as error:
        raise Unavailable(f"the body was not complete after {time_limit_s:g} s") from error


def _refuse_announced(request: Request, limits: RequestLimits) -> None:
    announced = request.headers.get("content-length", "")
    if announced.isdecimal():
        limits.check_body(int(announced))


async def _collect(request: Request, inflate: _Plain | _Inflate, room: Reservation, *, limits: RequestLimits) -> bytes:
    body = bytearray()
    received_bytes = 0
    async for chunk in request.stream():
        received_bytes += len(chunk)
        limits.check_body(received_bytes)
        for piece in inflate.pieces(chunk):
            limits.check_body(len(body) + len(piece))
            room.grow(len(piece))
            body += piece
    if received_bytes:
        inflate.finish()
    return bytes(body)


def _choose_decoder(encoding: str) -> _Plain | _Inflate:
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case name if name in _WINDOW_BITS:
            return _Inflate(name)
        case name:
            raise Unsupported(f"content-encoding {name[:40]!r} is not known here: send gzip, deflate or none")


class _Plain:
    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        yield chunk

    def finish(self) -> None:
        pass


class _Inflate:
    """One compressed stream, decompressed piece by piece, so that a bomb is noticed in time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stream = zlib.decompressobj(_WINDOW_BITS[name])

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        piece = self._decompress(chunk)
        yield piece
        # A full piece may be followed by more, even when zlib has taken in the whole chunk.
        while len(piece) == _PIECE_BYTES:
            piece = self._decompress(self._stream.unconsumed_tail)
            yield piece

    def _decompress(self, chunk: bytes) -> bytes:
        try:
            piece = self._stream.decompress(chunk, _PIECE_BYTES)
        except zlib.error as error:
            raise Malformed(f"the body is not {self._name}: {error}") from error
        if self._stream.unused_data:
            raise Malformed(f"something follows the {self._name} stream in the body")
        return piece

    def finish(self) -> None:
        if not self._stream.eof:
            raise Malformed(f"the {self._name} stream in the body is cut off")
