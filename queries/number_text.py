"""Numbers for people, by the unit at the end of the name of their column: `p95_ms`, `cost_usd`, `error_rate`.

A rate is over the number in the nearest column before it that is named `n` or `n_…`; over fewer than ten it is shown as
`3 of 7`, and its interval is left out. The columns `before`, `now` and `change…` have the unit in the column `unit` of
their row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

__all__ = ["FEW", "format_duration", "format_rows", "format_tokens", "format_usd"]

FEW: Final = 10
"""A rate over fewer than this says little."""

_UNIT: Final = re.compile(r"(?:^|_)(?:(rate)(_change)?(_low|_high)?|(ms|s|usd|tokens))$")
_BY_ROW: Final = re.compile(r"(?:before|now|(change)(?:_low|_high)?)")
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z?")


def format_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return plain rows with numbers, times, booleans and lists as text; null and other values stay as they are."""
    return [_format_row(names, row) for row in rows]


def _format_row(names: Sequence[str], row: Sequence[Any]) -> list[Any]:
    unit = dict(zip(names, row, strict=True)).get("unit")
    texts: list[Any] = []
    n: int | None = None
    for name, value in zip(names, row, strict=True):
        if (name == "n" or name.startswith("n_")) and isinstance(value, int):
            n = value
        texts.append(value if value is None else _format_value(name, value, unit=unit, n=n))
    return texts


def _format_value(name: str, value: Any, *, unit: Any, n: int | None) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _format_number_of(name, value, unit=unit, n=n)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, str) and (time := _TIME.fullmatch(value)):
        return f"{time[1]} {time[2]}"
    return value


def _format_number_of(name: str, value: float, *, unit: Any, n: int | None) -> str:
    if match := _BY_ROW.fullmatch(name):
        return _format_in_unit(str(unit), value, is_change=match[1] is not None, is_bound="_" in name, n=n)
    if match := _UNIT.search(name):
        rate, change, bound, other = match.groups()
        return _format_in_unit(rate or other, value, is_change=change is not None, is_bound=bound is not None, n=n)
    return _format_number(value)


def _format_in_unit(unit: str, value: float, *, is_change: bool, is_bound: bool, n: int | None) -> str:
    if unit == "rate":
        return _format_rate(value, is_change=is_change, is_bound=is_bound, n=n)
    write = _FORMATS.get(unit, _format_number)
    if not is_change:
        return write(value)
    return f"{'-' if value < 0 else '+'}{write(abs(value))}"


def _format_rate(rate: float, *, is_change: bool, is_bound: bool, n: int | None) -> str:
    if n is not None and n < FEW:
        return "" if is_change or is_bound else f"{round(rate * n)} of {n}"
    return f"{rate * 100:+.1f} pt" if is_change else f"{rate * 100:.1f} %"


def format_duration(ms: float) -> str:
    """Format milliseconds: `523 ms`, `1.2 s`, `1 min 40 s`, `2 h 5 min`."""
    if round(ms) < 1000:
        return f"{ms:.0f} ms" if ms >= 10 or ms == round(ms) else f"{ms:.1f} ms"
    if round(ms / 1000, 1) < 60:
        return f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"
    hours, minutes = divmod(round(ms / 60_000), 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


def format_usd(usd: float) -> str:
    """Format US dollars: `$4.31`, below one `$0.0123`, below a hundredth of a cent `< $0.0001`."""
    sign = "-" if usd < 0 else ""
    amount = abs(usd)
    if 0 < amount < 0.0001:
        return f"{sign}< $0.0001"
    return f"{sign}${amount:,.2f}" if amount >= 0.99995 or amount == 0 else f"{sign}${amount:.4f}"


def format_tokens(tokens: float) -> str:
    """Format a number of tokens: `523`, `12.4 k`, `1.24 M`."""
    if abs(tokens) < 999.5:
        return f"{tokens:,.0f}"
    if abs(tokens) < 999_950:
        return f"{tokens / 1000:,.1f} k"
    return f"{tokens / 1_000_000:,.2f} M"


def _format_number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:,.3f}".rstrip("0").rstrip(".")


_FORMATS: Final[Mapping[str, Callable[[float], str]]] = {
    "ms": format_duration,
    "s": lambda seconds: format_duration(seconds * 1000),
    "usd": format_usd,
    "tokens": format_tokens,
}
