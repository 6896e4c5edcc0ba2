"""Answers of any size over HTTP: the query runs at its own speed, and the client reads at its own.

What a client has not read yet is in a temporary file, so that the query gives its turn and the store back when it ends,
and answers that nobody reads take no memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import AbstractContextManager
from itertools import chain
from typing import IO, Any, Final, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..fence import Parameters, SqlTimedOut
from ..formats import Format
from ..ports import Snapshot, Unavailable
from ..result import Stream
from .disconnect import wait_for_disconnect
from .pace import PATIENCE_S, ReadTooSlowly, Sending, Turns
from .readers import StreamReader
from .spool import PIECE_BYTES, Disk

__all__ = ["MAX_CONCURRENT_EXPORTS", "Exports"]

MAX_CONCURRENT_EXPORTS: Final = 2
"""An export may take minutes. Further ones wait; short queries have other threads."""

_LONGEST_TURN_S: Final = 300.0
"""How long a query may take if others wait for its turn."""

_MOST_OF_ONE_BYTES: Final = 2**28
_POLL_S: Final = 0.5

T = TypeVar("T")

_OpenStream: TypeAlias = Callable[[threading.Event], AbstractContextManager[Stream]]


class Exports:
    """The exports of an API. `open_scratch` opens a temporary file without a name."""

    def __init__(self, reader: StreamReader, open_scratch: Callable[[], IO[bytes]]) -> None:
        self._reader = reader
        self._turns = Turns(MAX_CONCURRENT_EXPORTS)
        self._disk = Disk(open_scratch)
        self._spooling = threading.Lock()

    def spool(self, parts: Iterable[bytes]) -> bytes | Snapshot:
        """Return an answer of known size; a large one as a temporary file. Blocks. Raises Unavailable without room."""
        coming, content = iter(parts), bytearray()
        with self._spooling:  # one after the other, since each holds its rows until they are written
            for part in coming:
                content += part
                if len(content) > PIECE_BYTES:
                    return self._disk.spool(chain([bytes(content)], coming))
        return bytes(content)

    async def answer(
        self,
        request: Request,
        sql: str,
        form: Format,
        *,
        parameters: Parameters | None,
        timeout_s: float,
        headers: Mapping[str, str],
    ) -> Response:
        """Return the response once its first rows are read. Raises SqlError, also if the client disconnects before."""
        disconnect = asyncio.ensure_future(wait_for_disconnect(request))

        def open_stream(cancelled: threading.Event) -> AbstractContextManager[Stream]:
            return self._reader.stream(sql, parameters=parameters, timeout_s=timeout_s, cancelled=cancelled)

        try:
            parts, first = await self._begin(form, open_stream, disconnect)
        except BaseException:
            disconnect.cancel()
            raise
        return _Export(first, parts, disconnect, headers=dict(headers), media_type=form.media_type)

    async def _begin(
        self, form: Format, open_stream: _OpenStream, disconnect: asyncio.Future[None]
    ) -> tuple[_Parts, bytes]:
        await _unless_disconnected(disconnect, self._turns.take())
        parts = _Parts(self._disk, self._turns)
        try:
            parts.begin(form, open_stream)
            return parts, await _unless_disconnected(disconnect, parts.take()) or b""
        except BaseException:
            parts.close()
            raise


class _Parts:
    """The parts of an answer, made in a thread and taken on the event loop.

    One part that waits is in memory. Those that come before it is taken go to the temporary file; if that has no room,
    making waits until the client has read everything.
    """

    def __init__(self, disk: Disk, turns: Turns) -> None:
        self._disk = disk
        self._turns = turns
        self._began_s = time.monotonic()
        self._loop = asyncio.get_running_loop()
        self._arrived = asyncio.Event()
        self._cancelled = threading.Event()
        self._changed = threading.Condition()
        self._next = b""
        self._file: IO[bytes] | None = None
        self._read_bytes = self._written_bytes = 0
        self._is_made = False
        self._error: BaseException | None = None

    def begin(self, form: Format, open_stream: _OpenStream) -> None:
        """Start the thread that makes the parts, and then gives the turn back."""
        try:
            threading.Thread(target=self._make, args=(form, open_stream), name="export", daemon=True).start()
        except RuntimeError:  # the system has no thread left
            self._turns.give_back()
            raise

    def _make(self, form: Format, open_stream: _OpenStream) -> None:
        error: BaseException | None = None
        try:
            with open_stream(self._cancelled) as stream:
                for part in form.write(stream):
                    if self._cancelled.is_set():
                        break
                    self._put(part)
        except BaseException as raised:  # noqa: BLE001 - raised again where the parts are taken
            error = raised
        with self._changed:
            self._is_made, self._error = True, error
            if error is not None:
                self._drop()
        self._call(self._arrived.set)
        self._call(self._turns.give_back)

    async def take(self) -> bytes | None:
        """Return the next part; None at the end. Raises SqlError, and Unavailable if others have waited too long."""
        while True:
            self._arrived.clear()
            part, is_over = await asyncio.to_thread(self._pop)
            if part:
                return part
            if is_over:
                if self._error is not None:
                    raise self._error
                return None
            await self._arrived.wait()

    def close(self) -> None:
        """Interrupt the query if it still runs, and forget what was not taken."""
        self._cancelled.set()
        with self._changed:
            self._drop()
            self._changed.notify()

    def _put(self, part: bytes) -> None:
        """Store a part until it is taken. Raises Unavailable if others have waited too long for the turn."""
        blocked_s = time.monotonic()
        with self._changed:
            while part and not self._store(part):
                self._changed.wait(_POLL_S)
                self._check_turn(blocked_s)
        self._check_turn()
        self._call(self._arrived.set)

    def _store(self, part: bytes) -> bool:
        """Store a part in memory if nothing waits, else in the file; return False if there is no room."""
        if self._cancelled.is_set():
            return True  # nobody will take it
        if not self._next and self._read_bytes == self._written_bytes:
            self._next = part
            return True
        if self._written_bytes + len(part) > _MOST_OF_ONE_BYTES:
            return False
        try:
            self._file = self._file or self._disk.open_scratch()
            if not self._disk.take(self._file, len(part)):
                return False
        except OSError:  # the disk is full or read-only: the client has to read before more is made
            return False
        return self._write(self._file, part)

    def _write(self, file: IO[bytes], part: bytes) -> bool:
        """Write a part for which there is room; return whether the disk took it."""
        try:
            file.seek(self._written_bytes)
            file.write(part)
            file.flush()
        except OSError:
            self._disk.give_back(len(part))
            return False
        self._written_bytes += len(part)
        return True

    def _check_turn(self, blocked_s: float | None = None) -> None:
        """Raise Unavailable if others wait, and the query has taken too long or, since `blocked_s`, its client."""
        now = time.monotonic()
        is_late = now - self._began_s > _LONGEST_TURN_S or (blocked_s is not None and now - blocked_s > PATIENCE_S)
        if is_late and self._turns.others_wait():
            raise Unavailable("stopped because others were waiting to download: narrow the query, or try again later")

    def _pop(self) -> tuple[bytes, bool]:
        """Return what is to be sent next, if anything, and whether nothing more will come."""
        with self._changed:
            part, self._next = self._next, b""
            if not part and self._file is not None and self._read_bytes < self._written_bytes:
                left = self._written_bytes - self._read_bytes
                part = os.pread(self._file.fileno(), min(PIECE_BYTES, left), self._read_bytes)
                self._read_bytes += len(part)
            if self._read_bytes == self._written_bytes:
                self._empty_file()
            self._changed.notify()
            return part, self._is_made and not self._written_bytes

    def _empty_file(self) -> None:
        """Give the room of the file back."""
        if self._file is not None and self._written_bytes:
            self._file.seek(0)
            self._file.truncate()
        self._disk.give_back(self._written_bytes)
        self._read_bytes = self._written_bytes = 0

    def _drop(self) -> None:
        """Forget what was not taken."""
        self._next = b""
        self._empty_file()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _call(self, function: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function)


class _Export(Response):
    """Sends one part after the other. If the query fails after the first part, or the client reads too slowly, the
    connection is cut, so that an answer which ends as HTTP demands is complete."""

    def __init__(
        self,
        first: bytes,
        parts: _Parts,
        disconnect: asyncio.Future[None],
        *,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(None, headers=headers, media_type=media_type)
        del self.headers["content-length"]
        self._first = first
        self._parts = parts
        self._disconnect = disconnect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the signature of ASGI
        sending = Sending(scope, send)
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            part: bytes | None = self._first
            while part is not None:
                await sending.send(part)
                part = await _unless_disconnected(self._disconnect, self._parts.take())
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (_Disconnected, ReadTooSlowly):
            return
        finally:
            self._disconnect.cancel()
            self._parts.close()


class _Disconnected(SqlTimedOut):
    """The client has disconnected."""


async def _unless_disconnected(disconnect: asyncio.Future[None], work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`. Raises _Disconnected if the client disconnects before."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait((task, disconnect), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
    finally:
        task.cancel()
    raise _Disconnected("stopped: the client has disconnected.")
