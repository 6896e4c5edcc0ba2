"""The query parameters of lists: filter, period, limit and cursor."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tracegrade.evaluators.text.times import parse_time

from ..filter import FilterError, RunFilter, compile_filter
from ..read.cursor import BadCursor, decode_cursor, encode_cursor
from ..read.run_keys import RunKey
from ..read.scores import ScoreKey
from ..read.sessions import SessionKey
from ..read.window import BEGINNING, Window
from .problem import Details, InputFault
from .refusal import Refusal

__all__ = ["ListQuery", "find_place", "make_cursor", "read_filter", "read_time", "refuse_parameter"]

T = TypeVar("T", RunKey, SessionKey, ScoreKey)

_TIME: Final = "24h (ago), today, 2026-01-31 or 2026-01-31T12:00Z"


class ListQuery(BaseModel):
    """What all lists take."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: str | None = Field(
        default=None, max_length=100, description=f"begin of the period; default: any time; {_TIME}"
    )
    until: str | None = Field(default=None, max_length=100, description="its end; default: now")
    limit: int = Field(default=50, ge=1, le=1_000)
    cursor: str | None = Field(default=None, description="`next` of the page before, with its other parameters")

    @property
    def of_list(self) -> list[Any]:
        """What identifies the list, which a cursor belongs to."""
        return [type(self).__name__, *(value for name, value in self if name not in {"limit", "cursor", "count"})]

    def read_window(self) -> Window:
        """Return the period, which ends now unless `until` is given. Raises Refusal."""
        now = datetime.now(UTC).replace(tzinfo=None)
        since = BEGINNING if self.since is None else read_time("since", self.since, now)
        until = now if self.until is None else read_time("until", self.until, now)
        if since >= until:
            raise refuse_parameter("since", f"the period ends at {until:%Y-%m-%dT%H:%MZ}; write a time before it")
        return Window(since, until)


def read_filter(text: str) -> RunFilter:
    """Compile the filter in the parameter `q`. Raises Refusal."""
    try:
        return compile_filter(text)
    except FilterError as error:
        details = Details(position=error.position, near=error.near, errors=(_fault("q", str(error)),))
        raise Refusal(400, "malformed", f"q, at character {error.position}: {error}", details=details) from error


def find_place(query: ListQuery, form: type[T]) -> tuple[Window, T | None]:
    """Return the period of the list, and the place after which the page begins, if it is not the first. Raises Refusal.

    A period until now is that of the first page for all pages.
    """
    if query.cursor is None:
        return query.read_window(), None
    try:
        return decode_cursor(query.cursor, query.of_list, Window, form)
    except BadCursor as error:
        raise refuse_parameter("cursor", str(error)) from error


def make_cursor(query: ListQuery, window: Window, last: object | None) -> str | None:
    """Return the cursor for the page after `last`; None if nothing follows."""
    return None if last is None else encode_cursor(query.of_list, window, last)


def refuse_parameter(name: str, detail: str) -> Refusal:
    """Return the refusal for a query parameter."""
    return Refusal(400, "malformed", f"{name}: {detail}", details=Details(errors=(_fault(name, detail),)))


def read_time(name: str, text: str, now: datetime) -> datetime:
    """Return the time in a query parameter. Raises Refusal."""
    try:
        return parse_time(text, now)
    except ValueError as error:
        raise refuse_parameter(name, str(error)) from error


def _fault(name: str, detail: str) -> InputFault:
    return InputFault(parameter=name, detail=detail)
