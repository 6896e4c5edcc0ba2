"""When the batches of a judge were asked about and looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from ..limits.bounded_dict import BoundedDict

__all__ = ["BatchPolling"]

_ABANDONED_AFTER: Final = 2
"""After so many polls in which nobody asked about a batch nobody waits for it."""


@dataclass(slots=True)
class BatchPolling:
    """When each batch was last asked about, and when it was cancelled; for all jobs of a judge. Times in UTC."""

    _asked: BoundedDict[datetime] = field(default_factory=BoundedDict)
    _cancelled: BoundedDict[datetime] = field(default_factory=BoundedDict)
    _looked_at: datetime | None = None

    def mark_awaited(self, batch_id: str, now: datetime) -> None:
        """Remembers that somebody waits for the batch."""
        self._asked[batch_id] = now

    def is_abandoned(self, batch_id: str, now: datetime, *, every: timedelta) -> bool:
        """Return whether nobody waits for the batch; it is known two polls after it was last asked about, or first
        seen."""
        return now - self._asked.setdefault(batch_id, now) >= _ABANDONED_AFTER * every

    def is_time(self, now: datetime, *, every: timedelta) -> bool:
        """Return whether to look at the batches for which nobody waits: once in `every`, also where the clock was
        set back."""
        last = self._looked_at
        if last is not None and timedelta() <= now - last < every:
            return False
        self._looked_at = now
        return True

    def since_cancelled(self, batch_id: str, now: datetime) -> timedelta:
        """Return how long ago the batch was cancelled, which is now unless it was before."""
        return now - self._cancelled.setdefault(batch_id, now)
