"""Restricts a DuckDB instance to its own file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import duckdb

__all__ = ["SHUT", "harden", "is_hardened"]

SHUT: Final[Mapping[str, str]] = {
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
}
"""Options for opening an untrusted file: nothing in it can access another file, the network or an extension. The file
itself and its logs are read and written normally."""

_LOCKS: Final = (
    "set timezone = 'UTC'",  # for this connection
    "set global timezone = 'UTC'",  # for its cursors
    *(f"set global {name} = {value}" for name, value in SHUT.items()),
    "set global allowed_configs = ['streaming_buffer_size']",  # each query makes it small, see _open_reader
    "set global lock_configuration = true",
)


def harden(connection: duckdb.DuckDBPyConnection) -> None:
    """Shut the whole instance off from files, network and settings, permanently. Call it after all ATTACH, LOAD, SET.

    `connection.register` with INSERT … SELECT still works; naming a Python variable in SQL does not.
    """
    if is_hardened(connection):
        return
    for lock in _LOCKS:
        connection.execute(lock)


def is_hardened(connection: duckdb.DuckDBPyConnection) -> bool:
    locked = connection.execute("select system.main.current_setting('lock_configuration')")  # no macro can replace it
    return locked.fetchall() == [(True,)]
