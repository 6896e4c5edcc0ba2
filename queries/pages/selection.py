"""What a reader has chosen for all pages: a period, and of which agent, version, environment and service.

It is the query of the URL, so that a link shows the same to everybody: `since=24h` moves with the clock, `from` and
`to` do not. A period begins and ends at a full hour, because runs are counted by hour: what a page counts is then what
a list has.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import QueryParams

from tracegrade.evaluators.text.times import parse_time

from ..filter import quote
from ..read.window import BEGINNING, Window

__all__ = ["ALL", "DEFAULT_SINCE", "PERIODS", "BadSelection", "Selection", "format_url_time"]

ALL: Final = "all"
DEFAULT_SINCE: Final = "24h"
PERIODS: Final[Mapping[str, str]] = {
    "1h": "last hour",
    "24h": "last 24 hours",
    "7d": "last 7 days",
    "30d": "last 30 days",
    ALL: "all time",
}
_NAMES: Final = ("agent", "version", "environment", "service")


class BadSelection(ValueError):
    """The query of a URL chooses what cannot be shown; the message says why."""


class Selection(BaseModel):
    """The period and the names that were chosen; None: all. `from` and `to` are kept as they were written."""

    model_config = ConfigDict(frozen=True)

    since: str | None = None
    from_: str | None = Field(default=None, alias="from")
    to: str | None = None
    agent: str | None = None
    version: str | None = None
    environment: str | None = None
    service: str | None = None

    @classmethod
    def read(cls, query: QueryParams) -> Self:
        """Read the query of a URL; an empty parameter counts as none. Raises BadSelection."""
        values = {name: value for name in cls.parameters() if (value := query.get(name, "").strip())}
        if "since" in values and ("from" in values or "to" in values):
            raise BadSelection("a period is either `since`, or `from` and `to`: this link has both")
        if broken := [name for name, value in values.items() if "\0" in value]:
            raise BadSelection(f"`{broken[0]}` has a NUL character, which no name has")
        return cls.model_validate(values)

    @classmethod
    def parameters(cls) -> list[str]:
        """Return the parameters of the URL."""
        return ["since", "from", "to", *_NAMES]

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the URL that were chosen."""
        return {name: value for name, value in self.model_dump(by_alias=True).items() if value is not None}

    @property
    def names(self) -> dict[str, str | None]:
        """The parameters of statements but for the period."""
        return {name: getattr(self, name) for name in _NAMES}

    @property
    def chosen(self) -> dict[str, str]:
        """The names that were chosen."""
        return {name: value for name, value in self.names.items() if value is not None}

    def filter(self, *terms: str) -> str:
        """Return a filter with these terms, after those for the chosen names."""
        names = (f"{name}:{quote(value)}" for name, value in self.chosen.items())
        return " ".join([*names, *terms])

    @property
    def is_fixed(self) -> bool:
        """Whether the period stays the same whenever the page is opened."""
        return self.from_ is not None or self.to is not None

    def window(self, now: datetime) -> Window:
        """Return the period in UTC, in full hours. Raises BadSelection."""
        since, until = self._limits()
        try:
            window = Window(
                BEGINNING if since == ALL else _hour(parse_time(since, now)),
                _next_hour(now if until is None else parse_time(until, now)),
            )
        except (ValueError, OverflowError) as error:
            raise BadSelection(str(error)) from error
        if window.since >= window.until:
            raise BadSelection(f"the period ends before it begins: from {since} to {until or 'now'}")
        return window

    def _limits(self) -> tuple[str, str | None]:
        if self.is_fixed:
            return self.from_ or ALL, self.to
        return self.since or DEFAULT_SINCE, None


def format_url_time(time: datetime) -> str:
    """Format a time in UTC for the query of a URL."""
    return f"{time:%Y-%m-%dT%H:%MZ}"


def _hour(time: datetime) -> datetime:
    return time.replace(minute=0, second=0, microsecond=0)


def _next_hour(time: datetime) -> datetime:
    hour = _hour(time)
    return hour if hour == time else hour + timedelta(hours=1)
