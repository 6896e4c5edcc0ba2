"""An export over HTTP that takes its time: half of the body, then a pause of any length, then the rest."""

from __future__ import annotations

from http.client import HTTPConnection
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

__all__ = ["Upload"]


class Upload:
    """A request of which the first half has been sent."""

    def __init__(self, url: str, body: bytes) -> None:
        at = urlsplit(url)
        self._connection = HTTPConnection(at.hostname or "", at.port, timeout=30)
        self._connection.putrequest("POST", "/v1/traces")
        self._connection.putheader("content-type", "application/x-protobuf")
        self._connection.putheader("content-length", str(len(body)))
        self._connection.endheaders()
        half = len(body) // 2
        self._rest = body[half:]
        self._connection.send(body[:half])

    def finish(self) -> int:
        """Sends the rest; gives the status of the answer."""
        self._connection.send(self._rest)
        return self._connection.getresponse().status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.close()
