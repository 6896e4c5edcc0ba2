"""How far what was called and what was expected are the same: precision, recall and F1."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Overlap"]


class Overlap(NamedTuple):
    """`matched` pairs among `actual` and `expected` calls, or names of tools.

    All shares are in [0, 1], and 0 where there is nothing to divide by: what two empty lists are worth differs from
    system to system.
    """

    matched: int
    actual: int
    expected: int

    @property
    def precision(self) -> float:
        """The share of the actual ones that were expected."""
        return self.matched / self.actual if self.actual else 0.0

    @property
    def recall(self) -> float:
        """The share of the expected ones that were there."""
        return self.matched / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        """By precision and recall, as these systems write it: `2 * matched / (actual + expected)` is the same number,
        but rounds to the other side of some thresholds."""
        if not self.matched:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)
