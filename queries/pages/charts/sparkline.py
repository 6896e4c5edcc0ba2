"""A line without axes, with a band of what is usual behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Sparkline", "lay_out_sparkline"]

_WIDTH: Final = 96.0
_HEIGHT: Final = 24.0
_MARGIN: Final = 2.0


@dataclass(frozen=True, slots=True)
class Sparkline:
    """Points of lines in a box of `width` by `height`: a line ends where nothing was recorded. `band` is its top and
    bottom; `last` the newest point."""

    width: float
    height: float
    lines: tuple[str, ...]
    last: tuple[float, float] | None
    band: tuple[float, float] | None


def lay_out_sparkline(values: Sequence[float | None], band: tuple[float, float] | None = None) -> Sparkline:
    """Return the line of values at equal distances, with the band of usual values (lowest, highest)."""
    known = [value for value in values if value is not None] + list(band or ())
    low, high = (min(known), max(known)) if known else (0.0, 0.0)

    def scale(value: float) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_HEIGHT - _MARGIN - share * (_HEIGHT - 2 * _MARGIN), 2)

    distance = _WIDTH / max(len(values) - 1, 1)
    lines: list[list[str]] = [[]]
    last: tuple[float, float] | None = None
    for number, value in enumerate(values):
        if value is None:
            lines.append([])
            continue
        last = (round(number * distance, 2), scale(value))
        lines[-1].append(f"{last[0]},{last[1]}")
    drawn = tuple(" ".join(points) for points in lines if len(points) > 1)
    return Sparkline(_WIDTH, _HEIGHT, drawn, last, band and (scale(band[1]), scale(band[0])))
