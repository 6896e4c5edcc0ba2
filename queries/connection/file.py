"""Reads the DuckDB file of a store that no server holds."""

from __future__ import annotations

import re
import threading
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import duckdb
import orjson
import pyarrow as pa

from .. import catalog, fence
from ..fence import Parameters
from ..ports import Unavailable

__all__ = ["StoreFile"]

_PID: Final = re.compile(r"PID (\d+)")
_OF_THIS_MACHINE: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class StoreFile:
    """The file of a store. Each query opens it read-only and closes it again, since a server cannot start meanwhile."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._opening = threading.Lock()

    def read(self, sql: str, parameters: Parameters | None, *, timeout_s: float) -> pa.Table:
        """Return all rows. Raises SqlError and Unavailable."""
        with (
            closing(self._open()) as connection,
            fence.stream(connection.cursor, sql, parameters=parameters, timeout_s=timeout_s) as stream,
        ):
            return pa.Table.from_batches(stream.batches, stream.schema)

    def _open(self) -> duckdb.DuckDBPyConnection:
        """Open the file, shut off from all else, and check that it is a store of this version. Raises Unavailable."""
        if not self._path.is_file():
            raise Unavailable(
                f"{self._path}: there is no such file; `tracegrade serve` or `tracegrade import` makes one"
            )
        with self._opening:
            try:
                connection = duckdb.connect(self.name, read_only=True, config={**fence.SHUT})
            except duckdb.Error as error:
                raise self._explain_connecting(error) from error
            try:
                fence.harden(connection)
                catalog.migrate(connection)  # which writes nothing if the store is current
            except BaseException as error:
                connection.close()
                raise self._explain_opening(error) from error
        return connection

    def _explain_connecting(self, error: duckdb.Error) -> Unavailable:
        if isinstance(error, duckdb.ConnectionException):
            return Unavailable(f"{self._path} is open in this process, with other options: close it there")
        if not isinstance(error, duckdb.IOException):
            return Unavailable(f"{self._path} cannot be opened as a DuckDB file: {error}")
        if "lock" not in str(error).lower():
            return Unavailable(f"{self._path} cannot be opened: {error}")
        if url := _read_address(self._path):
            return Unavailable(f"{self._path} is held by the server at {url}, which answers connect({url!r})")
        pid = _PID.search(str(error))
        holder = f"process {pid[1]}" if pid else "another process"
        return Unavailable(f"{self._path} is held by {holder}: if it is a server, connect to its URL; otherwise end it")

    def _explain_opening(self, error: BaseException) -> BaseException:
        if isinstance(error, catalog.CatalogError):
            return Unavailable(f"{self._path}: {error}")
        if isinstance(error, duckdb.InvalidInputException):
            return Unavailable(f"{self._path} was written by an earlier version: `tracegrade serve` migrates it")
        return error


def _read_address(path: Path) -> str | None:
    """Read the address in the note that a server leaves beside its store; None if it is not one of this machine."""
    try:
        url = orjson.loads(path.with_name(f"{path.name}.server").read_bytes())["url"]
        return str(url) if urlsplit(url).hostname in _OF_THIS_MACHINE else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
