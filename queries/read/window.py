"""The period in which listed runs began."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

__all__ = ["ANY_TIME", "BEGINNING", "Window"]

BEGINNING: Final = datetime(1, 1, 1)  # noqa: DTZ001 - as the store keeps it
"""Before every time in the store."""


@dataclass(frozen=True, slots=True)
class Window:
    """A period from `since`, to which it belongs, until `until`, to which it does not; in UTC without a zone."""

    since: datetime
    until: datetime

    @property
    def parameters(self) -> Mapping[str, datetime]:
        """The parameters of queries with a window."""
        return {"since": self.since, "until": self.until}

    def last(self, period: timedelta, before: datetime) -> Window:
        """Return the part of the window that begins so long before a time."""
        since = before - period if before - BEGINNING > period else BEGINNING
        return replace(self, since=max(self.since, since))


ANY_TIME: Final = Window(BEGINNING, datetime(9999, 1, 1))  # noqa: DTZ001 - likewise
"""The period of every time in the store."""
