"""What judges' functions raise: who has to act, and whether asking again makes sense."""

from __future__ import annotations

import errno
import http.client
import socket
import ssl
import urllib.error
from collections.abc import Callable
from email.message import Message
from types import SimpleNamespace
from typing import Any

import httpx
import openai
import pytest

from tracegrade.evaluators.judges.exchange.failure import Busy, Failure, Misconfigured, Refused, Unreachable
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.servers.exception_mapping import meaning

REQUEST = httpx.Request("POST", "http://judge/v1")


def meant(error: BaseException) -> Failure:
    return meaning(Judge(python="judges:ask"), error)


def status_error(status: int, **headers: str) -> httpx.HTTPStatusError:
    answer = httpx.Response(status, headers=headers, request=REQUEST)
    return httpx.HTTPStatusError(f"status {status}", request=REQUEST, response=answer)


def of_openai(status: int, body: object = None, **headers: str) -> openai.APIStatusError:
    answer: Any = httpx.Response(status, headers=headers, request=REQUEST)
    return openai.APIStatusError(f"Error code: {status}", response=answer, body=body)


def of_urllib(status: int) -> urllib.error.HTTPError:
    headers = Message()
    headers["Retry-After"] = "7"
    return urllib.error.HTTPError("http://judge/v1", status, "no", headers, None)


def of_client(name: str, base: str = "ClientError", **said: object) -> Exception:
    """One of a client that is not installed here."""
    error: Exception = type(name, (type(base, (Exception,), {}),), said)("broken")
    return error


def raised(raises: Callable[[], object]) -> BaseException:
    try:
        raises()
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error
    raise AssertionError


@pytest.mark.parametrize(
    "error",
    [
        httpx.RemoteProtocolError("Server disconnected"),
        openai.APIConnectionError(request=REQUEST),  # type: ignore[arg-type]  # of httpx or httpx2
        http.client.IncompleteRead(b""),
        urllib.error.URLError("nobody there"),
        of_client("ServerDisconnectedError", "ClientConnectionError"),
        of_client("ConnectionError"),
        ConnectionResetError(errno.ECONNRESET, "reset"),
        TimeoutError("late"),
        socket.gaierror(socket.EAI_NONAME, "no such host"),
        ssl.SSLError("handshake"),
        OSError(errno.ENETUNREACH, "no network"),
        status_error(500),
        of_openai(503),
        of_client("ClientResponseError", status=502),
    ],
    ids=lambda error: type(error).__name__,
)
def test_client_that_gets_no_answer_is_asked_again(error: BaseException) -> None:
    assert type(meant(error)) is Unreachable


@pytest.mark.parametrize(
    "error",
    [
        status_error(429, **{"Retry-After": "7"}),
        of_openai(503, **{"Retry-After": "7"}),
        of_client("ClientResponseError", status=429, headers={"Retry-After": 7}),
        of_client("RateLimitError", response=SimpleNamespace(status_code=429, headers={"retry-after": "7"})),
        of_urllib(429),
    ],
    ids=["httpx", "openai", "status", "response", "urllib"],
)
def test_client_whose_server_is_busy_is_left_alone_for_as_long_as_it_says(error: BaseException) -> None:
    busy = meant(error)
    assert isinstance(busy, Busy)
    assert busy.retry_after_s == 7


def test_client_that_says_only_the_number_of_its_answer_is_understood() -> None:
    busy = meant(of_client("APIError", code=http.client.TOO_MANY_REQUESTS, status="RESOURCE_EXHAUSTED"))
    assert isinstance(busy, Busy)
    assert busy.retry_after_s is None


@pytest.mark.parametrize(
    "error",
    [status_error(401), of_openai(404), of_openai(429, {"code": "insufficient_quota"})],
    ids=["key", "address", "credit"],
)
def test_what_its_owner_must_correct_waits_and_names_no_setting_of_ours(error: BaseException) -> None:
    said = meant(error)
    assert isinstance(said, Misconfigured)
    assert "judges:ask raised" in str(said)
    assert str(said).endswith("; correct what it asks with: its key, credit, model or address")
    assert "api_key_env" not in str(said)


def test_question_that_its_server_refuses_is_an_error() -> None:
    assert type(meant(status_error(422))) is Refused


def _wraps(cause: Exception) -> None:
    raise ValueError("the judge failed") from cause


def _replaces(cause: Exception) -> None:
    try:
        raise cause  # noqa: TRY301
    except Exception:  # noqa: BLE001 - as many do
        raise ValueError("mine")  # noqa: B904


@pytest.mark.parametrize("instead", [_wraps, _replaces], ids=["from it", "meanwhile"])
def test_error_that_takes_the_place_of_a_clients_means_the_same(instead: Callable[[Exception], None]) -> None:
    assert isinstance(meant(raised(lambda: instead(status_error(429)))), Busy)
    assert isinstance(meant(raised(lambda: instead(httpx.ConnectError("no")))), Unreachable)


def test_error_from_a_broken_connection_is_asked_again() -> None:
    assert isinstance(meant(raised(lambda: _wraps(ConnectionRefusedError()))), Unreachable)


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "no file"),
        PermissionError(errno.EACCES, "not yours"),
        raised(lambda: _wraps(FileNotFoundError())),
        raised(lambda: _replaces(FileNotFoundError())),
        raised(lambda: _replaces(BrokenPipeError())),
        SystemExit(503),
        of_client("Mine", status=True, code=7),
    ],
    ids=["no file", "not yours", "from no file", "after no file", "after a broken pipe", "exit", "own number"],
)
def test_what_is_no_matter_of_the_network_is_an_error(error: BaseException) -> None:
    assert type(meant(error)) is Refused


def test_error_that_comes_from_itself_is_an_error() -> None:
    error = ValueError("round")
    error.__cause__ = error
    assert str(meant(error)) == "judges:ask raised ValueError: round"


def test_message_is_one_short_line_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    said = str(meant(ValueError("first sk-secret\n" + "x" * 3_000_000)))
    assert said.startswith("judges:ask raised ValueError: first *** xxx")
    assert len(said) < 400


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    @property
    def status_code(self) -> int:
        raise RuntimeError("no number")


def test_error_that_cannot_be_told_is_named() -> None:
    assert str(meant(Mute())) == "judges:ask raised Mute"
