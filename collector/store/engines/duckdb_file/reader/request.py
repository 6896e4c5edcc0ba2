"""What a reader is asked: one query, and what it may take for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tracegrade.queries.fence import Parameters

__all__ = ["Request"]


@dataclass(frozen=True, slots=True)
class Request:
    """A query over the store at `path`, joined by `tables` (Arrow IPC streams by the name of the relation).

    `max_rows` and the limit of bytes hold for an answer that is kept whole, not for one that `streams`. DuckDB may use
    `memory_bytes`, and `disk_bytes` in the folder `scratch`, which nothing else uses.
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
