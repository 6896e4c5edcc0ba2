"""The chart of a result: lines if its first column is a time, bars if it is a text, and another one is a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Final

from ...number_text import format_rows
from ...result import Column, Result
from ..charts.line import LineChart, Point, lay_out_line
from ..charts.ranks import RankBar, lay_out_ranks

__all__ = ["Chart", "Line", "Rank", "find_chart"]

_MOST_BARS: Final = 20
_MOST_LINES: Final = 12
_TIMES: Final = ("TIMESTAMP", "DATE")
_TEXTS: Final = ("VARCHAR", "ENUM")


@dataclass(frozen=True, slots=True)
class Rank:
    """A bar with its name, and its value as text; None: there is none."""

    name: str
    bar: RankBar
    value: str | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line with what it is of, and its axes as texts."""

    name: str
    line: LineChart
    low: str
    high: str
    begin: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """The column that is drawn, the others that could be, and either lines or bars. `left_out`: so many more are not
    drawn."""

    column: str
    others: Sequence[str]
    lines: Sequence[Line] = ()
    bars: Sequence[Rank] = ()
    left_out: int = 0


def find_chart(result: Result, wanted: str | None) -> Chart | None:
    """Return the chart of the column that is `wanted`, or of the first number; None if there is nothing to draw."""
    if len(result.rows) < 2:
        return None
    first, *rest = result.columns
    numbers = [column.name for column in rest if column.is_number]
    if not numbers:
        return None
    column = wanted if wanted in numbers else numbers[0]
    at = 1 + [each.name for each in rest].index(column)
    others = [name for name in dict.fromkeys(numbers) if name != column]
    if first.type.startswith(_TIMES):
        return _draw_lines(result, at, others)
    if first.type.startswith(_TEXTS):
        return _draw_bars(result, at, others)
    return None


def _draw_bars(result: Result, at: int, others: Sequence[str]) -> Chart:
    shown = result.rows[:_MOST_BARS]
    bars = lay_out_ranks([_as_number(row[at]) for row in shown])
    texts = _format(result.columns, shown, at)
    names = [" · ".join(str(value) for value in _read_names(result.columns, row)) for row in shown]
    ranks = [Rank(name, bar, text) for name, bar, text in zip(names, bars, texts, strict=True)]
    column = result.columns[at].name
    return Chart(column=column, others=others, bars=ranks, left_out=len(result.rows) - len(shown))


def _read_names(columns: Sequence[Column], row: Sequence[Any]) -> list[Any]:
    """Return the values of the texts that a row begins with: together they name it."""
    names: list[Any] = []
    for column, value in zip(columns, row, strict=True):
        if not column.type.startswith(_TEXTS):
            break
        names.append("null" if value is None else value)
    return names[:3]


def _draw_lines(result: Result, at: int, others: Sequence[str]) -> Chart | None:
    """Draw a line for each text in the second column, or one line."""
    is_split = at > 1 and result.columns[1].type.startswith(_TEXTS)
    series: dict[str, list[tuple[float, Any, str]]] = {}
    for row, text in zip(result.rows, _format(result.columns, result.rows, at), strict=True):
        if (x := _as_time(row[0])) is not None:
            name = str(row[1]) if is_split else result.columns[at].name
            series.setdefault(name, []).append((x, row, text or "null"))
    lines = [_draw_line(name, rows, at) for name, rows in series.items() if len(rows) > 1]
    if not lines:
        return None
    column = result.columns[at].name
    return Chart(column=column, others=others, lines=lines[:_MOST_LINES], left_out=max(len(lines) - _MOST_LINES, 0))


def _draw_line(name: str, rows: Sequence[tuple[float, Any, str]], at: int) -> Line:
    ordered = sorted(rows, key=lambda each: each[0])
    points = [Point(x, _as_number(row[at]), f"{_format_time(row[0])}: {text}") for x, row, text in ordered]
    known = [
        (point.value, text) for point, (_, _, text) in zip(points, ordered, strict=True) if point.value is not None
    ]
    low, high = min(known, default=(0.0, "null")), max(known, default=(0.0, "null"))
    ends = _format_time(ordered[0][1][0]), _format_time(ordered[-1][1][0])
    return Line(name, lay_out_line(points), "0" if low[0] >= 0 else low[1], high[1], *ends)


def _format(columns: Sequence[Column], rows: Sequence[Sequence[Any]], at: int) -> list[str | None]:
    names = [column.name for column in columns]
    numbered = [[_as_number(value) if at == place else value for place, value in enumerate(row)] for row in rows]
    return [None if row[at] is None else str(row[at]) for row in format_rows(names, numbered)]


def _as_number(value: Any) -> float | None:
    if value is None or isinstance(value, str):
        return None
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _as_time(value: Any) -> float | None:
    """Return a time as seconds; one without a zone is UTC."""
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    return datetime.combine(value, time(), UTC).timestamp() if isinstance(value, date) else None


def _format_time(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M}"
    return str(value)
