"""Turns of queries: a limited number runs at once, and one that takes long is stopped if others wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ..fence import SqlTimedOut
from ..ports import Unavailable

__all__ = ["SURE_S", "QueryTurns"]

SURE_S: Final = 5.0
"""A query may run at least this long by default, even if others wait."""

_POLL_S: Final = 0.05


@dataclass(eq=False, slots=True)
class _Turn:
    cancelled: threading.Event
    began_s: float = 0.0
    is_stopped: bool = False


class QueryTurns:
    """Lets at most `most` queries run at a time, first come, first served, from any thread. If others wait, the query
    that has run longest is stopped, after `sure_s` at the earliest."""

    def __init__(self, most: int, *, sure_s: float = SURE_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._sure_s = sure_s
        self._clock = clock
        self._running: list[_Turn] = []
        self._waiting: list[_Turn] = []
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, cancelled: threading.Event) -> Iterator[None]:
        """Wait for the turn of a query that ends when `cancelled` is set, and hold it.

        Raises Unavailable if it was stopped for others, and SqlTimedOut if it was cancelled while it waited.
        """
        turn = _Turn(cancelled)
        with self._changed:
            self._wait_for(turn)
        try:
            yield
        except SqlTimedOut as error:
            if turn.is_stopped:
                raise Unavailable(
                    f"stopped after {self._sure_s:g} s because other queries were waiting: narrow the query, or try "
                    "again later"
                ) from error
            raise
        finally:
            with self._changed:
                self._running.remove(turn)
                self._changed.notify_all()

    def _wait_for(self, turn: _Turn) -> None:
        self._waiting.append(turn)
        try:
            while len(self._running) >= self._most or self._waiting[0] is not turn:
                if turn.cancelled.is_set():
                    raise SqlTimedOut("stopped: the client has disconnected.")
                self._stop_oldest()
                self._changed.wait(_POLL_S)
        finally:
            self._waiting.remove(turn)
        turn.began_s = self._clock()
        self._running.append(turn)

    def _stop_oldest(self) -> None:
        """Stop as many turns as are waiting, the oldest first."""
        over = [turn for turn in self._running if self._clock() - turn.began_s >= self._sure_s]
        for turn in sorted(over, key=lambda turn: turn.began_s)[: len(self._waiting)]:
            turn.is_stopped = True
            turn.cancelled.set()
