"""An agent that an experiment asks, and the inputs that it is given, get nothing that they were not to have."""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from tests.support.http_servers import serve, serve_answer

from tracegrade.collector.experiments import command_task, http_task

SECRET = {"x-api-key": "sesame", "authorization": "Bearer sesame"}
PRINT = "import sys; print(sys.argv[1:])"


@contextmanager
def redirecting(target: str, status: int = 307) -> Iterator[str]:
    """Serves `/` as a redirect to `target`, and any other path as the headers that came with the request."""

    async def answer(request: Request) -> Response:
        if request.url.path == "/":
            return RedirectResponse(target, status)
        return Response(str({name: request.headers.get(name) for name in SECRET}))

    with serve(Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST"])])) as url:
        yield url


def run(task: Callable[..., Any], given: str = "Paris") -> object:
    """What a task answers to an input."""

    async def answer() -> object:
        return await task(given)

    return asyncio.run(answer())


def ask(url: str, **options: Any) -> object:
    return run(http_task(url, **options))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_another_origin_is_sent_nothing(status: int) -> None:
    with serve_answer(200, b"mine") as foreign, redirecting(f"{foreign.url}/take", status) as url:
        with pytest.raises(RuntimeError, match="another origin, to which nothing is sent"):
            ask(url, headers=SECRET)
        assert foreign.asked == []


def test_redirect_within_the_origin_keeps_headers() -> None:
    with redirecting("/there") as url:
        assert ask(url, headers=SECRET) == str(SECRET)


def test_endless_redirect_ends() -> None:
    with redirecting("/") as url, pytest.raises(RuntimeError, match="redirects more than 10 times"):
        ask(url)


def test_endless_answer_is_read_to_its_limit() -> None:
    sent = 0

    async def pieces() -> Any:
        nonlocal sent
        while True:
            sent += 1
            yield b"x" * 2**20
            await asyncio.sleep(0)

    async def answer(_: Request) -> Response:
        return StreamingResponse(pieces())

    with (
        serve(Starlette(routes=[Route("/", answer, methods=["POST"])])) as url,
        pytest.raises(RuntimeError, match="more than 16 MiB"),
    ):
        ask(url)
    assert sent < 64


def test_compressed_answer_is_refused_before_it_expands() -> None:
    async def answer(request: Request) -> Response:
        assert request.headers["accept-encoding"] == "identity"
        return Response(gzip.compress(b"\0" * 2**28), headers={"content-encoding": "gzip"})

    with (
        serve(Starlette(routes=[Route("/", answer, methods=["POST"])])) as url,
        pytest.raises(RuntimeError, match="encoding gzip, which was not asked for"),
    ):
        ask(url)


@pytest.mark.parametrize("given", [pytest.param("-rf", id="text"), pytest.param("--version", id="long option")])
def test_input_never_becomes_an_option(given: str) -> None:
    with pytest.raises(ValueError, match="the command would read as an option"):
        run(command_task([sys.executable, "{input}"]), given)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        pytest.param(("--", "{input}"), ["--", "-rf"], id="after the end of options"),
        pytest.param(("--city={input}",), ["--city=-rf"], id="value of an option"),
        pytest.param((), [], id="standard input"),
    ],
)
def test_input_that_is_no_option_is_run(words: tuple[str, ...], shown: list[str]) -> None:
    assert run(command_task([sys.executable, "-c", PRINT, *words]), "-rf") == str(shown)


def test_input_never_names_the_program() -> None:
    with pytest.raises(ValueError, match="cannot name the program"):
        command_task(["{input}"])
