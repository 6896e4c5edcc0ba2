"""Precision, recall and F1 of the calls made and the calls expected."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Overlap"]


class Overlap(NamedTuple):
    """`matched` pairs among `actual` and `expected` calls, or names of tools.

    All shares are in [0, 1], and 0 for an empty list: the score of two empty lists differs between systems.
    """

    matched: int
    actual: int
    expected: int

    @property
    def precision(self) -> float:
        """The share of the actual items that were expected."""
        return self.matched / self.actual if self.actual else 0.0

    @property
    def recall(self) -> float:
        """The share of the expected items that were there."""
        return self.matched / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        """F1 computed from precision and recall, as in these systems: `2 * matched / (actual + expected)` is the same
        number, but is rounded to the other side of some thresholds."""
        if not self.matched:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)
