"""Opens a DuckDB file: readable by its owner alone, without access to other files, with the current schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from tracegrade.queries import catalog, fence

from ....system.memory_limit import duckdb_limit
from ....system.private_file import LinkInPlace, make_private
from ...errors import StoreUnavailable
from . import quack
from .errors import explain_connecting, explain_opening

__all__ = ["Opening", "ensure_store"]

_CHECKPOINT_THRESHOLD: Final = "256MB"
_NEVER: Final = "1TB"
_BEFORE_LOADING: Final = {name: value for name, value in fence.SHUT.items() if name != "enable_external_access"}
"""Extensions can be loaded until the instance is hardened; nothing in the file runs before."""
_SUFFIXES: Final = ("", ".wal", ".wal.checkpoint", ".wal.recovery", ".tmp")
"""The suffixes of the files that DuckDB writes, after the name of the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The options with which the file at `path` is opened, and reopened after DuckDB has invalidated its instance."""

    path: Path
    memory_limit: str | None
    read_only: bool
    checkpoints_itself: bool
    threads: int | None
    has_quack: bool = False

    def open(self) -> duckdb.DuckDBPyConnection:
        """Open the file, migrate it, and return the first connection of the new instance.

        Raises StoreUnavailable, or DuckDB's error if this process still has an invalidated instance of the file.
        """
        connection = self._connect()
        try:
            if self.has_quack:
                quack.install(connection)
            fence.harden(connection)
            catalog.migrate(connection)
        except BaseException as error:
            connection.close()
            raise explain_opening(self.path, error, is_read_only=self.read_only) from error
        return connection

    def _connect(self) -> duckdb.DuckDBPyConnection:
        path = self.path
        if not path.parent.is_dir():
            raise StoreUnavailable(
                f"{path}: the folder {path.parent} does not exist; create it or name another --store"
            )
        if not self.read_only:
            _keep_private(path)
        try:
            return duckdb.connect(str(path), read_only=self.read_only, config=self._config())
        except duckdb.Error as error:
            explained = explain_connecting(path, error)
            if explained is error:
                raise
            raise explained from error

    def _config(self) -> dict[str, Any]:
        return {
            **(_BEFORE_LOADING if self.has_quack else fence.SHUT),
            "checkpoint_threshold": _CHECKPOINT_THRESHOLD if self.checkpoints_itself else _NEVER,
            "max_temp_directory_size": "4GB",  # so that a query cannot fill the disk
            "memory_limit": self.memory_limit or duckdb_limit(),
            "storage_compatibility_version": "v1.0.0",  # DuckDB 1.0 and later can open the file
            **({} if self.threads is None else {"threads": self.threads}),
        }


def ensure_store(path: Path) -> None:
    """Raise StoreUnavailable if a DuckDB file has no table `schema_history`, so that it is not a store."""
    with duckdb.connect(str(path), read_only=True, config={**fence.SHUT}) as connection:
        tables = {row[0] for row in connection.execute("show tables").fetchall()}
    if "schema_history" not in tables:
        raise StoreUnavailable(f"{path} is a DuckDB file, but not a store of Tracegrade")


def _keep_private(path: Path) -> None:
    """Make the files of the store private. Raises StoreUnavailable if one of them is a link."""
    try:
        make_private(path.with_name(path.name + suffix) for suffix in _SUFFIXES)
    except LinkInPlace as link:
        raise StoreUnavailable(str(link)) from link
