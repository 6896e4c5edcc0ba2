"""A model's server on loopback that speaks OpenAI's HTTP API (chat completions, models, files, batches) and says what a
test scripts: well, late, wrongly, or without end. It keeps what it was asked.
"""

from __future__ import annotations

import asyncio
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import orjson

__all__ = ["Asked", "Llm", "Reply", "Script", "grade_politeness", "llm", "nowhere"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request for a chat completion. `headers` are in lower case; `api_key` None when none was sent."""

    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def api_key(self) -> str | None:
        return self.headers["authorization"].removeprefix("Bearer ") if "authorization" in self.headers else None

    @property
    def instructions(self) -> str:
        return self._said_by("system")

    @property
    def evidence(self) -> str:
        return self._said_by("user")

    def _said_by(self, role: str) -> str:
        return "\n".join(message["content"] for message in self.body["messages"] if message["role"] == role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server does. With `status` other than 200 `text` is the message of the error.

    `raw` is sent in place of a completion; `drops` closes the connection without a word; `endless` never ends the body.
    `tokens` are pairs of a token and the probabilities of what might have stood there.
    """

    text: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0
    raw: bytes | None = None
    drops: bool = False
    endless: bool = False
    refusal: str | None = None
    finish_reason: str = "stop"
    model: str | None = None
    usage: tuple[int, int] | None = (100, 10)
    tokens: Sequence[tuple[str, Mapping[str, float]]] = ()
    error_code: str | None = None


Script: TypeAlias = Callable[[Asked], Reply | str]


class Llm:
    """The server. `asked` has the requests for completions in order, those in batches as they were worked off."""

    def __init__(self, script: Script, models: Sequence[str]) -> None:
        self.url = ""
        self.script = script
        self.models = models
        self.asked: list[Asked] = []
        self.paths: list[str] = []
        self.at_once = 0
        self.most_at_once = 0
        self.has_batches = True
        self.lists_batches = True
        self.cancels_after = 0
        """So many requests of a batch have been answered when it is cancelled."""
        self.fails_with: Reply | None = None
        """What it says to everything, if it is not itself."""
        self.connections: set[asyncio.Transport] = set()
        self.opened = 0
        """So many connections were opened."""
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, dict[str, Any]] = {}

    @property
    def batches(self) -> Sequence[Mapping[str, Any]]:
        """As the API tells them."""
        return list(self._batches.values())

    def work_off(self) -> None:
        """Answers the batches that wait, each line by the script."""
        for batch in self._batches.values():
            if batch["status"] == "in_progress":
                self._answer(batch, None)
                batch["status"] = "completed"

    def end(self, status: str, why: str = "", *, line: int | None = None, code: str | None = None) -> None:
        """Ends the batches that wait, with none of their requests answered: `why`, at which `line` of them, and with
        which `code` for each."""
        for batch in self._batches.values():
            if batch["status"] == "in_progress":
                batch["status"] = status
                batch["errors"] = {"data": [{"message": why, "line": line}]} if why else None
                batch["error_file_id"] = self._kept(self._unasked(batch, code) if code else [])

    def lose_batches(self) -> None:
        """Nothing is known of them any more."""
        self._batches.clear()

    def reply(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """What is said to a request, of whatever kind."""
        self.paths.append(f"{method} {path}")
        if self.fails_with is not None:
            return self.fails_with
        match method, path.partition("?")[0].removeprefix("/v1").strip("/").split("/"):
            case "POST", ["chat", "completions"]:
                return self._scripted(Asked(body=orjson.loads(body), headers=headers))
            case "GET", ["models"]:
                return _json({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})
            case "GET", ["batches"] if self.has_batches and self.lists_batches:
                return _json({"object": "list", "data": self.batches[::-1], "has_more": False})
            case _, ["files" | "batches", *_] as steps if self.has_batches:
                return self._of_batches(method, steps, body)
        return Reply(status=404, text=f"there is no {path}")

    def _of_batches(self, method: str, steps: Sequence[str], body: bytes) -> Reply:
        match method, *steps:
            case "POST", "files":
                return _json({"id": self._kept([_uploaded(body)]), "object": "file"})
            case "GET", "files", str(name), "content":
                return Reply(raw=self._files[name])
            case "POST", "batches":
                return _json(self._opened(orjson.loads(body)))
            case "POST", "batches", str(name), "cancel":
                self._answer(self._batches[name], self.cancels_after)
                self._batches[name]["status"] = "cancelled"
                return _json(self._batches[name])
            case "GET", "batches", str(name) if name in self._batches:
                return _json(self._batches[name])
        return Reply(status=404, text="gone")

    def _unasked(self, batch: Mapping[str, Any], code: str) -> Sequence[bytes]:
        lines = map(orjson.loads, self._files[batch["input_file_id"]].splitlines())
        error = {"code": code, "message": code}
        return [orjson.dumps({"custom_id": line["custom_id"], "response": None, "error": error}) for line in lines]

    def _answer(self, batch: dict[str, Any], most: int | None) -> None:
        lines = [orjson.loads(line) for line in self._files[batch["input_file_id"]].splitlines()]
        told = [(line, self._completed(Asked(body=line["body"], headers={}))) for line in lines[:most]]
        batch["output_file_id"] = self._kept([_line(line, *said) for line, said in told if said[0] == 200])
        batch["error_file_id"] = self._kept([_line(line, *said) for line, said in told if said[0] != 200])

    def _scripted(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        said = self.script(asked)
        reply = Reply(text=said) if isinstance(said, str) else said
        return replace(reply, model=reply.model or asked.body["model"])

    def _completed(self, asked: Asked) -> tuple[int, Any]:
        reply = self._scripted(asked)
        return reply.status, orjson.loads(_body(reply))

    def _opened(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        name = f"batch_{len(self._batches)}"
        batch = {"id": name, "object": "batch", "status": "in_progress", "created_at": 0, **wanted}
        self._batches[name] = {**batch, "output_file_id": None, "error_file_id": None, "errors": None}
        return self._batches[name]

    def _kept(self, lines: Sequence[bytes]) -> str | None:
        if not lines:
            return None
        name = f"file_{len(self._files)}"
        self._files[name] = b"\n".join(lines)
        return name


def grade_politeness(_: Asked) -> str:
    """A script of a judge that gives 4 of 5 to everything."""
    return '{"reason": "it says please", "score": 4}'


@contextmanager
def llm(script: Script, *, models: Sequence[str] = ("judge-1",)) -> Iterator[Llm]:
    """A server in a thread of its own, on a port of its own."""
    server = Llm(script, models)
    opened: Future[tuple[int, Callable[[], object]]] = Future()
    thread = threading.Thread(target=lambda: asyncio.run(_serve(server, opened)))
    thread.start()
    port, close = opened.result()
    server.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield server
    finally:
        close()
        thread.join()


def nowhere() -> str:
    """The address of a server that is not there: its port has just been given back."""
    with llm(lambda _: "") as server:
        return server.url


async def _serve(server: Llm, opened: Future[tuple[int, Callable[[], object]]]) -> None:
    """Until what `opened` is told beside the port is called."""
    loop, closed = asyncio.get_running_loop(), asyncio.Event()
    listening = await loop.create_server(lambda: _Connection(server), "127.0.0.1", 0, backlog=512)
    port: int = listening.sockets[0].getsockname()[1]
    opened.set_result((port, partial(loop.call_soon_threadsafe, closed.set)))
    await closed.wait()
    listening.close()
    for connection in tuple(server.connections):
        connection.abort()
    await asyncio.sleep(0)  # for transports to close


_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, one request after the other, as far as clients of this API need it."""

    def __init__(self, server: Llm) -> None:
        self._server = server
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._server.connections.add(transport)
        self._server.opened += 1

    def connection_lost(self, exc: Exception | None) -> None:
        assert self._transport is not None
        self._server.connections.discard(self._transport)
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        length = _LENGTH.search(self._received, 0, end)
        whole = end + 4 + (int(length[1]) if length else 0)
        if len(self._received) < whole:
            return
        head, body = bytes(self._received[:end]), bytes(self._received[end + 4 : whole])
        del self._received[:whole]
        self._task = asyncio.get_running_loop().create_task(self._answer(head, body))

    async def _answer(self, head: bytes, body: bytes) -> None:
        request, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = request.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self._server.at_once += 1
        self._server.most_at_once = max(self._server.most_at_once, self._server.at_once)
        try:
            reply = self._server.reply(method, path, headers, body)
            if reply.delay_s:
                await asyncio.sleep(reply.delay_s)
            await self._send(reply)
        finally:
            self._server.at_once -= 1

    async def _send(self, reply: Reply) -> None:
        assert self._transport is not None
        if reply.drops:
            self._transport.abort()
            return
        if reply.endless:
            await self._send_for_ever(self._transport)
        body = _body(reply)
        headers = {"content-type": "application/json", **reply.headers, "content-length": str(len(body))}
        self._transport.write(_head(reply.status, headers) + body)

    async def _send_for_ever(self, transport: asyncio.Transport) -> None:
        transport.write(_head(200, {"content-type": "application/json", "transfer-encoding": "chunked"}))
        while not transport.is_closing():
            transport.write(b"1\r\n \r\n")
            await asyncio.sleep(0.01)


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode("latin-1")


def _body(reply: Reply) -> bytes:
    if reply.raw is not None:
        return reply.raw
    if reply.status != 200:
        return orjson.dumps({"error": {"message": reply.text, "code": reply.error_code, "type": "error"}})
    choice: dict[str, Any] = {
        "index": 0,
        "finish_reason": reply.finish_reason,
        "message": {"role": "assistant", "content": reply.text, "refusal": reply.refusal},
        "logprobs": {"content": [_logprob(*token) for token in reply.tokens]} if reply.tokens else None,
    }
    told = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": reply.model, "choices": [choice]}
    if reply.usage is not None:
        sent, said = reply.usage
        told["usage"] = {"prompt_tokens": sent, "completion_tokens": said, "total_tokens": sent + said}
    return orjson.dumps(told)


def _logprob(token: str, alternatives: Mapping[str, float]) -> dict[str, Any]:
    told = [{"token": text, "logprob": math.log(chance)} for text, chance in alternatives.items()]
    return {"token": token, "logprob": math.log(alternatives.get(token, 1)), "top_logprobs": told}


def _json(told: Mapping[str, Any]) -> Reply:
    return Reply(raw=orjson.dumps(told))


def _line(line: Mapping[str, Any], status: int, body: Any) -> bytes:
    return orjson.dumps(
        {"custom_id": line["custom_id"], "response": {"status_code": status, "body": body}, "error": None}
    )


def _uploaded(body: bytes) -> bytes:
    """The one file in a multipart form: its lines are JSON, and nothing else in the form is."""
    return b"\n".join(line for line in body.splitlines() if line.startswith(b"{"))
