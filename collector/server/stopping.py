"""Limits the time that a server takes to stop.

All acknowledged spans are committed, so the process may end at any moment without losing them. If it does not end in
time, because of a query that cannot be interrupted or a disk that does not answer, it is ended.
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
"""Less than the 30 s after which Kubernetes kills the process."""


def end_within(seconds: float, code: int, *, end: Callable[[int], object] | None = None) -> threading.Timer:
    """Start a timer that ends the process with `code` after so many seconds, if it has not ended before."""

    def late() -> None:
        try:
            log.error("the server did not stop in time and is ended; what was acknowledged is stored", after_s=seconds)
        finally:
            (end or end_now)(code)

    timer = threading.Timer(seconds, late)
    timer.daemon = True  # runs until the process has ended, longer than the event loop
    timer.start()
    return timer


def end_now(code: int) -> None:
    """End the process, without waiting for its threads, even if its output cannot be written."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
