"""Decides when the write-ahead log is merged into the file of the store.

DuckDB would do that itself in the commit that makes the log large. It is done here instead, because a checkpoint that
fails on a full disk makes DuckDB invalidate its instance, and because the file must not change while it is copied for a
snapshot.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from ...system.log import log
from ..engines.database import Database
from ..errors import StoreBeingRead, StoreBeingWritten, StoreFull, StoreUnavailable

__all__ = ["Checkpoints"]

_LARGE_BYTES: Final = 32 * 2**20
"""From this size on, the log is merged as soon as no arrivals wait."""

_MUCH_BYTES: Final = 24 * 2**20
"""From this size on, readers are stopped for a checkpoint: each of them replays the log, and may follow the last one
without a gap. It is also the limit under load if readers have replayed the log."""

_HUGE_BYTES: Final = 256 * 2**20
"""From this size on, the log is merged even under load: the larger it is, the longer it takes to open the store."""

_IDLE_EVERY_S: Final = 30.0
_BUSY_EVERY_S: Final = 180.0
_RESERVE_BYTES: Final = 8 * 2**20
_PAUSE_S, _LONGEST_PAUSE_S = 30.0, 600.0
_READING_S, _STOPPED_S = 0.2, 1.0
"""For how long a checkpoint waits for running queries, and for stopped ones; none can begin meanwhile."""

_READING_PAUSE_S: Final = 2.0
"""After how long a checkpoint that readers prevented is tried again. If the log is large, readers are stopped then."""

_TRIES: Final = 200
_POLL_S: Final = 0.05


class Checkpoints:
    """Checkpoints the store when that is due and the disk has space. For any thread."""

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], float] = time.monotonic,
        free_bytes: Callable[[], int] | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._free_bytes = free_bytes or database.free_bytes
        self._turn = threading.Lock()
        self._last_at = clock()
        self._not_before = 0.0
        self._pause_s = _PAUSE_S
        self._is_short = False
        self._ended: Callable[[], object] | None = None
        database.before_reopening(self._end_copying)

    def attend(self, *, is_idle: bool) -> None:
        """Checkpoint if it is due.

        Raises StoreUnavailable if that fails; if it is StoreInvalidated, the store has to be reopened.
        """
        wal_bytes = self._database.wal_bytes
        if not self._is_due(wal_bytes, is_idle=is_idle):
            return
        if not self._has_room(wal_bytes):
            self._database.readers.let_in()
            return
        if not self._turn.acquire(blocking=False):
            return  # the store is being copied; that checkpoints and controls the readers itself
        try:
            self._checkpoint_among_readers(wal_bytes)
        except StoreBeingWritten:
            return  # the next call tries again
        finally:
            self._turn.release()

    @contextmanager
    def held(self, ended: Callable[[], object]) -> Iterator[None]:
        """Checkpoint now, and keep the file unchanged within the context.

        If the store is reopened meanwhile, `ended` is called; the context must be left soon then. Raises
        StoreUnavailable if the checkpoint cannot be made.
        """
        if not self._has_room(self._database.wal_bytes):
            raise StoreFull(self._database.name, "the write-ahead log cannot be folded into the file")
        with self._turn:
            self._checkpoint_among_writers()
            self._ended = ended
            try:
                yield
            finally:
                self._ended = None

    def _end_copying(self) -> None:
        """Call the `ended` of the context in which the file is being copied."""
        if (ended := self._ended) is not None:
            ended()

    def _is_due(self, wal_bytes: int, *, is_idle: bool) -> bool:
        """Return whether a checkpoint is due, by the size of the log and the time since the last one."""
        now = self._clock()
        if not wal_bytes:
            self._last_at = now
            return False
        if now < self._not_before:
            return False
        if wal_bytes >= (_LARGE_BYTES if is_idle else self._most_bytes()):
            return True
        return now - self._last_at >= (_IDLE_EVERY_S if is_idle else _BUSY_EVERY_S)

    def _most_bytes(self) -> int:
        """Return the size of the log from which it is merged under load."""
        return _MUCH_BYTES if self._database.readers.have_read else _HUGE_BYTES

    def _has_room(self, wal_bytes: int) -> bool:
        """Return whether the disk has space for the file to grow by the log. Logs an error when it no longer has."""
        free = self._free_bytes()
        is_short = free < wal_bytes + _RESERVE_BYTES
        if is_short and not self._is_short:
            log.error(
                "the disk of the store is nearly full: free some room, or nothing can be stored soon",
                store=self._database.name,
                free_bytes=free,
                waiting_bytes=wal_bytes,
            )
        self._is_short = is_short
        return not is_short

    def _checkpoint_among_readers(self, wal_bytes: int) -> None:
        """Checkpoint unless there are readers.

        If there are and the log is large, new readers wait, and those still active at the next try are stopped.
        """
        readers = self._database.readers
        if readers.are_held:
            readers.stop()
        try:
            self._checkpoint(_STOPPED_S if readers.are_held else _READING_S)
        except StoreBeingRead:
            self._not_before = self._clock() + _READING_PAUSE_S
            if wal_bytes >= _MUCH_BYTES:
                readers.hold()

    def _checkpoint(self, wait_s: float = _READING_S) -> None:
        """Checkpoint. After a failure the next one is due after a pause that doubles each time."""
        try:
            self._database.checkpoint(wait_s=wait_s)
        except (StoreBeingRead, StoreBeingWritten):
            raise
        except StoreUnavailable:
            self._database.readers.let_in()
            self._not_before = self._clock() + self._pause_s
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
            raise
        self._last_at, self._pause_s = self._clock(), _PAUSE_S

    def _checkpoint_among_writers(self) -> None:
        """Checkpoint in a moment without transactions, with up to 200 tries; stop readers after two seconds."""
        stop_at = self._clock() + _READING_PAUSE_S
        for _ in range(_TRIES):
            try:
                self._checkpoint()
            except StoreBeingWritten:
                time.sleep(_POLL_S)
            except StoreBeingRead:
                self._database.readers.hold()
                if self._clock() >= stop_at:
                    self._database.readers.stop()
            except StoreUnavailable as error:
                raise StoreUnavailable(f"{self._database.name} cannot be checkpointed: {error}") from error
            else:
                return
        self._database.readers.let_in()
        raise StoreUnavailable(f"{self._database.name} is written to without a pause; try again")
