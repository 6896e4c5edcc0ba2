"""Evaluators whose passes run together: a slow one delays only its own lane."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tracegrade.evaluators.custom.user_code import is_foreign
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.passes.run_pass import BATCH, Summary, run_pass
from tracegrade.evaluators.passes.schedule import Timetable
from tracegrade.evaluators.ports import Workbench

from ..records.arrow_batch import Batch
from ..store.ledger.ledger import StoreLedger
from ..system.wake_event import WakeEvent

__all__ = ["CAREFUL", "Lane", "TargetLimits", "is_ours"]

CAREFUL: Final = 20
"""How many targets an evaluator of unknown cost gets in its first pass."""

_QUICK_S, _LONG_S = 5.0, 10.0


def is_ours(evaluator: Configured) -> bool:
    """Whether the evaluator is a built-in check, which is known to be quick."""
    return evaluator.kind == "code" and not is_foreign(evaluator)


@dataclass(frozen=True, slots=True)
class TargetLimits:
    """How many targets an evaluator gets: at the most in the first pass, and at the least in any later one that finds
    as many."""

    first: int = BATCH
    least: int = 1


class Lane:
    """Some evaluators with a ledger of their own. Its passes never overlap. How many targets an evaluator gets depends
    on how long the last pass took, within `limits`.

    Setting `woken` makes the loop that runs the passes look at once; `renew` replaces a worker whose judge told it to
    wait. Both are for any thread.
    """

    def __init__(
        self,
        evaluators: Sequence[Configured],
        ledger: StoreLedger,
        workbench: Workbench[Batch[Any]],
        *,
        now: Callable[[], datetime],
        limits: TargetLimits = TargetLimits(),
        renew: Callable[[], object] = lambda: None,
    ) -> None:
        self.evaluators = tuple(evaluators)
        self.ledger = ledger
        self._workbench = workbench
        self._now = now
        self._limit = max(limits.first, limits.least)
        self._least = limits.least
        self._most = max(BATCH, limits.least)
        self._timetable: Timetable | None = None
        self._last_at: datetime | None = None
        self._renew = renew
        self.woken = WakeEvent()

    def evaluate(self) -> Summary:
        """One pass. A long one halves the limit of the next, a quick and full one doubles it."""
        if self._timetable is None:
            self._timetable = Timetable(self.ledger.last_passes())
        self._release()
        began = time.monotonic()
        summary = run_pass(
            self.ledger, self._workbench, self.evaluators, now=self._now, timetable=self._timetable, limit=self._limit
        )
        took_s = time.monotonic() - began
        if took_s > _LONG_S:
            self._limit = max(self._limit // 2, self._least)
        elif took_s < _QUICK_S and summary.is_full:
            self._limit = min(self._limit * 2, self._most)
        return summary

    def _release(self) -> None:
        """Makes due what is deferred: in the first pass what waits for a judge, and everything once the clock was set
        back."""
        now, before = self._now(), self._last_at
        self._last_at = now
        if before is None:
            self.ledger.release(one for one in self.evaluators if one.kind == "llm")
        elif now < before:
            self.ledger.release(self.evaluators)

    def look_again(self) -> None:
        """Makes the next pass start at once, in a worker that waits for no judge. For any thread."""
        self._renew()
        self.woken.set()

    def next_in_s(self) -> float | None:
        """In how many seconds something may be due even if nothing arrives; None when nothing will be."""
        now = self._now()
        times = [self._timetable.next_pass_at(one, now) for one in self.evaluators if self._timetable and one.schedule]
        later = self.ledger.next_at(one.name for one in self.evaluators)
        if later is not None:
            times.append(later)
        if any(one.kind == "llm" or one.after for one in self.evaluators):
            times.append(now)
        return max(0.0, min((at - now).total_seconds() for at in times)) if times else None
