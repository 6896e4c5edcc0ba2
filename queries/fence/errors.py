"""The errors of queries that are not answered."""

from __future__ import annotations

from typing import ClassVar, Final

import duckdb

__all__ = ["ALLOWED", "SqlError", "SqlFailed", "SqlRefused", "SqlTimedOut", "explain_error", "timed_out"]

ALLOWED: Final = "Allowed is one SELECT (also WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE, and EXPLAIN of those)"

_ABOUT_THE_QUERY: Final = frozenset({"Binder Error", "Catalog Error", "Parser Error"})


class SqlError(Exception):
    """Base class of what `read` raises: the author of the query must act."""

    kind: ClassVar[str]

    def __init__(self, message: str, *, limit: float | None = None, setting: str | None = None) -> None:
        """Take the message; the limit that was reached, and the setting or field of the request that raises it."""
        super().__init__(message)
        self.limit = limit
        self.setting = setting

    @property
    def without_data(self) -> str:
        """The message for places that outlive stored data: only its name if the error may quote values."""
        first = str(self).partition("\n")[0]
        name = first.partition(":")[0]
        return name if name.endswith("Error") and name not in _ABOUT_THE_QUERY else first


class SqlRefused(SqlError):
    """The statement is not allowed; the message says what is."""

    kind = "refused"


class SqlFailed(SqlError):
    """DuckDB could not answer; the message is that of DuckDB, with the line that it points at."""

    kind = "failed"


class SqlTimedOut(SqlError):
    """The query took longer than the limit that the message names, or its client has disconnected."""

    kind = "timed_out"


def timed_out(timeout_s: float) -> SqlTimedOut:
    """Return the error of a query that was stopped at its time limit."""
    return SqlTimedOut(
        f"stopped: the limit is {timeout_s:g} s. Narrow the query, or ask for more time.",
        limit=timeout_s,
        setting="timeout_s",
    )


def explain_error(error: Exception, *, stopped: bool, timeout_s: float) -> SqlError:
    message = str(error)
    if isinstance(error, duckdb.InterruptException) or stopped:
        return timed_out(timeout_s)
    if message.startswith("INTERRUPT Error"):  # one thread failed, and DuckDB reports another one
        return SqlFailed(
            "the query failed in the middle of its answer, and DuckDB does not say why: ask for less, to find the row."
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return SqlFailed(
            "the query needs more memory than it may use. Narrow the query, or raise query_memory of the server "
            f"(memory_limit where the command has opened the store itself). {message}",
            setting="query_memory",
        )
    if isinstance(error, duckdb.PermissionException) or "read-only mode" in message:
        return SqlRefused(f"{message}\n{ALLOWED}, of what the store holds.")
    return SqlFailed(message)
