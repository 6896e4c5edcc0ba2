"""How values are shown on pages: numbers with their unit, times, foreign text. What is missing is a word, never 0."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from markupsafe import Markup, escape

from ..filter import quote
from ..foreign_text import without_controls
from ..number_text import FEW, format_duration, format_tokens, format_usd

__all__ = ["FILTERS", "as_text", "url_time"]

_NOT_RECORDED: Final = Markup('<span class="absent">not recorded</span>')


def duration(ms: float | None) -> str:
    """Show a duration in milliseconds."""
    return _NOT_RECORDED if ms is None else _exact(format_duration(ms), f"{ms:,.0f} ms")


def usd(amount: float | None) -> str:
    """Show US dollars."""
    return _NOT_RECORDED if amount is None else _exact(format_usd(amount), f"${amount:.6f}")


def tokens(count: float | None) -> str:
    """Show a number of tokens."""
    return _NOT_RECORDED if count is None else _exact(format_tokens(count), f"{count:,.0f} tokens")


def count(number: int | None) -> str:
    """Show how many."""
    return _NOT_RECORDED if number is None else f"{number:,}"


def rate(part: int | None, whole: int | None) -> str:
    """Show a share: `7.2 %`, or `3 of 7` if it is one of fewer than ten."""
    if part is None or whole is None:
        return _NOT_RECORDED
    if whole == 0:
        return Markup('<span class="absent">none</span>')
    text = f"{part} of {whole}" if whole < FEW else f"{part / whole * 100:.1f} %"
    return _exact(text, f"{part:,} of {whole:,}")


def score(value: float | None) -> str:
    """Show the value of a score, between 0 and 1."""
    return _NOT_RECORDED if value is None else _exact(f"{value:.2f}", str(value))


def moment(time: datetime | None) -> str:
    """Show a time of the store as date and time in UTC."""
    return _show_time(time, "%Y-%m-%d %H:%M:%S")


def clock(time: datetime | None) -> str:
    """Show the time of the day (UTC) of a time, in lists that have the day as a heading."""
    return _show_time(time, "%H:%M:%S")


def day_and_hour(time: datetime | None) -> str:
    """Show the day and the minute (UTC) of a time, where its year is clear."""
    return _show_time(time, "%d %b %H:%M")


def url_time(time: datetime) -> str:
    """Write a time of the store for a URL, exactly."""
    return f"{time.isoformat()}Z"


def amount(value: float | None, unit: str) -> str:
    """Show a mean in its unit: rate, ms or usd."""
    if value is None:
        return _NOT_RECORDED
    match unit:
        case "rate":
            return f"{value * 100:.1f} %"
        case "ms":
            return duration(value)
        case _:
            return usd(value)


def points(change: float) -> str:
    """Show the change of a share in percentage points."""
    return f"{change * 100 + 0.0:+.1f} pt"


def foreign(text: object) -> str:
    """Show text of agents: characters that are invisible or change its order by their number."""
    return _NOT_RECORDED if text is None else escape(without_controls(str(text)))


def as_text(value: object) -> str:
    """Return a text as it is, and other values as JSON with its lines."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def clipped(text: object, most: int = 4_000) -> str:
    """Show a foreign text with its lines, up to some characters."""
    if text is None:
        return _NOT_RECORDED
    whole = as_text(text)
    if len(whole) <= most:
        return foreign(whole)
    left = f"{len(whole) - most:,} characters more"
    return Markup('{0} <span class="absent">… {1}</span>').format(foreign(whole[:most]), left)


def short(text: object, most: int = 120) -> str:
    """Show the beginning of a foreign text in one line."""
    if text is None:
        return _NOT_RECORDED
    line = " ".join(without_controls(str(text)).split())
    return escape(line if len(line) <= most else f"{line[: most - 1]}…")


def _show_time(time: datetime | None, form: str) -> str:
    if time is None:
        return _NOT_RECORDED
    return Markup('<time datetime="{0}Z" title="{1} UTC">{2}</time>').format(
        time.isoformat(timespec="milliseconds"), f"{time:%Y-%m-%d %H:%M:%S.%f}"[:-3], time.strftime(form)
    )


def _exact(text: str, exact: str) -> str:
    """Show the exact value on a number that is rounded."""
    return text if text == exact else Markup('<span title="{0}">{1}</span>').format(exact, text)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "duration": duration,
    "usd": usd,
    "tokens": tokens,
    "count": count,
    "rate": rate,
    "score": score,
    "moment": moment,
    "clock": clock,
    "url_time": url_time,
    "day_and_hour": day_and_hour,
    "amount": amount,
    "points": points,
    "quoted": quote,
    "as_text": as_text,
    "foreign": foreign,
    "clipped": clipped,
    "short": short,
}
