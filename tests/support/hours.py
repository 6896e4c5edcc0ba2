"""The counts by hour that readers see, and what they have to be."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tracegrade.collector.store.results.hours import Hours

from .store import Clock, Store

__all__ = ["count_again", "find_wrong_hours"]

_FIRST, _LAST = "timestamp '0001-01-01'", "timestamp '9999-12-31'"
_COUNTED = {
    "run": f"from run_hours_of({_FIRST}, {_LAST})",
    "score": f"from score_hours_of({_FIRST}, {_LAST}, {_FIRST}, {_LAST})",
    "tool": f"from tool_hours_of({_FIRST}, {_LAST}, {_FIRST}, {_LAST})",
}


def find_wrong_hours(store: Store) -> list[tuple[Any, ...]]:
    """Lists the rows that only one of the two has: what readers see, and what is counted without limits."""
    found: list[tuple[Any, ...]] = []
    for kind, counted in _COUNTED.items():
        right = Counter(store.rows(counted))
        seen = Counter(store.rows(f"from {kind}_hours_between(null, null)"))
        found += [("missing", kind, *row) for row in (right - seen).elements()]
        found += [("surplus", kind, *row) for row in (seen - right).elements()]
    return found


def count_again(store: Store) -> None:
    """Renews the counts of all hours that have changed, as a server does once they are over."""
    later = Clock()
    later.pass_by(days=10_000)
    Hours(store.database, store.results, now=later).renew_all()
    assert store.one("select count(*) from changed_hours") == 0
