"""SELECTs of our own, answered by the store or by the server that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from tracegrade.queries.result import Result

from ..errors import Fault

__all__ = ["Read", "all_rows", "rows_by_page", "split"]


class Read(Protocol):
    """Answers a SELECT of ours. Raises SqlRefused if the query fails, Fault if the store cannot be queried."""

    def __call__(self, sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result: ...


def all_rows(read: Read, sql: str, **parameters: object) -> list[dict[str, Any]]:
    """Return every row of the answer, as dicts. Raises Fault if it was truncated."""
    answer = read(sql, parameters=parameters or None)
    if answer.truncated:
        count = answer.table.num_rows
        raise Fault(f"more than {count:,} rows: ask for less, or `tracegrade sql` for all")
    rows: list[dict[str, Any]] = answer.table.to_pylist()
    return rows


def rows_by_page(
    read: Read, sql: str, *, after: Mapping[str, object], limit: int = 500, **parameters: object
) -> Iterator[dict[str, Any]]:
    """Yield every row of a report with a `$limit`, which is asked for page by page.

    `after` maps the columns that order the report to values before those of the first row. The report has a parameter
    `$after_<column>` for each, and gives the rows behind them. A page may be cut short by any limit of the source.
    Raises Fault if not even one row fits into it.
    """
    place = dict(after)
    while True:
        names = {f"after_{column}": value for column, value in place.items()}
        answer = read(sql, parameters={**parameters, **names, "limit": limit})
        rows: list[dict[str, Any]] = answer.table.to_pylist()
        yield from rows
        if not rows:
            if answer.truncated:
                raise Fault("a row is larger than an answer may be")
            return
        place = {column: rows[-1][column] for column in place}


def split(ids: Sequence[str], size: int) -> list[Sequence[str]]:
    """Split `ids` in their order into parts of at most `size`."""
    return [ids[begin : begin + size] for begin in range(0, len(ids), size)]
