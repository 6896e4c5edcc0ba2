"""The protocols of readers, which answer queries for the API."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Protocol

from ..fence import Parameters
from ..result import Result, Stream

__all__ = ["AnyReader", "Reader", "StreamReader"]


class Reader(Protocol):
    """Answers one query from the store."""

    def read(
        self,
        sql: str,
        *,
        parameters: Parameters | None,
        timeout_s: float,
        max_rows: int,
        cancelled: threading.Event,
    ) -> Result:
        """Return the answer; blocks. MUST use the fence, and MUST be thread-safe. Raises SqlError."""
        ...


class StreamReader(Protocol):
    """Answers one query from the store, in bounded memory."""

    def stream(
        self,
        sql: str,
        *,
        parameters: Parameters | None,
        timeout_s: float,
        cancelled: threading.Event,
    ) -> AbstractContextManager[Stream]:
        """Return the answer as a context; blocks. MUST use the fence, and MUST be thread-safe. Raises SqlError."""
        ...


class AnyReader(Reader, StreamReader, Protocol):
    """Answers with a limited number of rows at once, or with all rows as they arrive."""
