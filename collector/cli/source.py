"""Where a reading command reads: the store itself, or the server that holds it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx
import pyarrow as pa

from tracegrade.queries import fence
from tracegrade.queries.result import FORMATS, Column, Result

from ..errors import Fault, SqlRefused
from ..server_file import ServerNote, note_of
from ..settings import Settings
from ..store.database import Database, StoreLocked, StoreOutdated, StoreUnavailable, path_of

__all__ = ["LocalSource", "RemoteSource", "Source", "Unacceptable", "alive", "opened", "post", "require_store"]

_UNREACHABLE = 4
_UNAUTHORIZED = 401
_REFUSALS = {400, 404, 408, 409}
_SQL_ERRORS = {one.kind for one in (fence.SqlRefused, fence.SqlFailed, fence.SqlTimedOut)}
_PROBE_S = 2.0


class Unacceptable(Fault):
    """What was handed in is refused: who wrote it must change it, and anything else may be taken."""


class Source(Protocol):
    """Answers SELECTs."""

    def read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        """Raises SqlRefused with what DuckDB or the fence says; Fault where the store cannot be asked."""

    def render(self, sql: str, form: str) -> bytes:
        """The answer as json, csv, arrow or parquet."""


class LocalSource:
    """The store, opened by this process."""

    def __init__(self, database: Database, *, max_rows: int = 10_000, timeout_s: float = 30.0) -> None:
        self.database = database
        self._max_rows = max_rows
        self._timeout_s = timeout_s

    def read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
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

    def render(self, sql: str, form: str) -> bytes:
        return FORMATS[form].render(self.read(sql))


class RemoteSource:
    """A running server."""

    def __init__(self, url: str, *, max_rows: int, timeout_s: float, token: str | None) -> None:
        self._url = url.rstrip("/")
        self._limits = {"max_rows": max_rows, "timeout_s": timeout_s}
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.Client(base_url=self._url, headers=headers, timeout=timeout_s + 5, trust_env=False)

    def read(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        response = self._ask(sql, "arrow", parameters)
        table = pa.ipc.open_stream(response.content).read_all()
        columns = tuple(Column(field.name, str(field.type)) for field in table.schema)
        truncated = response.headers.get("x-tracegrade-truncated") == "true"
        return Result(columns=columns, table=table, truncated=truncated, elapsed_ms=0.0)

    def render(self, sql: str, form: str) -> bytes:
        return self._ask(sql, form, None).content

    def close(self) -> None:
        self._client.close()

    def _ask(self, sql: str, form: str, parameters: Mapping[str, Any] | None) -> httpx.Response:
        return self.post("/api/v1/sql", {"sql": sql, "format": form, "parameters": parameters, **self._limits})

    def post(self, path: str, body: object) -> httpx.Response:
        """The answer to a request. Raises Fault with what the server says: SqlRefused where it is about a query,
        Unacceptable where it is about anything else that was handed in."""
        try:
            response = self._client.post(path, json=body)
        except httpx.HTTPError as error:
            raise Fault(f"the server at {self._url} does not answer: {error}", exit_code=_UNREACHABLE) from error
        if response.is_success:
            return response
        if response.status_code == _UNAUTHORIZED:
            raise Fault(
                f"the server at {self._url} wants its token: set TRACEGRADE_TOKEN to the value it was started with",
                exit_code=_UNREACHABLE,
            )
        raise _fault(response)


@contextmanager
def opened(
    settings: Settings,
    server: str | None = None,
    *,
    max_rows: int = 10_000,
    timeout_s: float = 30.0,
    read_only: bool = False,
) -> Iterator[LocalSource | RemoteSource]:
    """The source for these settings; with `read_only` a file that needs no migration is not opened for writing. Raises
    StoreUnavailable or Fault."""
    token = settings.token.get_secret_value() if settings.token else None
    path = path_of(settings.store) if server else require_store(settings)
    try:
        database = None if server else _database(path, settings.memory_limit, read_only=read_only)
    except StoreLocked as locked:
        database, server = None, _holder(path, locked).url
    if database is not None:
        try:
            yield LocalSource(database, max_rows=max_rows, timeout_s=timeout_s)
        finally:
            database.close()
        return
    remote = RemoteSource(str(server), max_rows=max_rows, timeout_s=timeout_s, token=token)
    try:
        yield remote
    finally:
        remote.close()


def require_store(settings: Settings) -> Path:
    """The path of the store. Raises StoreUnavailable where there is none: opening it would make an empty one."""
    path = path_of(settings.store)
    if not path.exists():
        raise StoreUnavailable(f"{path}: there is no such store; `tracegrade serve` or `tracegrade import` makes one")
    return path


def _database(path: Path, memory_limit: str | None, *, read_only: bool) -> Database:
    try:
        return Database(path, memory_limit=memory_limit, read_only=read_only)
    except StoreOutdated:
        return Database(path, memory_limit=memory_limit)


def post(settings: Settings, url: str, path: str, body: object) -> Any:
    """What a running server answers, from JSON. Raises Fault."""
    token = settings.token.get_secret_value() if settings.token else None
    server = RemoteSource(url, max_rows=1, timeout_s=60.0, token=token)
    try:
        return server.post(path, body).json()
    finally:
        server.close()


def alive(path: Path) -> ServerNote | None:
    """The server that holds a store, when it answers."""
    note = note_of(path)
    if note is None:
        return None
    try:
        answer = httpx.get(f"{note.url}/healthz", timeout=_PROBE_S, trust_env=False)
    except httpx.HTTPError:
        return None
    return note if answer.is_success else None


def _holder(path: Path, locked: StoreLocked) -> ServerNote:
    note = alive(path)
    if note is None or (locked.pid is not None and note.pid != locked.pid and os.getpid() != note.pid):
        raise locked
    return note


def _fault(response: httpx.Response) -> Fault:
    """What an answer that is no success says, by the `kind` and `message` of its error."""
    try:
        error = response.json()["error"]
        kind, message = str(error["kind"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        kind, message = "", f"the server answered {response.status_code}: {response.text[:200]}"
    if response.status_code not in _REFUSALS:
        return Fault(message, exit_code=_UNREACHABLE)
    if not kind:
        return Fault(message)  # by something that is no server of ours
    return SqlRefused(message) if kind in _SQL_ERRORS else Unacceptable(message)
