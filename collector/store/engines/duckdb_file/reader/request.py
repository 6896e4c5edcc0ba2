"""The request to a reader process: a query and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tracegrade.queries.fence import Parameters

__all__ = ["Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A query over the store at `path` and `tables`: Arrow IPC streams by the name of the relation.

    `max_rows` may be None, for all rows, if the answer `streams`; other answers are also limited in bytes. DuckDB may
    use `memory_bytes` of memory, and `disk_bytes` in the folder `scratch`, which is for this query alone.
    """

    path: str
    sql: str
    parameters: Parameters | None
    timeout_s: float
    max_rows: int | None
    streams: bool
    memory_bytes: int
    disk_bytes: int
    scratch: str
    tables: Mapping[str, bytes] = field(default_factory=dict)
