"""Which condition of a list without runs excludes how many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from ...filter import compile_filter, quote, relax
from ...read.run_keys import RunList, count_runs
from ...read.source import Sources
from ...read.window import Window
from ..selection import Selection

__all__ = ["Exclusion", "read_exclusions"]

_MOST: Final = 8


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A condition, the number of runs that all others select, and the parameters of the URL that leave it out."""

    condition: str
    count: int
    parameters: Mapping[str, str | None]


def read_exclusions(selection: Selection, text: str, window: Window, sources: Sources) -> list[Exclusion]:
    """Return the first conditions: the chosen names, then the terms of the filter `text`."""
    return [
        Exclusion(condition, _count(remaining, window, sources), parameters)
        for condition, remaining, parameters in islice(_leave_out_each(selection, text), _MOST)
    ]


def _leave_out_each(selection: Selection, text: str) -> Iterator[tuple[str, str, Mapping[str, str | None]]]:
    """Yield each condition with the filter of all others, and the parameters of the URL for that."""
    for name, value in selection.names.items():
        if value is not None:
            yield f"{name}:{quote(value)}", selection.model_copy(update={name: None}).filter(text), {name: None}
    for relaxed in relax(text):
        yield relaxed.left_out, selection.filter(relaxed.text), {"q": relaxed.text or None}


def _count(text: str, window: Window, sources: Sources) -> int:
    return count_runs(RunList(run_filter=compile_filter(text), window=window), sources)
