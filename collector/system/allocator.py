"""Memory that was freed goes back to the system, instead of waiting in the heap for a use like the one before.

The heap of a server that takes large requests on many threads is half free otherwise: glibc keeps an arena for each
thread, and gives back only what is free at the end of one. Other C libraries have no such calls, and no such heaps.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Final

__all__ = ["give_back", "share_arenas"]

_M_ARENA_MAX: Final = -8  # <malloc.h>
_ARENAS: Final = 2


def share_arenas() -> None:
    """Lets all threads that begin from now on allocate from the same few arenas."""
    mallopt = _function("mallopt")
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Gives the pages of the heap that are free back to the system. Takes some milliseconds for each 100 MB."""
    malloc_trim = _function("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


@cache
def _function(name: str) -> Callable[..., int] | None:
    """A function of the C library; None where it has none of that name."""
    try:
        function: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError):
        return None
    return function
