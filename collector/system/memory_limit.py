"""Shares the available memory among DuckDB, queries and workers."""

from __future__ import annotations

import os
import resource
from functools import cache
from typing import Final

from .cgroup import read_memory_limit

__all__ = ["available_bytes", "duckdb_limit", "query_bytes", "worker_bytes"]

_DUCKDB_SHARE: Final = 0.25
_DUCKDB_MOST: Final = 10**9
_WORKER_SHARE: Final = 0.3
_WORKER_LEAST: Final = 256 * 2**20
_WORKER_MOST: Final = 2 * 2**30
_QUERY_SHARE: Final = 0.05
_QUERY_LEAST: Final = 64 * 2**20
_QUERY_MOST: Final = 10**9


@cache
def available_bytes() -> int:
    """Return the bytes that this process can use: the least of machine, control groups and its own limits at start."""
    own = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    limits = [_machine_bytes(), *(limit for limit in own if limit != resource.RLIM_INFINITY)]
    of_groups = read_memory_limit()
    return min(limits if of_groups is None else [*limits, of_groups])


def duckdb_limit() -> str:
    """Return DuckDB's `memory_limit` if none is configured."""
    return f"{min(_DUCKDB_MOST, int(_DUCKDB_SHARE * available_bytes())) // 1000}KB"


def worker_bytes(configured: int | None) -> int:
    """Return how much a worker process may allocate: the configured bytes, or its share."""
    if configured is not None:
        return configured
    return max(_WORKER_LEAST, min(_WORKER_MOST, int(_WORKER_SHARE * available_bytes())))


def query_bytes(configured: int | None) -> int:
    """Return how much DuckDB may use for one query of a user: the configured bytes, or its share."""
    if configured is not None:
        return configured
    return max(_QUERY_LEAST, min(_QUERY_MOST, int(_QUERY_SHARE * available_bytes())))


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
