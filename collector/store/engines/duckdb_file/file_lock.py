"""The lock on the file of an open store: when other processes may open it, and whether one reads it now.

DuckDB locks the file that it writes with fcntl(2), against everybody. The same lock of the same process is weakened
here while a reader of ours opens the file, which then lets go of its own. DuckDB changes the file only when it
checkpoints, and puts what is committed into the write-ahead log, which a reader replays. So no checkpoint is made while
one reads, nor while a stranger holds the file; and where readers follow one another without a gap, those that come wait
until one has been made, for each takes the longer to open the file, the larger the log is.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

__all__ = ["BeingRead", "FileLock", "Held", "release_locks"]

_PATIENCE_S: Final = 10.0


class BeingRead(Exception):
    """Another process reads the file now."""


class Held(Exception):
    """Readers have been held back for long."""


class FileLock:
    """For any thread. `descriptor` gives one of the file that is open for writing, the same until the store is closed:
    closing any descriptor of a file takes all locks of the process on it."""

    def __init__(self, descriptor: Callable[[], int]) -> None:
        self._descriptor = descriptor
        self._readers = 0
        self._opening = 0
        self._changed = threading.Condition()
        self.is_held = False
        """Whether readers are held back."""

        self.has_been_read = False
        """Whether a reader has begun since it was last alone."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """The file stays as it is. Waits while readers are held back; raises Held where that takes long."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self.is_held, _PATIENCE_S):
                raise Held
            self._readers += 1
            self.has_been_read = True
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Other processes may open the file for reading."""
        with self._changed:
            if not self._opening:
                fcntl.lockf(self._descriptor(), fcntl.LOCK_SH)
            self._opening += 1
        try:
            yield
        finally:
            with self._changed:
                self._opening -= 1
                if not self._opening:
                    with suppress(OSError):  # it is closed, or a stranger reads it
                        self._take()

    def hold(self) -> None:
        """Lets no reader begin until the file was alone, or they are let in."""
        self.is_held = True

    def let_in(self) -> None:
        """Readers may begin again."""
        with self._changed:
            self.is_held = False
            self._changed.notify_all()

    @contextmanager
    def alone(self, wait_s: float) -> Iterator[None]:
        """No other process has the file open, and none opens it. Raises BeingRead where one reads it for so long; none
        begins meanwhile."""
        with self._changed:
            was_held, self.is_held = self.is_held, True
            try:
                if not self._changed.wait_for(lambda: not self._readers, wait_s):
                    raise BeingRead
                try:
                    self._take()
                except OSError as error:
                    raise BeingRead from error
                yield
                was_held = self.has_been_read = False
            finally:
                self.is_held = was_held
                self._changed.notify_all()

    def _take(self) -> None:
        fcntl.lockf(self._descriptor(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def release_locks(path: Path) -> None:
    """Releases every lock that this process has on a file."""
    os.close(os.open(path, os.O_RDONLY))
