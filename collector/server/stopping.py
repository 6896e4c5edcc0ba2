"""An upper bound on how long a server takes to stop.

Whatever was acknowledged is committed, so that a process may end at any moment without losing it: one that does not
come to its end, because of a query that cannot be interrupted or a disk that does not answer, is ended.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Final

from ..system.log import log

__all__ = ["LIMIT_S", "end_now", "end_within"]

LIMIT_S: Final = 25.0
"""Less than the 30 s after which Kubernetes kills."""


def end_within(seconds: float, code: int, *, end: Callable[[int], object] | None = None) -> threading.Timer:
    """Ends the process with `code` after so many seconds, if it has not come to its end before."""

    def late() -> None:
        try:
            log.error("the server did not stop in time and is ended; what was acknowledged is stored", after_s=seconds)
        finally:
            (end or end_now)(code)

    timer = threading.Timer(seconds, late)
    timer.daemon = True  # it lasts until the process has ended, not only the event loop
    timer.start()
    return timer


def end_now(code: int) -> None:
    """Ends the process, whatever its threads are doing, and whether or not what it printed can be written."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
