"""Reads all rows of a report, however few fit into an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .source import Read

__all__ = ["RowTooLarge", "rows_by_page"]


class RowTooLarge(Exception):
    """Not even one row fits into an answer of the source."""

    def __init__(self) -> None:
        super().__init__("a row is larger than an answer may be")


def rows_by_page(
    read: Read, sql: str, *, after: Mapping[str, object], limit: int = 500, **parameters: object
) -> Iterator[dict[str, Any]]:
    """Yield every row of a report with a `$limit`, which is asked for page by page.

    `after` maps the columns that order the report to values before those of the first row. The report has a parameter
    `$after_<column>` for each, and gives the rows behind them. A page may be cut short by any limit of the source.
    Raises RowTooLarge.
    """
    place = dict(after)
    while True:
        names = {f"after_{column}": value for column, value in place.items()}
        answer = read(sql, parameters={**parameters, **names, "limit": limit})
        rows: list[dict[str, Any]] = answer.table.to_pylist()
        yield from rows
        if not rows:
            if answer.truncated:
                raise RowTooLarge
            return
        place = {column: rows[-1][column] for column in place}
