"""Shares of the file descriptors that this process may have: callers get some, and the store always has the rest."""

from __future__ import annotations

import resource
from typing import Final

__all__ = ["connections_of_a_port", "raise_limit"]

_MOST: Final = 2**16
"""More than any server needs; some systems allow a billion, and a worker that starts may close each."""

_PARTS: Final = 8
"""Two for each of three ports, which may have twice as many connections while it hangs up on some, and two for what
else there is: the store, workers, judges and exporters."""

_ENOUGH: Final = 1_000


def raise_limit() -> None:
    """Takes as many descriptors as this process may without asking anybody."""
    soft, hard = _limits()
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def connections_of_a_port() -> int:
    """How many connections each port may have at the same time."""
    return min(_limits()[0] // _PARTS, _ENOUGH)


def _limits() -> tuple[int, int]:
    """The limit that counts, and how far it may be raised."""
    soft, hard = (
        _MOST if limit == resource.RLIM_INFINITY else limit for limit in resource.getrlimit(resource.RLIMIT_NOFILE)
    )
    return soft, max(soft, min(hard, _MOST))
