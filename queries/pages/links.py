"""Links to pages, which keep what the reader has chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from ..path_segment import write_segment
from .confirmation import DONE
from .selection import Selection

__all__ = ["Links"]

_PASSING: Final = frozenset({"cursor", DONE})


class Links:
    """Makes links from a page. `here` is its path as it was sent, and `query` all parameters of its URL."""

    def __init__(self, selection: Selection, here: str, query: Mapping[str, str]) -> None:
        self._chosen = selection.query
        self._here = here
        self._query = dict(query)

    def to(self, page: str, name: str | None = None, action: str | None = None, /, **parameters: object) -> str:
        """Return a link to a page, or to that of a name, or to an action on it, with the period and names that were
        chosen; None removes a parameter."""
        segments = [page, *([] if name is None else [write_segment(name)]), *([] if action is None else [action])]
        return _write("/" + "/".join(segments), {**self._chosen, **_named(parameters)})

    @property
    def kept(self) -> dict[str, str]:
        """The parameters of the URL that the same page keeps, when it is shown with others."""
        return {name: value for name, value in self._query.items() if name not in _PASSING}

    def again(self, **parameters: object) -> str:
        """Return a link to this page with some parameters changed, without the place in a list and what was done."""
        return _write(self._here, {**self.kept, **_named(parameters)})


def _named(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return parameters whose names are words of Python, such as `from_`, under their names."""
    return {name.rstrip("_"): value for name, value in parameters.items()}


def _write(path: str, parameters: Mapping[str, object]) -> str:
    query = urlencode({name: value for name, value in parameters.items() if value is not None and value != ""})
    return f"{path}?{query}" if query else path
