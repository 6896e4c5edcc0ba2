"""Keeps everybody from asking a judge that does not answer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from .failure import Failure

__all__ = ["Breaker"]

_IN_DOUBT: Final = 3
_FIRST_S: Final = 30.0
_LONGEST_S: Final = 600.0
_MISCONFIGURED_S: Final = 300.0


class Breaker:
    """Opens after `most_failures` in a row, for longer each time. While nobody has got through, one asks at a time.

    It has no clock: times (UTC) are told.
    """

    def __init__(self, most_failures: int) -> None:
        self._most_failures = most_failures
        self._in_a_row = 0
        self._openings = 0
        self._cause: Failure | None = None
        self._until: datetime | None = None
        self._length = timedelta()
        self.is_in_doubt = True
        """Nobody has got through yet, or since it opened: one may try, the others wait for what comes of it."""

    def open_until(self, now: datetime) -> tuple[datetime, Failure] | None:
        """Until when nobody may ask, and why; None when somebody may. A clock that is set back makes it no longer."""
        if self._until is not None:
            self._until = min(self._until, now + self._length)
        if self._until is None or self._cause is None or now >= self._until:
            return None
        return self._until, self._cause

    def succeeded(self) -> None:
        self._in_a_row = self._openings = 0
        self._until = self._cause = None
        self.is_in_doubt = False

    def failed(self, now: datetime, cause: Failure, *, patience: int = 1) -> None:
        """Once more; with `patience` so many times as often is borne. After it was open, once is enough."""
        self._in_a_row += 1
        most = min(_IN_DOUBT, self._most_failures) if self.is_in_doubt else self._most_failures
        if self._openings or self._in_a_row >= most * patience:
            self.open(now, cause, for_s=min(_FIRST_S * 2 ** min(self._openings, 10), _LONGEST_S))

    def open(self, now: datetime, cause: Failure, *, for_s: float = _MISCONFIGURED_S) -> None:
        """Opens for so long. Failures that were under way when it opened change nothing."""
        if self.open_until(now) is not None:
            return
        self._openings += 1
        self._cause = cause
        self._length = timedelta(seconds=for_s)
        self._until = now + self._length
        self.is_in_doubt = True
