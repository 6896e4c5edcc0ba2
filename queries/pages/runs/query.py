"""Which runs a URL lists: the period and names that were chosen, a filter, and an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar, get_args

from ...filter import FilterError, RunFilter, compile_filter
from ...read.cursor import BadCursor, decode_cursor, encode_cursor
from ...read.run_keys import NEWEST, RunKey, RunList, Sort
from ...read.sessions import SessionKey
from ...read.window import Window
from ..selection import Selection
from ..visit import Visit

__all__ = ["BadFilter", "RunsQuery", "read_cursor", "read_query"]

T = TypeVar("T", RunKey, SessionKey)

_SORTS: Final[tuple[Sort, ...]] = get_args(Sort)


class BadFilter(ValueError):
    """A filter that cannot be read. `position` is that of the character at fault, in the text of the reader."""

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message)
        self.text = text
        self.position = position


@dataclass(frozen=True, slots=True)
class RunsQuery:
    """The list, all runs of the same period and names, the filter as the reader wrote it, and after which run the page
    begins."""

    runs: RunList
    everything: RunList
    text: str
    after: RunKey | None

    def make_cursor(self, last: RunKey | None) -> str | None:
        """Return the cursor of the page after a run."""
        return None if last is None else encode_cursor(_name_list(self.text, self.runs), self.runs.window, last)


def read_query(visit: Visit) -> RunsQuery:
    """Return what the URL of a visit lists. Raises BadFilter and BadSelection."""
    text = visit.query("q") or ""
    sort = visit.query("sort")
    known = next((each for each in _SORTS if each == sort), NEWEST)
    runs = RunList(run_filter=_compile(visit.selection, text), window=visit.window, sort=known)
    everything = RunList(run_filter=_compile(visit.selection, ""), window=visit.window)
    return RunsQuery(runs, everything, text, read_cursor(visit, _name_list(text, runs), RunKey))


def _compile(selection: Selection, text: str) -> RunFilter:
    """Compile the filter of the reader, together with the chosen names."""
    try:
        return compile_filter(selection.filter(text))
    except FilterError as error:
        raise BadFilter(str(error), text, max(error.position - len(selection.filter("")), 0)) from error


def read_cursor(visit: Visit, of_list: Sequence[object], form: type[T]) -> T | None:
    """Return the place in the list; a cursor of another list begins it anew, as it does when a link was changed."""
    cursor = visit.query("cursor")
    if cursor is None:
        return None
    try:
        _, after = decode_cursor(cursor, of_list, Window, form)
    except BadCursor:
        return None
    return after


def _name_list(text: str, runs: RunList) -> list[str]:
    return [text, runs.run_filter.text, runs.sort]
