"""Looks up what comes after a step, in time that is linear in the number of steps."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from .steps import Step

__all__ = ["Ahead", "are_polling"]


class Ahead:
    """The positions in some steps at which each question is asked, and at which something changes."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._asked: defaultdict[int | None, list[int]] = defaultdict(list)
        self._changes: list[int] = []
        for at, step in enumerate(steps):
            self._asked[step.same].append(at)
            if step.changes:
                self._changes.append(at)

    def find_question(self, same: int | None, since: int) -> int | None:
        """Return the first position from `since` on at which this question is asked; None if it is not."""
        return _first(self._asked.get(same, ()), since)

    def changes_between(self, since: int, until: int) -> bool:
        """Return whether something changes from `since` on, before `until`."""
        first = _first(self._changes, since)
        return first is not None and first < until


def _first(places: Sequence[int], since: int) -> int | None:
    at = bisect_left(places, since)
    return places[at] if at < len(places) else None


def are_polling(steps: Sequence[Step]) -> list[bool]:
    """Return for each step whether it is polling: the same question gets another answer later, and nothing changed
    before that."""
    never = len(steps)
    polling = [False] * never
    other_answer = [never] * never
    next_asked: dict[int, int] = {}
    change = changes_beside = never  # the next change, and the next change by another question than that one
    for at in range(never - 1, -1, -1):
        step = steps[at]
        if step.same is not None:
            following = next_asked.get(step.same, never)
            if following < never:
                is_other = steps[following].outcome != step.outcome
                other_answer[at] = following if is_other else other_answer[following]
            next_asked[step.same] = at
            own = change < never and steps[change].same == step.same
            answer = other_answer[at]
            polling[at] = answer < (changes_beside if own else change) and steps[answer].outcome is not None
        if step.changes and not step.is_pause:
            if change < never and steps[change].same != step.same:
                changes_beside = change
            change = at
    return polling
