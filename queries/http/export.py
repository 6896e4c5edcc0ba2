"""Answers of any size over HTTP: written while the query goes on, no faster than they are read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..fence import Parameters, SqlTimedOut
from ..formats import Format
from ..result import Stream

__all__ = ["MAX_CONCURRENT_EXPORTS", "Exports", "Streaming", "left"]

MAX_CONCURRENT_EXPORTS: Final = 2
"""An export may last for minutes. Further ones wait their turn, and short queries have threads of their own."""

_STALLED_S: Final = 60.0
"""A query that nobody reads any more ends after this: it keeps the store from folding its log into the file."""

T = TypeVar("T")

_Open: TypeAlias = Callable[[threading.Event], AbstractContextManager[Stream]]


class Streaming(Protocol):
    """Answers one query from the store, in bounded memory."""

    def stream(
        self,
        sql: str,
        *,
        parameters: Parameters | None,
        timeout_s: float,
        cancelled: threading.Event,
    ) -> AbstractContextManager[Stream]:
        """MUST go through the fence and be safe to call from several threads; blocks. Raises SqlError."""
        ...


class Exports:
    """The exports of an API."""

    def __init__(self, reader: Streaming) -> None:
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
        """The response to send, of which the first rows are there. Raises SqlError, also where the client hangs up
        before."""
        leaving = asyncio.ensure_future(left(request))

        def opened(cancelled: threading.Event) -> AbstractContextManager[Stream]:
            return self._reader.stream(sql, parameters=parameters, timeout_s=timeout_s, cancelled=cancelled)

        try:
            portions, first = await self._begun(form, opened, leaving)
        except BaseException:
            leaving.cancel()
            raise
        return _Export(first, portions, leaving, headers=dict(headers), media_type=form.media_type)

    async def _begun(self, form: Format, opened: _Open, leaving: asyncio.Future[None]) -> tuple[_Portions, bytes]:
        await _unless_left(leaving, self._turns.acquire())
        portions = _Portions(form, done=self._turns.release)
        try:
            return portions, await _unless_left(leaving, portions.begin(opened))
        except BaseException:
            portions.close()
            raise


class _Portions:
    """The parts of an answer, made in a thread of their own. `done` is called when it has ended."""

    def __init__(self, form: Format, *, done: Callable[[], None]) -> None:
        self._form = form
        self._done = done
        self._cancelled = threading.Event()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="export")
        self._held = ExitStack()
        self._parts: Iterator[bytes] = iter(())

    async def begin(self, opened: _Open) -> bytes:
        return await self._in_thread(lambda: self._begun(opened)) or b""

    async def next(self) -> bytes | None:
        """The next part; None at the end. Raises SqlError."""
        return await self._in_thread(lambda: next(self._parts, None))

    def close(self) -> None:
        """Interrupts the query if it still runs, and lets go of it as soon as it has ended."""
        self._cancelled.set()
        self._thread.submit(self._held.close)
        self._thread.shutdown(wait=False)
        self._done()

    def _begun(self, opened: _Open) -> bytes | None:
        self._parts = self._form.write(self._held.enter_context(opened(self._cancelled)))
        return next(self._parts, None)

    async def _in_thread(self, work: Callable[[], bytes | None]) -> bytes | None:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


class _Export(Response):
    """Sends one part after the other. Where the query fails in the middle, the connection is cut, so that nobody takes
    the part for the whole: an answer that ends as HTTP says it does is complete."""

    def __init__(
        self,
        first: bytes,
        portions: _Portions,
        leaving: asyncio.Future[None],
        *,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        super().__init__(None, headers=headers, media_type=media_type)
        del self.headers["content-length"]
        self._first = first
        self._portions = portions
        self._leaving = leaving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            part: bytes | None = self._first
            while part is not None:
                async with asyncio.timeout(_STALLED_S):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                part = await _unless_left(self._leaving, self._portions.next())
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except _HungUp:
            return
        finally:
            self._leaving.cancel()
            self._portions.close()


class _HungUp(SqlTimedOut):
    """Nobody waits for the answer any more."""


async def _unless_left(leaving: asyncio.Future[None], coming: Coroutine[Any, Any, T]) -> T:
    """What comes. Raises _HungUp where the client leaves before."""
    task = asyncio.ensure_future(coming)
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
    finally:
        task.cancel()
    raise _HungUp("stopped: nobody waits for the answer any more.")


async def left(request: Request) -> None:
    """Returns when the client has hung up. The body has been read: nothing else can arrive."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
