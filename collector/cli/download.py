"""A file from a running server, in pieces."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from ..errors import Fault

__all__ = ["download"]

_UNREACHABLE: Final = 4
_UNAUTHORIZED: Final = 401
_NOT_FOUND: Final = 404
_PIECE_BYTES: Final = 2**20
_SILENCE_S: Final = 120.0
"""How long the server may be silent: before the first byte it checkpoints."""


def download(url: str, path: str, file: Path, *, token: str | None) -> None:
    """Writes what `path` of the server answers to `file`. Raises Fault where it does not, or where it breaks off."""
    with _answer(url.rstrip("/"), path, token) as answer:
        wanted, got = int(answer.headers["content-length"]), 0
        try:
            with file.open("wb") as target:
                while piece := answer.read(_PIECE_BYTES):
                    target.write(piece)
                    got += len(piece)
        except (http.client.HTTPException, TimeoutError, ConnectionError) as error:
            raise _broken(url, got, wanted) from error
        except OSError as error:
            raise Fault(f"{file} cannot be written: {error}", exit_code=_UNREACHABLE) from error
    if got < wanted:
        raise _broken(url, got, wanted)


@contextmanager
def _answer(url: str, path: str, token: str | None) -> Iterator[http.client.HTTPResponse]:
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(f"{url}{path}", data=b"{}", headers=headers)  # noqa: S310 - the user's own server
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=_SILENCE_S) as answer:
            yield answer
    except urllib.error.HTTPError as refused:
        raise Fault(_reason(url, refused, refused), exit_code=_UNREACHABLE) from refused
    except (urllib.error.URLError, http.client.HTTPException) as error:
        raise Fault(f"the server at {url} does not answer: {error}", exit_code=_UNREACHABLE) from error
    except ValueError as error:
        raise Fault(f"{url} is not the address of a server, like http://127.0.0.1:8400: {error}") from error


def _reason(url: str, refused: urllib.error.HTTPError, body: IO[bytes]) -> str:
    if refused.code == _UNAUTHORIZED:
        return f"the server at {url} requires its token: set TRACEGRADE_TOKEN to the value it was started with"
    if refused.code == _NOT_FOUND:
        return f"the server at {url} is an earlier version, which makes no snapshots"
    try:
        return str(json.loads(body.read(_PIECE_BYTES))["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"the server at {url} answered {refused.code}"


def _broken(url: str, got: int, wanted: int) -> Fault:
    return Fault(
        f"the server at {url} broke off after {got:,} of {wanted:,} bytes; its log tells why. Try again, or nearer to "
        "the server",
        exit_code=_UNREACHABLE,
    )
