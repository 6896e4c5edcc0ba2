"""Requests to a server, by the standard library: its HTTP client loads in a tenth of the time that others take."""

from __future__ import annotations

import http.client
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

import orjson

from ..errors import Fault

__all__ = ["Answer", "HttpClient", "Incoming", "Unreachable", "is_alive"]

_PROBE_S = 2.0
_PORTION_BYTES = 2**20


class Unreachable(Exception):
    """There is no answer at an address, or not in HTTP, or not in time; the message says what happened."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, whole. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def is_success(self) -> bool:
        return _is_success(self.status)

    def json(self) -> Any:
        """Parse the content. Raises ValueError where it is not JSON."""
        return orjson.loads(self.content)


class Incoming:
    """An answer whose content is still to be read, once. The names of `headers` are in lower case."""

    def __init__(self, response: http.client.HTTPResponse, *, timeout_s: float) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.getheaders()}
        self._response = response
        self._timeout_s = timeout_s

    @property
    def is_success(self) -> bool:
        return _is_success(self.status)

    def whole(self) -> Answer:
        """Read the rest. Raises Unreachable."""
        with _translate_errors(self._timeout_s):
            return Answer(self.status, self.headers, self._response.read())

    def portions(self) -> Iterator[bytes]:
        """Read the content as it comes. Raises Unreachable where it breaks off: what came is then only a part."""
        length, size = self._response.length, 0  # None: in chunks, of which the last one is told
        while portion := self._read_portion():
            size += len(portion)
            yield portion
        if length is not None and size < length:
            raise Unreachable(f"it broke off after {size:,} of {length:,} bytes")

    def _read_portion(self) -> bytes:
        with _translate_errors(self._timeout_s):
            return self._response.read1(_PORTION_BYTES)


class HttpClient:
    """Asks one server, over a connection for each request. It uses no proxy."""

    def __init__(self, url: str, *, timeout_s: float, headers: Mapping[str, str] | None = None) -> None:
        self._parts = _parse_url(url)
        self._timeout_s = timeout_s
        self._headers = dict(headers or {})

    def get(self, path: str) -> Answer:
        """Send a GET. Raises Unreachable."""
        return self._ask("GET", path)

    def send(self, path: str, body: bytes, *, content_type: str) -> Answer:
        """Send `body` as it is. Raises Unreachable."""
        return self._ask("POST", path, body, content_type)

    @contextmanager
    def answering(
        self, method: str, path: str, body: bytes | None = None, content_type: str | None = None
    ) -> Iterator[Incoming]:
        """Give an answer whose content is still to be read. Raises Unreachable."""
        headers = {**self._headers, "content-type": content_type} if content_type else self._headers
        connection = self._connect()
        try:
            with _translate_errors(self._timeout_s):
                connection.request(method, f"{self._parts.path}{path}", body, headers)
                response = connection.getresponse()
            yield Incoming(response, timeout_s=self._timeout_s)
        finally:
            connection.close()

    def _ask(self, method: str, path: str, body: bytes | None = None, content_type: str | None = None) -> Answer:
        with self.answering(method, path, body, content_type) as answer:
            return answer.whole()

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        return kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout_s)


def is_alive(url: str, *, timeout_s: float = _PROBE_S) -> bool:
    """Ask without a token whether a server of ours answers there."""
    try:
        return bool(HttpClient(url, timeout_s=timeout_s).get("/healthz").json()["status"] == "ok")
    except (Unreachable, ValueError, LookupError, TypeError):
        return False


@contextmanager
def _translate_errors(timeout_s: float) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise Unreachable(f"no answer within {timeout_s:g} s") from error
    except OSError as error:
        raise Unreachable(str(error) or type(error).__name__) from error
    except http.client.IncompleteRead as error:
        raise Unreachable("it broke off") from error
    except http.client.HTTPException as error:  # its text is what a server sent that does not speak HTTP
        raise Unreachable(f"it does not speak HTTP as it should ({type(error).__name__})") from error


def _is_success(status: int) -> bool:
    return 200 <= status < 300


def _parse_url(url: str) -> SplitResult:
    """Split an address. Raises Fault where `url` is not the address of a server."""
    try:
        parts = urlsplit(url.rstrip("/"))
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its port is no number
        is_address = False
    if not is_address:
        raise Fault(f"{url!r} is not the address of a server; write http://HOST:PORT")
    return parts
