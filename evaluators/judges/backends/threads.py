"""The threads in which the function of a judge runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context

from ..exchange.failure import Unready

__all__ = ["Threads"]


class Threads:
    """Starts daemon threads, and counts those that hang. A thread that hangs ends only with its process."""

    def __init__(self) -> None:
        self._left: set[threading.Thread] = set()

    @property
    def hanging(self) -> int:
        """The number of abandoned threads that still run."""
        self._left = {thread for thread in self._left if thread.is_alive()}
        return len(self._left)

    def start(self, run: Callable[[], object]) -> threading.Thread:
        """Call `run` in a new thread with the present context, and return the thread.

        Raises Unready if the system cannot start one.
        """
        thread = threading.Thread(target=copy_context().run, args=(run,), name="judge", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise Unready(f"no thread for a call ({error}); lower `concurrency` of the judge") from error
        return thread

    def leave(self, thread: threading.Thread) -> None:
        """Mark this thread as abandoned: its caller has stopped waiting."""
        self._left.add(thread)
