"""HTTP servers on loopback, for tests of clients."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .polling import until

__all__ = ["AnswerServer", "serve", "serve_answer"]


@contextmanager
def serve(application: Starlette) -> Iterator[str]:
    """Serves the application on a real socket; yields its URL."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        server = uvicorn.Server(uvicorn.Config(application, lifespan="off", log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            until(lambda: server.started)
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@dataclass(frozen=True, slots=True)
class AnswerServer:
    """A server with one answer: its URL, and the headers of each request."""

    url: str
    asked: list[Mapping[str, str]] = field(default_factory=list)


@contextmanager
def serve_answer(status: int, content: bytes) -> Iterator[AnswerServer]:
    """Serves this answer to every request."""
    asked: list[Mapping[str, str]] = []

    async def answer(request: Request) -> Response:
        asked.append({**request.headers, "path": request.url.path})
        return Response(content, status)

    with serve(Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])) as url:
        yield AnswerServer(url, asked)
