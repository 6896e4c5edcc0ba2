"""Shares the file descriptors of this process: each port gets a part, so that the store always has some left."""

from __future__ import annotations

import resource
from typing import Final

__all__ = ["connections_per_port", "raise_limit"]

_MOST: Final = 2**16
"""More than any server needs. Some systems allow a billion, each of which a starting worker may close."""

_PARTS: Final = 8
"""Two for each of three ports, which may have twice as many connections while it closes some, and two for the rest: the
store, workers, judges and exporters."""

_ENOUGH: Final = 1_000


def raise_limit() -> None:
    """Raise the limit of descriptors as far as this process is allowed to."""
    soft, hard = _read_limits()
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def connections_per_port() -> int:
    """Return how many connections each port may have at the same time."""
    return min(_read_limits()[0] // _PARTS, _ENOUGH)


def _read_limits() -> tuple[int, int]:
    """Read the limit in force, and how far it may be raised."""
    soft, hard = (
        _MOST if limit == resource.RLIM_INFINITY else limit for limit in resource.getrlimit(resource.RLIMIT_NOFILE)
    )
    return soft, max(soft, min(hard, _MOST))
