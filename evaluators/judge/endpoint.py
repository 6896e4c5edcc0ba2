"""Judges behind an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import orjson

from ..model import JsonObject
from .failure import (
    Endless,
    Failure,
    Late,
    Refused,
    Said,
    Strange,
    Unended,
    causes,
    fields_in,
    of_connection,
    of_status,
    without,
)
from .judge import Judge
from .key import key_of, secrets_of
from .posts import counted
from .reply import NoCompletion, Reply
from .request import Request
from .wording import Wording

if TYPE_CHECKING:
    import openai

__all__ = ["Endpoint", "failure_of"]

_MOST_BYTES: Final = 8 * 2**20
_MOST_FILE_BYTES: Final = 512 * 2**20
_MOST_SHOWN: Final = 100
_CONNECT_S: Final = 10.0

_headers_came: ContextVar[list[bool] | None] = ContextVar("_headers_came", default=None)


class Endpoint:
    """Asks by the `openai` package. How the server likes to be asked is found out once and remembered."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._client: openai.AsyncOpenAI | None = None
        self.wording = Wording()

    async def ready(self) -> None:
        if self._client is None:
            await asyncio.to_thread(importlib.import_module, "openai")  # it takes seconds
            self._client = _client(self._judge)

    async def say(self, request: Request) -> Reply:
        return await counted(self.wording.said, request, self._posted)

    def sent(self, request: Request) -> JsonObject:
        return self.wording.body(request)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    @property
    def client(self) -> openai.AsyncOpenAI:
        """Raises Unready where there is no key."""
        self._client = self._client or _client(self._judge)
        return self._client

    def _reply(self, content: bytes) -> Reply:
        try:
            return Reply.of_completion(orjson.loads(content), model=self._judge.model)
        except (NoCompletion, orjson.JSONDecodeError) as error:
            shown = without(secrets_of(self._judge), content.decode(errors="replace"))[:_MOST_SHOWN]
            raise Strange(
                f"{self._judge.address} answers what is no chat completion: {shown!r}; "
                "look at `base_url`, which usually ends in /v1"
            ) from error

    async def _posted(self, body: JsonObject) -> Reply:
        client = self.client
        came: list[bool] = []
        _headers_came.set(came)
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                response = await client.post("/chat/completions", cast_to=_httpx().Response, body=body)
                content: bytes = response.content
        except Exception as error:
            raise failure_of(self._judge, error, begun=bool(came)) from error
        return self._reply(content)


def _client(judge: Judge) -> openai.AsyncOpenAI:
    key = key_of(judge)
    import openai  # noqa: PLC0415 - heavy

    http = openai.DefaultAsyncHttpxClient(
        follow_redirects=False,  # nobody but whom the configuration names gets the key and the traces
        event_hooks={"request": [] if key or judge.login else [_withhold_key], "response": [_measure]},
        timeout=openai.Timeout(judge.timeout_s, connect=min(_CONNECT_S, judge.timeout_s), pool=None),
    )
    headers = {"Accept-Encoding": "identity"}  # what is measured is what is kept in memory
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


def failure_of(judge: Judge, error: BaseException, *, begun: bool = False) -> Failure:
    """What an error of the client means. `begun`: an answer had begun to come."""
    import openai  # noqa: PLC0415 - heavy

    where = judge.address or judge.model
    for cause in causes(error):
        if isinstance(cause, Failure):
            return cause
    if isinstance(error, (TimeoutError, openai.APITimeoutError)):
        if begun:
            return Unended(f"{where} began an answer that did not end within {judge.timeout_s:g} s")
        return Late(f"{where} gave no answer within {judge.timeout_s:g} s")
    if isinstance(error, openai.APIStatusError):
        return of_status(judge, _said(judge, error))
    if isinstance(error, openai.APIConnectionError):
        return of_connection(judge, error, secrets=secrets_of(judge))
    return Refused(without(secrets_of(judge), f"{type(error).__name__}: {error}"))


def _said(judge: Judge, error: openai.APIStatusError) -> Said:
    body = error.body if isinstance(error.body, dict) else {}
    message = body.get("message")
    return Said(
        status=error.status_code,
        message=message if isinstance(message, str) else error.message,
        fields=fields_in(body),
        code=str(body.get("code") or body.get("type") or ""),
        headers=getattr(error, "litellm_response_headers", None) or error.response.headers,
        secrets=secrets_of(judge),
    )


async def _measure(response: Any) -> None:
    """Sees to it that a body ends, before any of it is read."""
    if (came := _headers_came.get()) is not None:
        came.append(True)
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Endless("the answer is compressed though nobody asked for that, and may be of any size")
    most = _MOST_FILE_BYTES if response.request.url.path.endswith("/content") else _MOST_BYTES
    response.stream = _measured()(response.stream, most)


@cache
def _httpx() -> Any:
    """What the `openai` package speaks HTTP with: httpx2 from its version 3 on, httpx before."""
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
