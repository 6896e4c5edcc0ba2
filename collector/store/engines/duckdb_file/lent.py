"""The connections that were handed out, which another thread may interrupt."""

from __future__ import annotations

import threading
from weakref import WeakSet

import duckdb

__all__ = ["LentConnections"]


class LentConnections:
    """For any thread. A connection is forgotten with its last reference."""

    def __init__(self) -> None:
        self._connections: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
        self._lock = threading.Lock()

    def add(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Remembers one."""
        with self._lock:
            self._connections.add(connection)

    def interrupt(self) -> None:
        """Interrupts the query that runs on each."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.interrupt()
            except duckdb.Error:
                continue  # it is closed
