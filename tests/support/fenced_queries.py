"""SQL of users on a small store, through the fence."""

from __future__ import annotations

from typing import Any

import duckdb

from tracegrade.queries import fence
from tracegrade.queries.result import Result

__all__ = ["count_spans", "read_fenced"]


def read_fenced(store: duckdb.DuckDBPyConnection, sql: str, **options: Any) -> Result:
    """What the fence answers, within wide limits unless `options` set others."""
    return fence.read(store.cursor, sql, **{"timeout_s": 30.0, "max_rows": 1000, **options})


def count_spans(store: duckdb.DuckDBPyConnection) -> int:
    """The number of rows of `spans`, which shows that the store is intact."""
    ((count,),) = store.execute("select count(*) from spans").fetchall()
    return int(count)
