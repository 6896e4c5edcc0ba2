"""A line over time, with the value of each point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

__all__ = ["LineChart", "Point", "lay_out_line"]

WIDTH: Final = 600.0
HEIGHT: Final = 100.0
_MARGIN: Final = 3.0
_MOST_TITLES: Final = 200


@dataclass(frozen=True, slots=True)
class Point:
    """A value at a place in time; None: there is none. `title` says both."""

    x: float
    value: float | None
    title: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in the box, with the width over which its title is shown."""

    x: float
    y: float
    begin: float
    width: float
    title: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines in a box of `width` by `height`; a line ends where there is no value. `low` and `high` are the values at
    the bottom and the top. There are no marks if they were too close to each other."""

    width: float
    height: float
    lines: tuple[str, ...]
    marks: tuple[Mark, ...]
    low: float
    high: float


def lay_out_line(points: Sequence[Point]) -> LineChart:
    """Return the line of points in the order of their places. The box begins at 0, unless a value is below."""
    values = [point.value for point in points if point.value is not None]
    low, high = min([0.0, *values]), max([0.0, *values])
    first, last = (points[0].x, points[-1].x) if points else (0.0, 0.0)
    share = (WIDTH - 2 * _MARGIN) / (last - first) if last > first else 0.0
    places = [_MARGIN + share * (point.x - first) for point in points]
    heights = [None if point.value is None else _scale(point.value, low, high) for point in points]
    lines: list[list[str]] = [[]]
    for x, y in zip(places, heights, strict=True):
        if y is None:
            lines.append([])
        else:
            lines[-1].append(f"{x:.1f},{y:.1f}")
    drawn = tuple(" ".join(each) for each in lines if len(each) > 1)
    marks = _make_marks(points, places, heights) if len(values) <= _MOST_TITLES else ()
    return LineChart(WIDTH, HEIGHT, drawn, marks, low, high)


def _scale(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.0
    return HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN)


def _make_marks(points: Sequence[Point], places: Sequence[float], heights: Sequence[float | None]) -> tuple[Mark, ...]:
    middles = [(left + right) / 2 for left, right in pairwise(places)]
    begins, ends = [0.0, *middles], [*middles, WIDTH]
    return tuple(
        Mark(round(x, 1), round(y, 1), round(begin, 1), round(end - begin, 1), point.title)
        for point, x, y, begin, end in zip(points, places, heights, begins, ends, strict=True)
        if y is not None
    )
