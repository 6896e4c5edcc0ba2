"""Bars that lie beneath each other, one for each name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["WIDTH", "RankBar", "lay_out_ranks"]

WIDTH: Final = 100.0


@dataclass(frozen=True, slots=True)
class RankBar:
    """A bar from `x` on in a box that is `WIDTH` wide; the zero of all bars of a chart is at one place."""

    x: float
    width: float


def lay_out_ranks(values: Sequence[float | None]) -> list[RankBar]:
    """Return the bars of values, in their order; one without a value has no width."""
    known = [0.0, *(value for value in values if value is not None)]
    low, span = min(known), max(known) - min(known)
    return [
        RankBar(0.0, 0.0)
        if value is None or span == 0
        else RankBar(round((min(value, 0.0) - low) / span * WIDTH, 2), round(abs(value) / span * WIDTH, 2))
        for value in values
    ]
