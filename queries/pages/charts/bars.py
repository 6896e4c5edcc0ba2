"""Bars over time, each of parts on top of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["HEIGHT", "Bar", "BarChart", "Part", "Step", "lay_out_bars"]

HEIGHT: Final = 120.0
_WIDTH: Final = 10.0
_GAP: Final = 1.0
_LEAST: Final = 2.0
"""The height of the smallest part that was counted at all."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of time with its counts by kind (from the base up), a title that says them, and a link to what it counts.

    `mark` says what changed in it, if anything did.
    """

    label: str
    counts: Mapping[str, int]
    title: str
    link: str
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of a bar; `kind` is its class."""

    kind: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar, as wide as its step but for a gap."""

    x: float
    width: float
    parts: tuple[Part, ...]
    step: Step


@dataclass(frozen=True, slots=True)
class BarChart:
    """Bars in a box of `width` by `height`. `most` is what the highest bar counts."""

    width: float
    height: float
    most: int
    bars: tuple[Bar, ...]


def lay_out_bars(steps: Sequence[Step]) -> BarChart:
    """Return the chart of some steps of equal length."""
    most = max((sum(step.counts.values()) for step in steps), default=0)
    bars = tuple(_lay_out_bar(step, number * _WIDTH, most) for number, step in enumerate(steps))
    return BarChart(len(steps) * _WIDTH, HEIGHT, most, bars)


def _lay_out_bar(step: Step, x: float, most: int) -> Bar:
    parts: list[Part] = []
    y = HEIGHT
    for kind, count in step.counts.items():
        if count:
            height = max(count / most * HEIGHT, _LEAST)
            y = max(y - height, 0.0)
            parts.append(Part(kind, round(y, 2), round(height, 2)))
    return Bar(x, _WIDTH - _GAP, tuple(parts), step)
