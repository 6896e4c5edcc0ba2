"""A reader of the API as the source of queries of ours."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Final

from tracegrade.queries import fence
from tracegrade.queries.http.readers import Reader
from tracegrade.queries.result import Result

from ..client.query import Read
from ..errors import SqlRefused

__all__ = ["bind"]

_ROWS: Final = 100_000


def bind(reader: Reader, *, timeout_s: float, cancelled: threading.Event | None = None) -> Read:
    """Return a source of up to 100,000 rows, whose queries end when `cancelled` is set. It raises SqlRefused or
    Unavailable."""

    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        try:
            return reader.read(
                sql,
                parameters=parameters,
                timeout_s=timeout_s,
                max_rows=_ROWS,
                cancelled=cancelled or threading.Event(),
            )
        except fence.SqlError as error:
            raise SqlRefused(str(error)) from error

    return read
