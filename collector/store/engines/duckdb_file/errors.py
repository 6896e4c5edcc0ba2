"""Converts errors of DuckDB that are due to the store into errors of `store.errors`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import duckdb

from tracegrade.queries.catalog import CatalogError

from ...errors import (
    StoreBeingWritten,
    StoreFull,
    StoreInvalidated,
    StoreLocked,
    StoreOutdated,
    StoreOutOfMemory,
    StoreUnavailable,
)
from .disk_space import is_disk_full

__all__ = ["explain_checkpoint", "explain_connecting", "explain_opening", "explain_writing"]

_OF_THE_STORE: Final = (duckdb.OperationalError, duckdb.InternalError, duckdb.InterruptException)
"""Errors that do not depend on the values of a statement."""

_PID: Final = re.compile(r"PID (\d+)")


def explain_writing(path: Path, error: duckdb.Error) -> StoreUnavailable | None:
    """Return the error to raise in place of that of a statement; None if the statement or its values caused it.

    Only the type decides, and for a full disk the message too: messages of other types may quote values from senders.
    """
    if isinstance(error, duckdb.FatalException):
        return StoreInvalidated()
    if isinstance(error, duckdb.OutOfMemoryException):
        return StoreOutOfMemory(str(error))
    if not isinstance(error, _OF_THE_STORE):
        return None
    return StoreFull(path, error) if is_disk_full(error) else StoreUnavailable(str(error))


def explain_checkpoint(path: Path, error: duckdb.Error) -> StoreUnavailable:
    """Return the error to raise in place of that of a checkpoint, which no values can cause."""
    if isinstance(error, duckdb.TransactionException):
        return StoreBeingWritten(f"{path} is being written to; try again")
    return explain_writing(path, error) or StoreUnavailable(f"{path} cannot be checkpointed: {error}")


def explain_opening(path: Path, error: BaseException, *, is_read_only: bool = False) -> BaseException:
    """Return the error to raise if an open file cannot be prepared; `error` itself if no user can resolve it."""
    if isinstance(error, CatalogError):
        return StoreUnavailable(f"{path}: {error}")
    if isinstance(error, duckdb.InvalidInputException) and is_read_only:
        return StoreOutdated(f"{path} was written by an earlier version: `tracegrade serve` migrates it")
    if isinstance(error, duckdb.Error) and is_disk_full(error):
        return StoreFull(path, error)
    return error


def explain_connecting(path: Path, error: duckdb.Error) -> duckdb.Error | StoreUnavailable:
    """Return the error to raise if DuckDB does not open a file.

    That is `error` itself if this process still has another instance of the file; the caller may retry.
    """
    if isinstance(error, (duckdb.FatalException, duckdb.ConnectionException)):
        return error
    if not isinstance(error, duckdb.IOException):
        return StoreUnavailable(f"{path} cannot be opened as a DuckDB file: {error}")
    if "lock" in str(error).lower():
        pid = _PID.search(str(error))
        return StoreLocked(path, int(pid.group(1)) if pid else None)
    if is_disk_full(error):
        return StoreFull(path, error)
    return StoreUnavailable(f"{path} cannot be opened: {error}")
