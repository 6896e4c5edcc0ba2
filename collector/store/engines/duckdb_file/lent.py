"""Connections in use by other threads, so that their queries can be interrupted."""

from __future__ import annotations

import threading
from weakref import WeakSet

import duckdb

__all__ = ["LentConnections"]


class LentConnections:
    """A set of weak references to connections. For any thread."""

    def __init__(self) -> None:
        self._connections: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
        self._lock = threading.Lock()

    def add(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Add a connection. It is removed with its last reference elsewhere."""
        with self._lock:
            self._connections.add(connection)

    def interrupt(self) -> None:
        """Interrupt the query that runs on each connection."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.interrupt()
            except duckdb.Error:
                continue  # it is closed
