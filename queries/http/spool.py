"""Temporary files for answers that are not read yet, and the answer that sends a file."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
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
_DISK_SHARE: Final = 8
"""One in so many of the free bytes of the disk may be used."""


class Disk:
    """The room for what clients have not read yet. For any thread."""

    def __init__(self, open_scratch: Callable[[], IO[bytes]]) -> None:
        self.open_scratch = open_scratch
        self._lock = threading.Lock()
        self._taken_bytes = 0

    def take(self, file: IO[bytes], size_bytes: int) -> bool:
        """Take room for more bytes in `file`; return whether there is enough."""
        system = os.fstatvfs(file.fileno())
        most = min(_SPOOLED_BYTES, system.f_bavail * system.f_frsize // _DISK_SHARE)
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
        """Write parts to a file, which has its room until it is closed. Raises Unavailable without room."""
        try:
            copy = _Spooled(self, self.open_scratch())
            for part in parts:
                copy.add(part)
        except OSError as error:
            raise Unavailable(
                "there is no room for an answer of this size while others are being read: try again later, or ask for "
                "fewer rows"
            ) from error
        return copy


class _Spooled:
    """A whole answer in a temporary file. Implements `Snapshot`."""

    def __init__(self, disk: Disk, file: IO[bytes]) -> None:
        self._disk = disk
        self._file = file
        self._taken = [0]
        self._end = weakref.finalize(self, self._close, disk, file, self._taken)

    @property
    def size_bytes(self) -> int:
        return self._taken[0]

    def add(self, part: bytes) -> None:
        """Write a part behind the others. Raises OSError without room."""
        if not self._disk.take(self._file, len(part)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._taken[0] += len(part)
        self._file.write(part)
        self._file.flush()

    def read(self, offset: int, size_bytes: int) -> bytes:
        return os.pread(self._file.fileno(), size_bytes, offset)

    def close(self) -> None:
        self._end()

    @staticmethod
    def _close(disk: Disk, file: IO[bytes], taken: list[int]) -> None:
        file.close()
        disk.give_back(taken[0])


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
