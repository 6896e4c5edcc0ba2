"""Temporary files for answers that are not read yet, and the answer that sends a file."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import IO, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..ports import Snapshot, Unavailable
from .disconnect import wait_for_disconnect
from .pace import ReadTooSlowly, Sending, Turns

__all__ = ["PIECE_BYTES", "Disk", "FileAnswer"]

PIECE_BYTES: Final = 2**20
_SPOOLED_BYTES: Final = 2**30
_SHARE_OF_STREAMS: Final = 0.75
"""The share of the room that answers without a known size may take, so that others have some, however slowly they are
read."""

_NO_ROOM: Final = (
    "there is no room for an answer of this size while others are being read: try again later, or ask for fewer rows"
)
_DISK_SHARE: Final = 8
"""One in so many of the free bytes of the disk may be used."""


class Disk:
    """The room for what clients have not read yet. For any thread."""

    def __init__(self, open_scratch: Callable[[], IO[bytes]]) -> None:
        self.open_scratch = open_scratch
        self._lock = threading.Lock()
        self._taken_bytes = 0

    def take(self, file: IO[bytes], size_bytes: int, *, share: float = _SHARE_OF_STREAMS) -> bool:
        """Take room for more bytes in `file`; return whether there is enough in this share of it all."""
        system = os.fstatvfs(file.fileno())
        most = min(_SPOOLED_BYTES, system.f_bavail * system.f_frsize // _DISK_SHARE) * share
        with self._lock:
            if self._taken_bytes + size_bytes > most:
                return False
            self._taken_bytes += size_bytes
            return True

    def give_back(self, size_bytes: int) -> None:
        """Give room back."""
        with self._lock:
            self._taken_bytes -= size_bytes

    def spool(self, parts: Iterable[bytes]) -> Snapshot:
        """Write a whole answer to a file, which has its room until it is closed. Raises Unavailable without room."""
        try:
            with ExitStack() as undone:
                file, size_bytes = self.open_scratch(), 0
                undone.callback(file.close)
                for part in parts:
                    if not self.take(file, len(part), share=1.0):
                        raise Unavailable(_NO_ROOM)
                    undone.callback(self.give_back, len(part))
                    size_bytes += len(part)
                    file.write(part)
                file.flush()
                undone.pop_all()
        except OSError as error:
            raise Unavailable(_NO_ROOM) from error
        return _Spooled(file, size_bytes, self.give_back)


class _Spooled:
    """A whole answer in a temporary file. Implements `Snapshot`."""

    def __init__(self, file: IO[bytes], size_bytes: int, give_back: Callable[[int], None]) -> None:
        self.size_bytes = size_bytes
        self._file = file
        held = ExitStack()
        held.callback(give_back, size_bytes)
        held.callback(file.close)
        self.close = weakref.finalize(self, held.close)  # at the latest when it is forgotten without being sent

    def read(self, offset: int, size_bytes: int) -> bytes:
        return os.pread(self._file.fileno(), size_bytes, offset)


class FileAnswer(Response):
    """Sends a file piece by piece, and closes it. An answer that is cut off is shorter than its content-length."""

    def __init__(
        self, copy: Snapshot, *, media_type: str, headers: Mapping[str, str] | None = None, turns: Turns | None = None
    ) -> None:
        """Take a turn that is given back at the end; while others wait for one, slow clients are cut off sooner."""
        super().__init__(headers={**(headers or {}), "content-length": str(copy.size_bytes)}, media_type=media_type)
        self._copy = copy
        self._turns = turns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        disconnect = asyncio.ensure_future(wait_for_disconnect(Request(scope, receive)))
        sending = (
            Sending(scope, send) if self._turns is None else Sending(scope, send, others_wait=self._turns.others_wait)
        )
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await self._send(sending, disconnect)
            await send({"type": "http.response.body"})
        except ReadTooSlowly:
            return
        finally:
            disconnect.cancel()
            self._copy.close()
            if self._turns is not None:
                self._turns.give_back()

    async def _send(self, sending: Sending, disconnect: asyncio.Future[None]) -> None:
        offset, size_bytes = 0, self._copy.size_bytes
        while offset < size_bytes and not disconnect.done():
            piece = await asyncio.to_thread(self._copy.read, offset, PIECE_BYTES)
            offset += len(piece)
            await sending.send(piece)
