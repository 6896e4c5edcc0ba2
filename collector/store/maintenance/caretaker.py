"""Keeps the store of a server usable: checkpoints it, and reopens it if its engine has invalidated it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from ...metrics import counters
from ...system.allocator import return_free_memory
from ...system.log import log
from ..engines.database import Database
from ..errors import StoreFull, StoreInvalidated, StoreUnavailable, first_line
from .checkpoints import Checkpoints

__all__ = ["Caretaker"]

_PAUSE_S: Final = 1.0
_GIVE_BACK_EVERY_S: Final = 10.0


class Caretaker:
    """Checkpoints and reopens the store. For the thread of the arrivals alone; any thread may read `trouble`.

    Calls `on_lost` once, with the error, if this process cannot reopen the store.
    """

    def __init__(
        self,
        database: Database,
        checkpoints: Checkpoints,
        *,
        on_lost: Callable[[StoreUnavailable], object] = lambda _: None,
    ) -> None:
        self._database = database
        self._checkpoints = checkpoints
        self._is_lost = False
        self._not_before = 0.0
        self._gave_back_at = time.monotonic()
        self._on_lost = on_lost
        self.trouble: str | None = None
        """Why the store cannot be used now; None if it can."""

    def attend(self, *, is_idle: bool) -> None:
        """Checkpoint if it is due, or try to reopen the store. Logs errors of the store and raises none of them.

        To be called after each commit, and after each second without one (`is_idle`).
        """
        self._give_back_memory()
        if self.trouble is not None:
            self.reopen()
            return
        try:
            if is_idle:
                self._database.ensure_alive()
            self._checkpoints.attend(is_idle=is_idle)
        except (StoreUnavailable, OSError) as error:
            log.error("looking after the store failed", error=str(error.__cause__ or error))
            self.mend(error)

    def mend(self, error: BaseException) -> bool:
        """Reopen the store if `error` means that its engine has invalidated it. Returns whether that succeeded."""
        if not isinstance(error, StoreInvalidated):
            return False
        self.trouble = f"the engine has invalidated its instance of the store: {first_line(error.__cause__ or error)}"
        return self.reopen()

    def reopen(self) -> bool:
        """Try to reopen the store, at most once a second. Returns whether that succeeded."""
        if self._is_lost or time.monotonic() < self._not_before:
            return False
        self._not_before = time.monotonic() + _PAUSE_S
        try:
            self._database.reopen()
        except StoreFull as error:
            self.trouble = str(error)
        except StoreUnavailable as error:
            self._lose(error)
        except Exception as error:  # noqa: BLE001 - the thread of the arrivals must survive any error
            self._lose(StoreUnavailable(f"{self._database.name} cannot be opened again: {error}"))
        else:
            self.trouble = None
            self._not_before = 0.0
            counters.store_reopened.inc()
            log.warning("the store has been opened again; everything that was committed is there")
            return True
        log.error("the store cannot be opened again yet", error=self.trouble)
        return False

    def is_writable(self) -> bool:
        """Return whether the store can be written to; a small file beside it is written as a test."""
        return self._database.is_writable()

    def _give_back_memory(self) -> None:
        now = time.monotonic()
        if now >= self._gave_back_at + _GIVE_BACK_EVERY_S:
            self._gave_back_at = now
            return_free_memory()

    def _lose(self, error: StoreUnavailable) -> None:
        """Record that this process cannot reopen the store, and call `on_lost`."""
        self._is_lost = True
        self.trouble = str(error)
        self._on_lost(error)
