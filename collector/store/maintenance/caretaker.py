"""Keeps the store of a running program usable: checkpoints it, and opens it again once its engine has given it up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from ...metrics import counters
from ...system.allocator import return_free_memory
from ...system.log import log
from ..engines.database import Database
from ..errors import StoreFull, StoreGivenUp, StoreUnavailable, first_line
from .checkpoints import Checkpoints

__all__ = ["Caretaker"]

_PAUSE_S: Final = 1.0
_GIVE_BACK_EVERY_S: Final = 10.0


class Caretaker:
    """For one thread, that of the arrivals; `trouble` may be read by any.

    Calls `on_lost` once, with the reason, where the store can never be opened again by this process.
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
        """Why the store cannot be used now; None when it can."""

    def attend(self, *, is_idle: bool) -> None:
        """To be called after every commit and every quiet second. Raises nothing that concerns the store."""
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
        """Whether the store can be used again, which its engine may have given up by `error`."""
        if not isinstance(error, StoreGivenUp):
            return False
        self.trouble = f"the engine has given up the store: {first_line(error.__cause__ or error)}"
        return self.reopen()

    def reopen(self) -> bool:
        """Whether the store is open again. Tries it once a second at the most."""
        if self._is_lost or time.monotonic() < self._not_before:
            return False
        self._not_before = time.monotonic() + _PAUSE_S
        try:
            self._database.reopen()
        except StoreFull as error:
            self.trouble = str(error)
        except StoreUnavailable as error:
            self._lose(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread of the arrivals goes on
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
        """Whether something can be written beside the store."""
        return self._database.is_writable()

    def _give_back_memory(self) -> None:
        now = time.monotonic()
        if now >= self._gave_back_at + _GIVE_BACK_EVERY_S:
            self._gave_back_at = now
            return_free_memory()

    def _lose(self, error: StoreUnavailable) -> None:
        self._is_lost = True
        self.trouble = str(error)
        self._on_lost(error)
