"""A bound on this process's memory, so that one careless query cannot take the server down.

DuckDB keeps its own `memory_limit`, but single scalar calls allocate beside it: `select len(range(1000000000))` wants
8 GB at once. Under the bound that is a clean error of that query.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

__all__ = ["bound"]

_SHARE = 0.75
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def bound() -> None:
    """Limits this process to three quarters of what the machine or its container has."""
    limit = int(_SHARE * min(_machine_bytes(), _container_bytes()))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or limit <= hard:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _container_bytes() -> int:
    try:
        return int(_CGROUP_LIMIT.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return _machine_bytes()
