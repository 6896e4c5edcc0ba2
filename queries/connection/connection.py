"""Connects to a running server or to the file of a store."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

import pyarrow as pa

from ..cookbook.library import read_library
from ..cookbook.parameters import fill
from ..fence import Parameters
from .answer import QueryAnswer
from .file import StoreFile
from .server import Server

__all__ = ["Connection", "connect"]

_TIMEOUT_S: Final = 30.0
_FILE_SCHEME: Final = "duckdb:///"
_SCHEME: Final = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:")


def connect(url_or_path: str | Path, token: str | None = None) -> Connection:
    """Return a connection to a running server (`http://127.0.0.1:8400`) or to the DuckDB file of a store.

    `token` is that of the server, if it has one. Nothing is opened or asked before the first query. Raises ValueError
    for an address that is neither, and for a token with a file.

    >>> connect("tracegrade.duckdb")
    <connection to tracegrade.duckdb>
    """
    place = str(url_or_path)
    if place.startswith(("http://", "https://")):
        return Connection(Server(place, token))
    if token is not None:
        raise ValueError(f"a token is sent to a server, and {place} is a file")
    if place.startswith(_FILE_SCHEME):
        return Connection(StoreFile(Path(place.removeprefix(_FILE_SCHEME))))
    if isinstance(url_or_path, str) and _SCHEME.match(place):
        raise ValueError(f"{place}: only http://, https://, duckdb:///FILE or a path can be connected to")
    return Connection(StoreFile(Path(place)))


class Readable(Protocol):
    """A server or a file, which answers one query with all its rows."""

    @property
    def name(self) -> str: ...

    def read(self, sql: str, parameters: Parameters | None, *, timeout_s: float) -> pa.Table: ...


class Connection:
    """Answers queries. It holds nothing open between them, so it needs no closing."""

    def __init__(self, source: Readable) -> None:
        self._source = source

    def __repr__(self) -> str:
        return f"<connection to {self._source.name}>"

    def sql(self, text: str, parameters: Parameters | None = None, *, timeout_s: float = _TIMEOUT_S) -> QueryAnswer:
        """Return all rows of one SELECT.

        `parameters` are a list for `?` or a dict for `$name`. `timeout_s` limits each wait for further rows. Raises
        SqlRefused, SqlFailed or SqlTimedOut (all are SqlError) if the author of the query must act, and Unavailable if
        the store cannot be read now; the message says who must do what.
        """
        return QueryAnswer(self._source.read(text, parameters, timeout_s=timeout_s))

    def report(
        self,
        name: str,
        /,
        since: str | None = None,
        *,
        folder: str | Path | None = None,
        timeout_s: float = _TIMEOUT_S,
        **parameters: str,
    ) -> QueryAnswer:
        """Return the answer of a report of `tracegrade report`, with its columns.

        `since` is how long before now its period begins, such as `24h`, or a time in ISO 8601; without it the report's
        own period, mostly `7d`. Further `parameters` are those of the report: `until`, `agent`, `version`,
        `environment` and others. `folder` has reports of your own. Raises ReportError if there is no such report or
        parameter, the message names the nearest; and as `sql` does.
        """
        found = read_library(None if folder is None else Path(folder)).find(name)
        given = parameters if since is None else {"since": since, **parameters}
        filled = fill(found, given, now=datetime.now(UTC).replace(tzinfo=None))
        return self.sql(found.sql, filled.values, timeout_s=timeout_s)
