"""Turns of queries: so many run at once, and one that takes long makes room for those that wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from ..fence import SqlTimedOut
from ..ports import Unavailable

__all__ = ["SURE_S", "Turns"]

SURE_S: Final = 5.0
"""For so long a query runs whoever waits."""

_POLL_S: Final = 0.05


@dataclass(eq=False, slots=True)
class _Turn:
    cancelled: threading.Event
    began_s: float = 0.0
    is_called_off: bool = False


class Turns:
    """At most `most` at a time, in the order in which they came, for any thread. Where all are taken and one waits, the
    one that has run longest is called off after SURE_S."""

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._running: list[_Turn] = []
        self._line: list[_Turn] = []
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, cancelled: threading.Event) -> Iterator[None]:
        """The turn of a query that ends when `cancelled` is set. Raises Unavailable where it was called off for others,
        and SqlTimedOut where it was cancelled while it waited."""
        mine = _Turn(cancelled)
        with self._changed:
            self._wait_for(mine)
        try:
            yield
        except SqlTimedOut as error:
            if mine.is_called_off:
                raise Unavailable(
                    f"stopped after {SURE_S:g} s, for other queries were waiting: narrow the query, or try again later"
                ) from error
            raise
        finally:
            with self._changed:
                self._running.remove(mine)
                self._changed.notify_all()

    def _wait_for(self, mine: _Turn) -> None:
        self._line.append(mine)
        try:
            while len(self._running) >= self._most or self._line[0] is not mine:
                if mine.cancelled.is_set():
                    raise SqlTimedOut("stopped: nobody waits for the answer any more.")
                self._make_room()
                self._changed.wait(_POLL_S)
        finally:
            self._line.remove(mine)
        mine.began_s = self._clock()
        self._running.append(mine)

    def _make_room(self) -> None:
        """Calls off as many as there are waiting, the oldest first."""
        over = [one for one in self._running if self._clock() - one.began_s >= SURE_S]
        for one in sorted(over, key=lambda one: one.began_s)[: len(self._line)]:
            one.is_called_off = True
            one.cancelled.set()
