"""A task that calls an HTTP endpoint, for agents that run elsewhere."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tracegrade.evaluators.model import AgentTrace, JsonObject

from .captured_run import choose_run
from .http_endpoint import Endpoint
from .task_call import Task

if TYPE_CHECKING:
    from .span_receiver import SpanReceiver

__all__ = ["http_task"]

_LOOKS_AGAIN_S: Final = 0.1


def http_task(  # noqa: PLR0913 - each is one decision of the user, with a default
    url: str,
    *,
    method: str = "POST",
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    answer: str | None = None,
    receives_at: str | None = None,
    timeout_s: float | None = None,
    spans_within_s: float = 10.0,
    quiet_s: float = 1.0,
) -> Task:
    """Return a task that calls an endpoint per item, and reads the answer of the agent behind it.

    The input is sent as JSON: a text as `{"input": …}`, an object as it is, or `body` with the input in place of
    `{input}`; a `body` of text is sent as it is. `{input}` in the `url` is replaced as well; a GET has no body but
    `body`. The answer is the value at the path `answer`, such as `data.0.text`, in the JSON of the response; without a
    path, what `read_answer` finds. `timeout_s` limits the request; by default the experiment alone does.

    Each request has a `traceparent` with a trace of its own. `receives_at` is "HOST:PORT" to which the exporter of the
    agent sends over OTLP/HTTP: the spans of that trace record the run. It is complete once none came for `quiet_s`, but
    at most `spans_within_s` after the response. Without them only input and answer are known.

    Redirects are followed within the origin of the URL only, and a response has at most 16 MiB.

    Needs `tracegrade[server]`. Raises ValueError for a URL that does not begin with http:// or https://.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url!r} is not the URL of an endpoint; write it with http:// or https://")
    endpoint = Endpoint(url=url, method=method, headers=dict(headers or {}), body=body, answer=answer)
    spans = None if receives_at is None else _Spans(_SharedReceiver(receives_at), spans_within_s, quiet_s)
    return _HttpTask(endpoint, spans, timeout_s)


@dataclass(frozen=True, slots=True)
class _HttpTask:
    endpoint: Endpoint
    spans: _Spans | None
    timeout_s: float | None

    @property
    def description(self) -> str:
        """What the task is called in the store: its URL without what may be secret in it."""
        return f"{self.endpoint.method} {self.endpoint.name}"

    async def __call__(self, question: str | None = None, /, **fields: Any) -> AgentTrace | str:
        given: str | JsonObject = fields if question is None else question
        trace_id = secrets.token_hex(16)
        if self.spans is None:
            return await self._ask(given, trace_id)
        async with self.spans.shared.used() as receiver:
            returned = await self._ask(given, trace_id)
            run = choose_run(await self.spans.await_runs(receiver, trace_id))
        if run is None:
            return returned
        response = returned if isinstance(returned, str) else returned.final_response
        return run if run.final_response is not None else run.model_copy(update={"final_response": response})

    async def _ask(self, given: str | JsonObject, trace_id: str) -> AgentTrace | str:
        import httpx  # noqa: PLC0415 - of the extra

        async with httpx.AsyncClient(timeout=self.timeout_s) as client:
            traceparent = f"00-{trace_id}-{secrets.token_hex(8)}-01"
            return self.endpoint.read(await self.endpoint.send(client, given, traceparent=traceparent), given)


@dataclass(frozen=True, slots=True)
class _Spans:
    """Where spans are received, and how long they are waited for."""

    shared: _SharedReceiver
    limit_s: float
    quiet_s: float

    async def await_runs(self, receiver: SpanReceiver, trace_id: str) -> Sequence[AgentTrace]:
        """Return the runs of a trace once nothing more of it arrives, or after the limit."""
        loop = asyncio.get_running_loop()
        until, size, since = loop.time() + self.limit_s, 0, loop.time()
        while loop.time() < until:
            now = receiver.count(trace_id)
            if now != size:
                size, since = now, loop.time()
            if size and loop.time() - since >= self.quiet_s:
                break
            await receiver.arrived(timeout_s=_LOOKS_AGAIN_S)
        return receiver.runs_of(trace_id)


class _SharedReceiver:
    """One receiver for all calls of a task: it listens while at least one of them is under way."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._users = 0
        self._lock = asyncio.Lock()
        self._open: Any = None
        self._receiver: SpanReceiver | None = None

    @asynccontextmanager
    async def used(self) -> AsyncIterator[SpanReceiver]:
        """Yield the receiver. Raises CannotListen."""
        receiver = await self._enter()
        try:
            yield receiver
        finally:
            await self._leave()

    async def _enter(self) -> SpanReceiver:
        from .span_receiver import receiving  # noqa: PLC0415 - imports the server, which other tasks do not need

        async with self._lock:
            if self._receiver is None:
                self._open = receiving(self._address, option="receives_at")
                self._receiver = await self._open.__aenter__()
            self._users += 1
            return self._receiver

    async def _leave(self) -> None:
        async with self._lock:
            self._users -= 1
            if not self._users and self._open is not None:
                await self._open.__aexit__(None, None, None)
                self._open = self._receiver = None
