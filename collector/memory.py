"""How much memory there is, who gets how much of it, and a bound on what the server takes.

DuckDB keeps its own `memory_limit`, but single scalar calls allocate beside it: `select len(range(1000000000))` wants
8 GB at once. Under the bound that is an error of that query alone, and the server goes on.
"""

from __future__ import annotations

import contextlib
import os
import resource
import threading
import time
from collections import deque
from functools import cache
from pathlib import Path
from typing import Final

from .cgroup import memory_limit

__all__ = ["available", "bound", "duckdb_limit", "worker_bytes"]

_SERVER_SHARE: Final = 0.7
_DUCKDB_SHARE: Final = 0.4
_DUCKDB_MOST: Final = 10**9
_WORKER_SHARE: Final = 0.3
_WORKER_LEAST: Final = 256 * 2**20
_WORKER_MOST: Final = 2 * 2**30

_STATUS: Final = Path("/proc/self/status")
_EVERY_S: Final = 1.0
_REMEMBERED: Final = 10


@cache  # before `bound` sets a limit of its own
def available() -> int:
    """The bytes that this process may count on: the least of machine, control groups and the limits it started with."""
    own = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    limits = [_machine_bytes(), *(limit for limit in own if limit != resource.RLIM_INFINITY)]
    of_groups = memory_limit()
    return min(limits if of_groups is None else [*limits, of_groups])


def duckdb_limit() -> str:
    """DuckDB's `memory_limit` where none is configured."""
    return f"{min(_DUCKDB_MOST, int(_DUCKDB_SHARE * available())) // 1000}KB"


def worker_bytes(configured: int | None) -> int:
    """What a worker process may allocate: what is configured, or its share."""
    if configured is not None:
        return configured
    return max(_WORKER_LEAST, min(_WORKER_MOST, int(_WORKER_SHARE * available())))


def bound() -> None:
    """Limits what this process uses to its share of what is available, for as long as it runs."""
    keeper = _Bound(int(_SERVER_SHARE * available()))
    keeper.adjust()
    threading.Thread(target=keeper.keep, name="memory-bound", daemon=True).start()


class _Bound:
    """Keeps RLIMIT_DATA so that this process can use `most` bytes.

    The kernel counts what is reserved there, of which a server with many threads uses a part: stacks, arenas of malloc.
    What has stayed unused is therefore allowed on top; only Linux tells it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        self._hard = hard
        self._ceiling = min((limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY), default=None)
        self._unused: deque[int] = deque(maxlen=_REMEMBERED)

    def keep(self) -> None:
        """Adjusts the limit again and again."""
        while True:
            time.sleep(_EVERY_S)
            with contextlib.suppress(MemoryError):  # then the next time
                self.adjust()

    def adjust(self) -> None:
        """Sets the limit by what is reserved and used now. What was reserved a moment ago may be about to be used."""
        self._unused.append(_unused_bytes())
        limit = self._most + min(self._unused)
        with contextlib.suppress(ValueError, OSError):  # some systems take no such limit
            resource.setrlimit(resource.RLIMIT_DATA, (min(limit, self._ceiling or limit), self._hard))


def _unused_bytes() -> int:
    """What this process has reserved of private memory and never used, or has given back."""
    try:
        lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:  # no Linux
        return 0
    told = {name: value.split()[0] for name, _, value in (line.partition(":") for line in lines) if value.strip()}
    reserved, *used = (int(told.get(name, 0)) for name in ("VmData", "RssAnon", "VmSwap"))
    return max(0, reserved - sum(used)) * 1024


def _machine_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
