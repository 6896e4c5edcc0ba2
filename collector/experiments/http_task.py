"""A task that calls an HTTP endpoint, for agents that run elsewhere."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tracegrade.evaluators.formats.openai import calls_in, messages
from tracegrade.evaluators.formats.output_map import run_of_output
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.messages import shortened

from .captured_run import choose_run
from .task_call import Task

if TYPE_CHECKING:
    from .span_receiver import SpanReceiver

__all__ = ["http_task"]

_INPUT: Final = "{input}"
_ANSWER: Final = "output"
_LONGEST: Final = 200
_ERROR: Final = 400
_SPANS_S: Final = 10.0
"""How long the spans of a run may take to arrive after its answer."""

_QUIET_S: Final = 1.0
"""How long the trace of a run has to be silent before its run is taken as complete."""


def http_task(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: Mapping[str, Any] | None = None,
    answer: str | None = None,
    receives_at: str | None = None,
    timeout_s: float = 300.0,
) -> Task:
    """Return a task that sends an input to an agent with POST, as JSON.

    The body is `{"input": …}`, or the fields of an input that is an object; `body` is a template, in which the text
    `{input}` stands for the input. The answer is the value under `answer`, keys joined by dots; by default `output`,
    the output map of Dokimos (`output` and `toolCalls`), a chat completion of OpenAI, or the body if it is text.

    Each request has a `traceparent` of its own. With `receives_at` (`host:port`) the experiment receives OTLP/HTTP
    there: if the agent continues the trace and exports its spans to it, they record the run. Otherwise only input and
    answer are known. Needs `tracegrade[server]`. Raises ValueError for a URL that is not of HTTP.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url!r} is not the URL of an HTTP endpoint")
    return _HttpTask(
        url=url,
        headers=dict(headers or {}),
        body=body,
        answer=answer,
        timeout_s=timeout_s,
        spans=None if receives_at is None else _SharedReceiver(receives_at),
    )


@dataclass(slots=True)
class _HttpTask:
    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None
    answer: str | None
    timeout_s: float
    spans: _SharedReceiver | None

    @property
    def description(self) -> str:
        """What the task is called in the store."""
        return f"POST {self.url}"

    async def __call__(self, question: str | None = None, /, **fields: Any) -> AgentTrace | str:
        trace_id = secrets.token_hex(16)
        if self.spans is None:
            return self._read(await self._post(question, fields, trace_id))
        async with self.spans.used() as receiver:
            returned = self._read(await self._post(question, fields, trace_id))
            run = choose_run(await _await_runs(receiver, trace_id))
        if run is None:
            return returned
        response = returned if isinstance(returned, str) else returned.final_response
        return run if run.final_response is not None else run.model_copy(update={"final_response": response})

    async def _post(self, question: str | None, fields: Mapping[str, Any], trace_id: str) -> Any:
        """Return the body of the answer, as JSON values or text. Raises RuntimeError."""
        import httpx  # noqa: PLC0415 - of the extra

        given: Any = question if question is not None else dict(fields)
        default = {"input": question} if question is not None else dict(fields)
        content = default if self.body is None else _fill(self.body, given)
        headers = {"traceparent": f"00-{trace_id}-{secrets.token_hex(8)}-01", **self.headers}
        try:
            async with httpx.AsyncClient(timeout=self.timeout_s) as client:
                response = await client.post(self.url, json=content, headers=headers)
        except httpx.HTTPError as error:
            raise RuntimeError(f"{self.url} cannot be reached: {error or type(error).__name__}") from error
        if response.status_code >= _ERROR:
            text = shortened(" ".join(response.text.split()), _LONGEST)
            raise RuntimeError(f"{self.url} answered {response.status_code}: {text}")
        try:
            return response.json()
        except ValueError:
            return response.text

    def _read(self, content: Any) -> AgentTrace | str:
        """Return the answer in the body of a response. Raises RuntimeError."""
        if self.answer is not None:
            return _as_text(_find(content, self.answer.split("."), self.answer))
        if isinstance(content, str):
            return content
        if isinstance(content, dict) and "toolCalls" in content:
            return run_of_output(content)
        if isinstance(content, dict) and isinstance(content.get("choices"), list):
            return _read_completion(content)
        return _as_text(_find(content, [_ANSWER], _ANSWER))


class _SharedReceiver:
    """One receiver for all calls of a task: it listens while at least one of them is under way."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._users = 0
        self._lock = asyncio.Lock()
        self._open: Any = None
        self._receiver: SpanReceiver | None = None

    def used(self) -> _Use:
        return _Use(self)

    async def enter(self) -> SpanReceiver:
        from .span_receiver import receiving  # noqa: PLC0415 - imports the server, which other tasks do not need

        async with self._lock:
            if self._receiver is None:
                self._open = receiving(self._address)
                self._receiver = await self._open.__aenter__()
            self._users += 1
            return self._receiver

    async def leave(self) -> None:
        async with self._lock:
            self._users -= 1
            if not self._users and self._open is not None:
                await self._open.__aexit__(None, None, None)
                self._open = self._receiver = None


@dataclass(slots=True)
class _Use:
    shared: _SharedReceiver
    receiver: SpanReceiver | None = field(default=None)

    async def __aenter__(self) -> SpanReceiver:
        return await self.shared.enter()

    async def __aexit__(self, *_: object) -> None:
        await self.shared.leave()


async def _await_runs(receiver: SpanReceiver, trace_id: str) -> Sequence[AgentTrace]:
    """Return the runs of a trace once nothing more of it arrives, or after the limit."""
    loop = asyncio.get_running_loop()
    until, size, since = loop.time() + _SPANS_S, 0, loop.time()
    while loop.time() < until:
        now = receiver.count(trace_id)
        if now != size:
            size, since = now, loop.time()
        if size and loop.time() - since >= _QUIET_S:
            break
        await receiver.arrived(timeout_s=0.1)
    return receiver.runs_of(trace_id)


def _fill(template: Any, given: Any) -> Any:
    """Return the template with the input for `{input}`: the input itself where that is the whole text."""
    if template == _INPUT:
        return given
    if isinstance(template, str):
        return template.replace(_INPUT, _as_text(given))
    if isinstance(template, Mapping):
        return {key: _fill(value, given) for key, value in template.items()}
    return [_fill(value, given) for value in template] if isinstance(template, (list, tuple)) else template


def _find(content: Any, keys: Sequence[str], path: str) -> Any:
    value = content
    for key in keys:
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            known = f"; it has {', '.join(sorted(value))}" if isinstance(value, dict) else ""
            raise RuntimeError(f"the answer has nothing under {path!r}{shortened(known, _LONGEST)}")
    return value


def _read_completion(content: Mapping[str, Any]) -> AgentTrace:
    """Return the run that a chat completion of OpenAI has: its answer, and the tool calls that it asks for."""
    (message,) = messages([content["choices"][0].get("message") or {}])
    return AgentTrace(
        model=content.get("model"),
        messages=(message,),
        tool_calls=calls_in([message]),
        final_response=message.text,
    )


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
