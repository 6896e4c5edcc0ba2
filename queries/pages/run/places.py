"""Where the entries of a conversation are: on which part of the page, or on the page of a sub-agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...answers.run import SubRun
from .conversation import Entry

__all__ = ["PART", "Place", "Places", "walk"]

PART: Final = 60
"""The most entries of a conversation, and of a sub-agent in it, that are on the page at once."""


@dataclass(frozen=True, slots=True)
class Place:
    """The number of the outermost entry around an entry, from 1. Of a sub-agent with many entries the page has only the
    first: then the page of `sub_run` has it, within its entry `inner_step`."""

    step: int
    sub_run: SubRun | None = None
    inner_step: int | None = None


class Places:
    """The places of entries by their anchors. `around` are the anchors of all sub-agents that hold a marked entry."""

    def __init__(self, entries: Sequence[Entry], is_marked: Callable[[Entry], bool]) -> None:
        self._places: dict[str, Place] = {}
        self.around: set[str] = set()
        for step, top in enumerate(entries, 1):
            self._add(top, Place(step), (), is_marked)

    def find(self, anchor: str | None) -> Place | None:
        """Return the place of the entry with an anchor; None if there is none."""
        return None if anchor is None else self._places.get(anchor)

    def _add(self, entry: Entry, place: Place, above: tuple[str, ...], is_marked: Callable[[Entry], bool]) -> None:
        self._places[entry.anchor] = place
        if is_marked(entry):
            self.around.update(above)
        for number, inner in enumerate(entry.entries, 1):
            is_cut = place.sub_run is None and number > PART
            of_inner = Place(place.step, entry.sub_run, number) if is_cut else place
            self._add(inner, of_inner, (*above, entry.anchor), is_marked)


def walk(entry: Entry) -> Iterator[Entry]:
    """Yield an entry and all within it."""
    yield entry
    for inner in entry.entries:
        yield from walk(inner)
