"""DuckDB's errors, sorted: which of them the store is to blame for, and what is raised instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import duckdb

from tracegrade.queries.catalog import CatalogError

from ...errors import (
    StoreBeingWritten,
    StoreFull,
    StoreGivenUp,
    StoreLocked,
    StoreOutdated,
    StoreOutOfMemory,
    StoreUnavailable,
)
from .disk_space import is_disk_full

__all__ = ["explain_checkpoint", "explain_connecting", "explain_opening", "explain_writing"]

_OF_THE_STORE: Final = (duckdb.OperationalError, duckdb.InternalError, duckdb.InterruptException)
"""What goes wrong whichever values a statement has."""

_PID: Final = re.compile(r"PID (\d+)")


def explain_writing(path: Path, error: duckdb.Error) -> StoreUnavailable | None:
    """The error to raise in place of that of a statement; None where the statement or its values are to blame.

    It goes by the type, except for a full disk: the message of other types may quote values that anyone has sent.
    """
    if isinstance(error, duckdb.FatalException):
        return StoreGivenUp()
    if isinstance(error, duckdb.OutOfMemoryException):
        return StoreOutOfMemory(str(error))
    if not isinstance(error, _OF_THE_STORE):
        return None
    return StoreFull(path, error) if is_disk_full(error) else StoreUnavailable(str(error))


def explain_checkpoint(path: Path, error: duckdb.Error) -> StoreUnavailable:
    """The error to raise in place of that of a checkpoint, which has no values."""
    if isinstance(error, duckdb.TransactionException):
        return StoreBeingWritten(f"{path} is being written to; try again")
    return explain_writing(path, error) or StoreUnavailable(f"{path} cannot be checkpointed: {error}")


def explain_opening(path: Path, error: BaseException, *, is_read_only: bool = False) -> BaseException:
    """The error to raise in place of one from preparing an open file; `error` itself where nobody has to act."""
    if isinstance(error, CatalogError):
        return StoreUnavailable(f"{path}: {error}")
    if isinstance(error, duckdb.InvalidInputException) and is_read_only:
        return StoreOutdated(f"{path} was written by an earlier version: `tracegrade serve` migrates it")
    if isinstance(error, duckdb.Error) and is_disk_full(error):
        return StoreFull(path, error)
    return error


def explain_connecting(path: Path, error: duckdb.Error) -> duckdb.Error | StoreUnavailable:
    """The error to raise where DuckDB does not open a file; `error` itself where an instance is left in this process,
    which ends soon."""
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
