"""The threads in which a judge's function runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..exchange.failure import Unready

__all__ = ["Threads"]


class Threads:
    """Starts daemon threads, and counts those that hang. Nothing can end one but the end of its process."""

    def __init__(self) -> None:
        self._left: set[threading.Thread] = set()

    @property
    def hanging(self) -> int:
        """How many threads still run though nobody waits for them any more."""
        self._left = {thread for thread in self._left if thread.is_alive()}
        return len(self._left)

    def start(self, run: Callable[[], object]) -> threading.Thread:
        """Calls `run` in a new thread. Raises Unready where the system gives none."""
        thread = threading.Thread(target=run, name="judge", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise Unready(f"no thread for a call ({error}); lower `concurrency` of the judge") from error
        return thread

    def leave(self, thread: threading.Thread) -> None:
        """Nobody waits for this thread any more."""
        self._left.add(thread)
