"""What answers the queries of this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..filter import RunFilter
from ..result import Result

__all__ = ["Read", "Sources", "rows_of"]


class Read(Protocol):
    """Answers a query. Blocks; raises what its source raises."""

    def __call__(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result: ...


@dataclass(frozen=True, slots=True)
class Sources:
    """`own` answers queries of ours, and `fenced` those with SQL of users. They may be the same."""

    own: Read
    fenced: Read

    def for_filter(self, run_filter: RunFilter) -> Read:
        """Return the source for queries with this filter."""
        return self.own if run_filter.predicate is None else self.fenced


def rows_of(result: Result) -> list[dict[str, Any]]:
    """Return the rows as dicts."""
    names = [column.name for column in result.columns]
    return [dict(zip(names, row, strict=True)) for row in result.rows]
