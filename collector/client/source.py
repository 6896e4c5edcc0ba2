"""The source of commands that read: the store itself, or the server that holds it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import orjson

from ..config.api_token import read_token
from ..errors import Fault, SqlRefused
from .discovery import find_server
from .http_client import Answer, HttpClient, Incoming, Unreachable, is_alive

if TYPE_CHECKING:
    from tracegrade.queries.result import Result

    from ..config.settings import Settings
    from ..store.engines.database import Database
    from ..store.engines.location import Location

__all__ = [
    "LocalSource",
    "RemoteSource",
    "Source",
    "Unacceptable",
    "connect_to_server",
    "find_server_url",
    "open_source",
    "post",
    "reading",
    "require_store",
    "suggest_server",
]

_UNREACHABLE = 4
_UNAUTHORIZED = 401
_NOT_FOUND = 404
_REFUSALS = {400, 404, 408, 409}
_SQL_ERRORS = {"refused", "failed", "timed_out"}
"""The kinds of errors of `queries.fence`, repeated here since importing that module imports the database."""

_USUAL_SERVER = "http://127.0.0.1:8400"
"""The address of a server with default settings."""

_SHORT_PROBE_S = 0.5


class Unacceptable(Fault):
    """Input is refused, and its author must change it. Other input may still be accepted."""


class Source(Protocol):
    """Answers SELECTs."""

    def read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        """Return the answer.

        Raises SqlRefused with the message of DuckDB or the fence; Fault if the store cannot be queried.
        """


class LocalSource:
    """A store that this process has opened."""

    def __init__(self, database: Database, *, max_rows: int = 10_000, timeout_s: float = 30.0) -> None:
        self.database = database
        self._max_rows = max_rows
        self._timeout_s = timeout_s

    def read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        from tracegrade.queries import fence  # noqa: PLC0415 - commands that query a server need no database

        try:
            return fence.read(
                self.database.connect,
                sql,
                parameters=dict(parameters) if parameters else None,
                timeout_s=self._timeout_s,
                max_rows=self._max_rows,
                cancelled=threading.Event(),
            )
        except fence.SqlError as error:
            raise SqlRefused(str(error)) from error


class RemoteSource:
    """A running server."""

    def __init__(self, url: str, *, max_rows: int, timeout_s: float, token: str | None) -> None:
        self.url = url.rstrip("/")
        self._limits = {"max_rows": max_rows, "timeout_s": timeout_s}
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._client = HttpClient(url, headers=headers, timeout_s=timeout_s + 5)

    def read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        import pyarrow as pa  # noqa: PLC0415 - answers that a server has rendered need no Arrow

        from tracegrade.queries.result import Column, Result  # noqa: PLC0415 - likewise

        answer = self._ask(sql, "arrow", parameters)
        table = pa.ipc.open_stream(answer.content).read_all()
        columns = tuple(Column(field.name, str(field.type)) for field in table.schema)
        truncated = answer.headers.get("x-tracegrade-truncated") == "true"
        return Result(columns=columns, table=table, truncated=truncated, elapsed_ms=0.0)

    def _ask(self, sql: str, form: str, parameters: Mapping[str, Any] | None) -> Answer:
        return self.post("/api/v1/sql", {"sql": sql, "format": form, "parameters": parameters, **self._limits})

    def post(self, path: str, body: object) -> Answer:
        """Send `body` as JSON and return the answer. Raises as `answering` does."""
        with self.answering(path, body) as answer:
            return answer.whole()

    @contextmanager
    def answering(self, path: str, body: object) -> Iterator[Incoming]:
        """Send `body` as JSON and yield the answer, whose content is still to be read.

        Raises Fault with the message of the server: SqlRefused if it concerns a query, Unacceptable if it concerns
        other input.
        """
        with self._answering("POST", path, orjson.dumps(body), "application/json") as answer:
            yield answer

    def delete(self, path: str) -> None:
        """Delete what has this path. Raises as `answering` does."""
        with self._answering("DELETE", path):
            pass

    @contextmanager
    def _answering(
        self, method: str, path: str, body: bytes | None = None, content_type: str | None = None
    ) -> Iterator[Incoming]:
        try:
            with self._client.answering(method, path, body, content_type) as answer:
                if not answer.is_success:
                    raise _fault(self.url, answer.whole())
                yield answer
        except Unreachable as error:
            raise Fault(f"the server at {self.url} does not answer: {error}", exit_code=_UNREACHABLE) from error


@contextmanager
def reading(
    config: Path | None,
    *,
    store: str | None,
    server: str | None,
    max_rows: int = 10_000,
    timeout_s: float = 30.0,
) -> Iterator[LocalSource | RemoteSource]:
    """Yield the source that a command's options name, for commands that need no other setting.

    Raises as `open_source` does.
    """
    if server is not None:
        yield RemoteSource(server, max_rows=max_rows, timeout_s=timeout_s, token=read_token(config))
        return
    from .settings import load_settings  # noqa: PLC0415 - a server needs only the token

    with open_source(load_settings(config, store=store), max_rows=max_rows, timeout_s=timeout_s) as source:
        yield source


@contextmanager
def open_source(
    settings: Settings,
    server: str | None = None,
    *,
    max_rows: int = 10_000,
    timeout_s: float = 30.0,
    read_only: bool = False,
    creates: bool = False,
) -> Iterator[LocalSource | RemoteSource]:
    """Yield the source for these settings. Raises StoreUnavailable or Fault.

    With `read_only` the file is not opened for writing, unless it needs a migration. With `creates` a store that does
    not exist is created.
    """
    if server is None:
        from ..store.engines.selection import locate  # noqa: PLC0415 - commands that query a server need no store
        from ..store.errors import StoreLocked  # noqa: PLC0415 - likewise

        location = locate(settings.store) if creates else require_store(settings)
        try:
            database = _open_store(location, settings.memory_limit, read_only=read_only)
        except StoreLocked:
            if (note := find_server(settings.store)) is None:
                raise
            server = note.url
        else:
            try:
                yield LocalSource(database, max_rows=max_rows, timeout_s=timeout_s)
            finally:
                database.close()
            return
    yield connect_to_server(server, settings, max_rows=max_rows, timeout_s=timeout_s)


def require_store(settings: Settings) -> Location:
    """Return the location of the store.

    Raises StoreUnavailable if there is no store, since opening it would create one.
    """
    from ..store.engines.selection import locate  # noqa: PLC0415 - commands that query a server need no store
    from ..store.errors import StoreUnavailable  # noqa: PLC0415 - likewise

    location = locate(settings.store)
    if not location.exists():
        raise StoreUnavailable(
            f"{location.name}: there is no such store; `tracegrade serve` or `tracegrade import` makes one"
            f"{suggest_server()}"
        )
    return location


def suggest_server() -> str:
    """Return a sentence that names the option for the server at the usual address; "" if none answers there.

    The probe carries no token: a stranger may listen there.
    """
    if not is_alive(_USUAL_SERVER, timeout_s=_SHORT_PROBE_S):
        return ""
    return f". A server answers at {_USUAL_SERVER}: add `--server {_USUAL_SERVER}` to ask it"


def _open_store(location: Location, memory_limit: str | None, *, read_only: bool) -> Database:
    from ..store.errors import StoreOutdated  # noqa: PLC0415 - with the store

    try:
        return location.open(memory_limit=memory_limit, read_only=read_only)
    except StoreOutdated:
        return location.open(memory_limit=memory_limit)


def post(settings: Settings, url: str, path: str, body: object) -> Any:
    """Send `body` to a running server and return its answer, parsed from JSON. Raises Fault."""
    return connect_to_server(url, settings, timeout_s=60.0).post(path, body).json()


def connect_to_server(url: str, settings: Settings, *, max_rows: int = 1, timeout_s: float) -> RemoteSource:
    """Return the server at `url` as a source that sends the token of the settings."""
    token = settings.token.get_secret_value() if settings.token else None
    return RemoteSource(url, max_rows=max_rows, timeout_s=timeout_s, token=token)


def find_server_url(settings: Settings, server: str | None) -> str | None:
    """Return the address of the `server` that is named, else of the one that holds the store; None without either."""
    note = None if server else find_server(settings.store)
    return note.url if note else server or None


def _fault(url: str, answer: Answer) -> Fault:
    """Build the error for an unsuccessful answer, from the problem document in it."""
    if answer.status == _UNAUTHORIZED:
        return Fault(
            f"the server at {url} requires its token: set TRACEGRADE_TOKEN to the value it was started with",
            exit_code=_UNREACHABLE,
        )
    try:
        problem = answer.json()
        kind, message = str(problem["kind"]), str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        text = answer.content[:200].decode(errors="replace")
        kind, message = "", f"the server at {url} answered {answer.status}: {text}"
        if answer.status == _NOT_FOUND:
            message += "; is this the address of the API of a server that is as new as this command?"
    if answer.status not in _REFUSALS:
        return Fault(message, exit_code=_UNREACHABLE)
    if not kind:
        return Fault(message)  # from something other than a Tracegrade server
    return SqlRefused(message) if kind in _SQL_ERRORS else Unacceptable(message)
