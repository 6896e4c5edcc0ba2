"""Returns freed memory to the system.

Otherwise half of the heap of a server that takes large requests on many threads is free: glibc keeps an arena for each
thread, and returns only memory at the end of an arena. Other C libraries have neither these calls nor such heaps.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from typing import Final

__all__ = ["map_large_blocks", "return_free_memory", "share_arenas"]

_M_ARENA_MAX: Final = -8  # <malloc.h>
_M_MMAP_THRESHOLD: Final = -3
_ARENAS: Final = 2
_LARGE_BYTES: Final = 2**17
_DUCKDB_ALLOCATOR: Final = "DUCKDB_JE_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0"
"""How long DuckDB's allocator keeps free pages (https://jemalloc.net/jemalloc.3.html#opt.dirty_decay_ms)."""


def share_arenas() -> None:
    """Make all threads that start from now on allocate from the same few arenas."""
    mallopt = _find_function("mallopt")
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)


def map_large_blocks() -> None:
    """Make large blocks come from the system, to which they return as soon as they are freed.

    By default, glibc maps fewer and fewer of them, up to 32 MB, and DuckDB's allocator keeps what is freed for ten
    seconds. To be called before DuckDB is imported.
    """
    os.putenv(*_DUCKDB_ALLOCATOR)
    mallopt = _find_function("mallopt")
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def return_free_memory() -> None:
    """Return the free pages of the heap to the system. Takes some milliseconds per 100 MB."""
    malloc_trim = _find_function("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


@cache
def _find_function(name: str) -> Callable[..., int] | None:
    """Find a function of the C library; None if there is none of that name."""
    try:
        function: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError):
        return None
    return function
