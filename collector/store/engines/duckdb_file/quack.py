"""Answers clients of Quack, DuckDB's own remote protocol, from the instance of the store.

The fence decides about every statement. It is asked by a function that the extension calls with the text of a client,
and that returns the text to run. A statement that the fence refuses is replaced by its message.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

import duckdb
from duckdb.func import SPECIAL

from tracegrade.queries import fence

from ...errors import StoreUnavailable, first_line
from ..location import QuackListener

__all__ = ["begin_answering", "end_answering", "find_extensions", "install"]

_EXTENSIONS: Final = ("httpfs", "quack")
"""In the order in which they are loaded: Quack needs the other one."""

_FUNCTION: Final = "quack_admit_statement"
_TEXT: Final = "VARCHAR"
_APPENDS: Final = "insert"


def find_extensions() -> list[Path]:
    """Return the files of the extensions, in the order in which they are loaded. Raises StoreUnavailable."""
    return [_find_extension(name) for name in _EXTENSIONS]


def install(connection: duckdb.DuckDBPyConnection) -> None:
    """Load the extensions and let the fence decide about statements. Must precede `fence.harden`.

    Raises StoreUnavailable if an extension is missing.
    """
    for file in find_extensions():
        connection.execute(f"load '{_quote(str(file))}'")
    connection.create_function(
        _FUNCTION, _Admission().admit, [_TEXT, _TEXT], _TEXT, null_handling=SPECIAL, side_effects=True
    )
    connection.execute(f"set global quack_authorization_function = '{_FUNCTION}'")


def begin_answering(connection: duckdb.DuckDBPyConnection, listener: QuackListener) -> None:
    """Answer clients at the address of `listener`. Raises StoreUnavailable if that fails."""
    try:
        connection.execute(
            "call quack_serve($uri, token := $token, allow_other_hostname := $others)",
            {"uri": listener.uri, "token": listener.token, "others": listener.is_beyond_loopback},
        ).fetchall()
    except duckdb.Error as error:
        raise StoreUnavailable(f"Quack cannot listen on {listener.address}: {first_line(error)}") from error


def end_answering(connection: duckdb.DuckDBPyConnection, listener: QuackListener) -> None:
    """Stop answering, and close the connections of clients. Queries that still run are not interrupted.

    Raises StoreUnavailable if the instance is invalid: no statement runs on it, and its clients keep it open.
    """
    try:
        connection.execute("call quack_stop($uri)", {"uri": listener.uri}).fetchall()
    except duckdb.Error as error:
        raise StoreUnavailable(
            "the store has to be opened again, which clients of Quack prevent: start the server again; "
            f"everything that was committed is there ({first_line(error)})"
        ) from error


class _Admission:
    """Decides about statements in an instance of its own, which is empty. DuckDB calls it in any thread."""

    def __init__(self) -> None:
        self._parser = duckdb.connect()
        fence.harden(self._parser)

    def admit(self, _: str, sql: str) -> str | None:
        """Return the statement to run in place of `sql`: itself, or one that fails with the message of the fence.

        None refuses without a message. Rows that a client appends are announced as an INSERT, which is never run: the
        extension writes the rows for any answer but None.
        """
        try:
            with self._parser.cursor() as cursor:
                fence.admit(cursor, sql)
        except (fence.SqlError, duckdb.Error) as error:
            is_append = sql.lstrip()[: len(_APPENDS)].lower() == _APPENDS
            return None if is_append else f"select error('{_quote(str(error))}')"
        return sql


def _find_extension(name: str) -> Path:
    package = find_spec(f"duckdb_extension_{name}")
    folders = package.submodule_search_locations if package else None
    if not folders:
        raise StoreUnavailable(
            f"Quack needs the extension {name} of DuckDB, which is not installed: pip install 'tracegrade[quack]'"
        )
    versions = Path(next(iter(folders))) / "extensions"
    file = versions / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
    if not file.is_file():
        others = ", ".join(sorted(folder.name.removeprefix("v") for folder in versions.glob("v*")))
        raise StoreUnavailable(
            f"the extension {name} is installed for DuckDB {others or 'no version'}, but this is DuckDB "
            f"{duckdb.__version__}: install duckdb-extension-{name} of the same version as duckdb"
        )
    return file


def _quote(text: str) -> str:
    return text.replace("'", "''")
