"""How often batches were looked into."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

__all__ = ["Polls"]


@dataclass(slots=True)
class Polls:
    """How often each batch was looked into and was not done. While nobody looks, no time passes for it."""

    _counted: dict[str, tuple[int, datetime]] = field(default_factory=dict)

    def count(self, batch_id: str, now: datetime, *, every_s: float) -> int:
        """One more; what follows sooner than half of the interval is not counted, unless the clock was set back."""
        times, last = self._counted.get(batch_id, (0, None))
        if last is None or now < last or (now - last).total_seconds() >= every_s / 2:
            times, last = times + 1, now
        self._counted[batch_id] = times, last
        return times

    def of(self, batch_id: str) -> int:
        return self._counted.get(batch_id, (0, None))[0]
