"""The time limit of a query."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import duckdb

__all__ = ["Deadline", "interrupting"]

_POLL_S: Final = 0.05


class Deadline:
    """The time at which a query is interrupted unless it returns further rows before."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._at = 0.0
        self.begin()

    def begin(self) -> None:
        self._at = time.perf_counter() + self.timeout_s

    def pause(self) -> None:
        self._at = math.inf

    @property
    def is_over(self) -> bool:
        return time.perf_counter() >= self._at


@contextmanager
def interrupting(
    cursor: duckdb.DuckDBPyConnection, deadline: Deadline, cancelled: threading.Event, stopped: threading.Event
) -> Iterator[None]:
    """Interrupt `cursor` after the deadline, repeatedly: DuckDB forgets an interrupt while no query runs."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_POLL_S):
            if cancelled.is_set() or deadline.is_over:
                stopped.set()
                with suppress(duckdb.Error):  # it was closed with its store
                    cursor.interrupt()

    watcher = threading.Thread(target=watch, name="sql-deadline", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
