"""Judges behind an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ...model import JsonObject
from ..batch.batch_api import BatchApi
from ..batch.batch_polling import BatchPolling
from ..batch.batches import Batches
from ..exchange.failure import Endless, Unready, without
from ..exchange.judge import Judge
from ..exchange.key import key_of, secrets_of
from ..exchange.proxy import is_local, proxy_secrets
from ..exchange.reply import Reply
from ..exchange.request import Request
from ..exchange.request_format import Form
from ..limits.throttle import Throttle
from ..servers.attempts import counted
from ..servers.completion import reply_in, unread
from ..servers.negotiation import Negotiation
from ..servers.openai_errors import failure_of

if TYPE_CHECKING:
    import openai

__all__ = ["Endpoint"]

_MOST_BYTES: Final = 8 * 2**20
_MOST_FILE_BYTES: Final = 512 * 2**20
_CONNECT_S: Final = 10.0
_OK: Final = 200

_headers_came: ContextVar[list[int] | None] = ContextVar("_headers_came", default=None)
"""The HTTP status of the request of this context, once it is known."""


class Endpoint:
    """Asks with the `openai` package. The request format that the server accepts is found out once and remembered."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._client: openai.AsyncOpenAI | None = None
        self._negotiation = Negotiation()

    async def ready(self) -> None:
        if self._client is None:
            await asyncio.to_thread(importlib.import_module, "openai")  # it takes seconds
            self._client = _client(self._judge)

    async def say(self, request: Request) -> Reply:
        return await counted(self._negotiation.converse, request, self._posted)

    def sent(self, request: Request) -> JsonObject:
        return self._negotiation.body(request)

    @property
    def form(self) -> Form:
        return self._negotiation.request_format.form

    def batches(self, throttle: Throttle, *, polling: BatchPolling, now: Callable[[], datetime]) -> Batches:
        return Batches(
            self._judge,
            BatchApi(self._judge, lambda: self._open_client),
            self._negotiation,
            throttle,
            polling=polling,
            now=now,
        )

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    @property
    def _open_client(self) -> openai.AsyncOpenAI:
        """The client, opened with the first request. Raises Unready where there is no key."""
        self._client = self._client or _client(self._judge)
        return self._client

    async def _posted(self, body: JsonObject) -> Reply:
        client = self._open_client
        came: list[int] = []
        _headers_came.set(came)
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                response = await client.post("/chat/completions", cast_to=_httpx().Response, body=body)
                content: bytes = response.content
        except Exception as error:
            failure = failure_of(self._judge, error, begun=bool(came))
            failure.took = unread(self._judge) if came == [_OK] else None
            raise failure from error
        return reply_in(self._judge, content)


def _client(judge: Judge) -> openai.AsyncOpenAI:
    """Raises Unready."""
    key = key_of(judge)
    try:
        return _built(judge, key)
    except Exception as error:
        why = without((*secrets_of(judge), *proxy_secrets()), f"{type(error).__name__}: {error}")
        raise Unready(
            f"the HTTP client cannot be set up ({why}); look at HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE"
        ) from error


def _built(judge: Judge, key: str | None) -> openai.AsyncOpenAI:
    import openai  # noqa: PLC0415 - heavy

    http = openai.DefaultAsyncHttpxClient(
        transport=_httpx().AsyncHTTPTransport(limits=openai.DEFAULT_CONNECTION_LIMITS) if is_local(judge) else None,
        follow_redirects=False,  # only the configured server gets the key and the traces
        event_hooks={"request": [] if key or judge.login else [_withhold_key], "response": [_measure]},
        timeout=openai.Timeout(judge.timeout_s, connect=min(_CONNECT_S, judge.timeout_s), pool=None),
    )
    headers = {"Accept-Encoding": "identity"}  # so that the size that is limited is the size in memory
    if judge.login is not None:
        headers["Authorization"] = judge.login
    return openai.AsyncOpenAI(
        api_key=key or "none",  # without one it makes no request
        base_url=judge.address,
        default_query=judge.query,
        max_retries=0,
        default_headers=headers,
        http_client=http,
    )


async def _withhold_key(request: Any) -> None:
    request.headers.pop("authorization", None)


async def _measure(response: Any) -> None:
    """Limits the size of a response body before any of it is read."""
    if (came := _headers_came.get()) is not None:
        came.append(response.status_code)
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Endless("the answer is compressed though nobody asked for that, and may be of any size")
    most = _MOST_FILE_BYTES if response.request.url.path.endswith("/content") else _MOST_BYTES
    response.stream = _measured()(response.stream, most)


@cache
def _httpx() -> Any:
    """Return the HTTP package that `openai` uses: httpx2 from its version 3 on, httpx before."""
    import openai  # noqa: PLC0415 - heavy

    roots = (base.__module__.partition(".")[0] for base in openai.DefaultAsyncHttpxClient.__mro__)
    return importlib.import_module(next(root for root in roots if root.startswith("httpx")))


@cache
def _measured() -> Any:
    class Measured(_httpx().AsyncByteStream):  # type: ignore[misc]  # it is one of two packages
        def __init__(self, stream: Any, most_bytes: int) -> None:
            self._stream = stream
            self._most_bytes = most_bytes

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = self._most_bytes
            async for part in self._stream:
                left -= len(part)
                if left < 0:
                    raise Endless(f"the answer has more than {self._most_bytes // 2**20} MiB")
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    return Measured
