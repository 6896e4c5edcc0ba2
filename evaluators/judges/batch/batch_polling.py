"""Remembers when jobs asked about the batches of a judge, and when abandoned ones were polled."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from ..limits.bounded_dict import BoundedDict

__all__ = ["BatchPolling"]

_ABANDONED_AFTER: Final = 2
"""A batch is abandoned after this many polling intervals in which no job asked about it."""


@dataclass(slots=True)
class BatchPolling:
    """When a job last asked about each batch, and when it was cancelled; for all jobs of a judge. Times in UTC."""

    _asked: BoundedDict[datetime] = field(default_factory=BoundedDict)
    _cancelled: BoundedDict[datetime] = field(default_factory=BoundedDict)
    _looked_at: datetime | None = None

    def mark_awaited(self, batch_id: str, now: datetime) -> None:
        """Remember that a job waits for the batch."""
        self._asked[batch_id] = now

    def is_abandoned(self, batch_id: str, now: datetime, *, every: timedelta) -> bool:
        """Return whether the batch is abandoned: no job has asked about it for two intervals, which begin with the
        first call of this method if none ever has."""
        return now - self._asked.setdefault(batch_id, now) >= _ABANDONED_AFTER * every

    def is_time(self, now: datetime, *, every: timedelta) -> bool:
        """Return whether to poll the abandoned batches now: once in `every`, even if the clock was set back."""
        last = self._looked_at
        if last is not None and timedelta() <= now - last < every:
            return False
        self._looked_at = now
        return True

    def since_cancelled(self, batch_id: str, now: datetime) -> timedelta:
        """Return how long ago the batch was cancelled; if it was not, remember `now`, and return 0."""
        return now - self._cancelled.setdefault(batch_id, now)
