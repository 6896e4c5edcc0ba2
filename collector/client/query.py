"""SELECTs of our own, answered by the store or by the server that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from tracegrade.queries.read import paging
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
    """Yield every row of a report as `queries.read.paging` does. Raises Fault if a row does not fit into an answer."""
    try:
        yield from paging.rows_by_page(read, sql, after=after, limit=limit, **parameters)
    except paging.RowTooLarge as error:
        raise Fault(str(error)) from error


def split(ids: Sequence[str], size: int) -> list[Sequence[str]]:
    """Split `ids` in their order into parts of at most `size`."""
    return [ids[begin : begin + size] for begin in range(0, len(ids), size)]
