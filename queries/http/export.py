"""Answers of any size over HTTP: written while the query runs, as fast as the client reads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..fence import Parameters, SqlTimedOut
from ..formats import Format
from ..result import Stream
from .disconnect import wait_for_disconnect
from .readers import StreamReader

__all__ = ["MAX_CONCURRENT_EXPORTS", "Exports"]

MAX_CONCURRENT_EXPORTS: Final = 2
"""An export may take minutes. Further ones wait; short queries have other threads."""

_STALLED_S: Final = 60.0
"""How long a client may take for a part. While the query runs, the store is not checkpointed."""

T = TypeVar("T")

_OpenStream: TypeAlias = Callable[[threading.Event], AbstractContextManager[Stream]]


class Exports:
    """The exports of an API."""

    def __init__(self, reader: StreamReader) -> None:
        self._reader = reader
        self._turns = asyncio.Semaphore(MAX_CONCURRENT_EXPORTS)

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
            portions, first = await self._begin(form, open_stream, disconnect)
        except BaseException:
            disconnect.cancel()
            raise
        return _Export(first, portions, disconnect, headers=dict(headers), media_type=form.media_type)

    async def _begin(
        self, form: Format, open_stream: _OpenStream, disconnect: asyncio.Future[None]
    ) -> tuple[_Portions, bytes]:
        await _unless_disconnected(disconnect, self._turns.acquire())
        portions = _Portions(form, on_close=self._turns.release)
        try:
            return portions, await _unless_disconnected(disconnect, portions.begin(open_stream))
        except BaseException:
            portions.close()
            raise


class _Portions:
    """The parts of an answer, made in a separate thread."""

    def __init__(self, form: Format, *, on_close: Callable[[], None]) -> None:
        self._form = form
        self._on_close = on_close
        self._cancelled = threading.Event()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="export")
        self._resources = ExitStack()
        self._parts: Iterator[bytes] = iter(())

    async def begin(self, open_stream: _OpenStream) -> bytes:
        """Start the query, and return the first part. Raises SqlError."""
        return await self._run_in_thread(lambda: self._read_first(open_stream)) or b""

    async def next(self) -> bytes | None:
        """Return the next part; None at the end. Raises SqlError."""
        return await self._run_in_thread(lambda: next(self._parts, None))

    def close(self) -> None:
        """Interrupt the query if it still runs, and release it as soon as it has ended."""
        self._cancelled.set()
        self._thread.submit(self._resources.close)
        self._thread.shutdown(wait=False)
        self._on_close()

    def _read_first(self, open_stream: _OpenStream) -> bytes | None:
        self._parts = self._form.write(self._resources.enter_context(open_stream(self._cancelled)))
        return next(self._parts, None)

    async def _run_in_thread(self, work: Callable[[], bytes | None]) -> bytes | None:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


class _Export(Response):
    """Sends one part after the other. If the query fails after the first part, the connection is cut, so that an answer
    which ends as HTTP demands is complete."""

    def __init__(
        self,
        first: bytes,
        portions: _Portions,
        disconnect: asyncio.Future[None],
        *,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(None, headers=headers, media_type=media_type)
        del self.headers["content-length"]
        self._first = first
        self._portions = portions
        self._disconnect = disconnect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the signature of ASGI
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            part: bytes | None = self._first
            while part is not None:
                async with asyncio.timeout(_STALLED_S):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                part = await _unless_disconnected(self._disconnect, self._portions.next())
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except _Disconnected:
            return
        finally:
            self._disconnect.cancel()
            self._portions.close()


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
