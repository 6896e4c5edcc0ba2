"""The lock on the file of an open store, which lets other processes read the file between checkpoints.

DuckDB locks the file that it writes with fcntl(2), against all other processes. The same lock of the same process is
weakened here while a reader process of ours opens the file; the reader then releases its own lock. DuckDB changes the
file only when it checkpoints; commits go into the write-ahead log, which a reader replays. So no checkpoint is made
while a reader is active or any other process has the file open. Where readers follow one another without a gap, new
ones wait until a checkpoint is made, since opening the file takes longer the larger the log is.
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
    """Another process is reading the file."""


class Held(Exception):
    """A reader could not begin for ten seconds."""


class FileLock:
    """The lock of this process on a file, and the number of its readers. For any thread.

    `descriptor` returns a descriptor open for writing, the same until the store is closed: closing any descriptor of a
    file releases all locks of the process on it.
    """

    def __init__(self, descriptor: Callable[[], int]) -> None:
        self._descriptor = descriptor
        self._readers = 0
        self._opening = 0
        self._changed = threading.Condition()
        self.is_held = False
        """Whether new readers wait."""

        self.has_been_read = False
        """Whether a reader has begun since `alone` last succeeded."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep the file unchanged within the context. Waits while readers are held; raises Held after ten seconds."""
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
        """Allow other processes to open the file for reading within the context."""
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
                    with suppress(OSError):  # it is closed, or a process that is not a reader of ours has it open
                        self._take()

    def hold(self) -> None:
        """Make new readers wait until `alone` has succeeded, or `let_in` is called."""
        self.is_held = True

    def let_in(self) -> None:
        """Allow readers to begin again."""
        with self._changed:
            self.is_held = False
            self._changed.notify_all()

    @contextmanager
    def alone(self, wait_s: float) -> Iterator[None]:
        """Prevent other processes from opening the file within the context.

        Waits up to `wait_s` until no process reads it, during which no reader can begin; raises BeingRead after that.
        """
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
        """Lock the file exclusively. Raises OSError if another process has it locked."""
        fcntl.lockf(self._descriptor(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def release_locks(path: Path) -> None:
    """Release all locks of this process on a file, by closing a descriptor of it."""
    os.close(os.open(path, os.O_RDONLY))
