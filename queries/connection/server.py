"""Asks a running server by its API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import httpx
import orjson
import pyarrow as pa

from ..fence import Parameters, SqlError, SqlFailed, SqlRefused, SqlTimedOut
from ..ports import Unavailable

__all__ = ["Server"]

_PATH: Final = "/api/v1/sql"
_UNAUTHORIZED: Final = 401
_OF_THE_REQUEST: Final = frozenset({400, 413, 415})
_KINDS: Final = {each.kind: each for each in (SqlRefused, SqlFailed, SqlTimedOut)}
_MARGIN_S: Final = 10.0
"""How much longer than its own limit a query may take to be answered: for its turn, its process and the network."""


class Server:
    """A running server; each query is a request of its own. No proxy and no redirect is used, since it gets a token."""

    def __init__(self, url: str, token: str | None) -> None:
        self.name = url.rstrip("/")
        self._headers = {"content-type": "application/json"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"

    def read(self, sql: str, parameters: Parameters | None, *, timeout_s: float) -> pa.Table:
        """Return all rows. Raises SqlError and Unavailable."""
        body = {"sql": sql, "parameters": parameters, "format": "arrow", "max_rows": None, "timeout_s": timeout_s}
        with self._translate_errors(timeout_s):
            response = httpx.post(
                f"{self.name}{_PATH}",
                content=orjson.dumps(body),
                headers=self._headers,
                timeout=timeout_s + _MARGIN_S,
                trust_env=False,
            )
        if not response.is_success:
            raise self._explain_refusal(response)
        return pa.ipc.open_stream(response.content).read_all()

    @contextmanager
    def _translate_errors(self, timeout_s: float) -> Iterator[None]:
        try:
            yield
        except httpx.RemoteProtocolError as error:
            raise Unavailable(
                f"the server at {self.name} interrupted its answer ({error}). Its log says why; if the query is slow, "
                f"raise timeout_s (it is {timeout_s:g})"
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise Unavailable(f"the server at {self.name} does not answer: {reason}") from error

    def _explain_refusal(self, response: httpx.Response) -> SqlError | Unavailable:
        if response.status_code == _UNAUTHORIZED:
            return Unavailable(f"the server at {self.name} requires its token: connect(url, token=…)")
        try:
            problem = response.json()
            kind, message = str(problem["kind"]), str(problem["detail"])
        except (ValueError, LookupError, TypeError):
            return Unavailable(
                f"the server at {self.name} answered {response.status_code}: {response.text[:200]}; is this the "
                "address of the API of a Tracegrade server?"
            )
        if kind in _KINDS:
            return _KINDS[kind](message, limit=problem.get("limit"), setting=problem.get("setting"))
        return SqlRefused(message) if response.status_code in _OF_THE_REQUEST else Unavailable(message)
