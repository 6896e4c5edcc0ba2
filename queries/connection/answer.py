"""The rows of a query as objects of Arrow, pandas, polars or Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..formats import number_names
from ..result import Column, Result

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["QueryAnswer"]


class QueryAnswer:
    """All rows of one query, in memory. Times are UTC, without a zone."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __repr__(self) -> str:
        return f"<{len(self):,} rows of {', '.join(self._table.column_names)}>"

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def arrow(self) -> pa.Table:
        """Return a `pyarrow.Table` with the columns in the order and the types of the query; names may repeat."""
        return self._table

    def rows(self) -> list[dict[str, Any]]:
        """Return a dict per row, by column; if a name repeats, later columns are numbered: `n`, `n_1`.

        Values are Python's: times are `datetime` without a zone, structs dicts, NULL None, JSON its text.
        """
        columns = tuple(Column(field.name, str(field.type)) for field in self._table.schema)
        result = Result(columns=columns, table=self._table, truncated=False, elapsed_ms=0.0)
        names = number_names(self._table.column_names)
        return [dict(zip(names, row, strict=True)) for row in result.rows]

    def pandas(self) -> pd.DataFrame:
        """Return a `pandas.DataFrame` with a column per column of the query; repeated names are numbered as in `rows`.

        Raises ModuleNotFoundError if pandas is not installed.
        """
        _require("pandas")
        return self._plain_table().to_pandas()

    def polars(self) -> pl.DataFrame:
        """Return a `polars.DataFrame` with a column per column of the query; repeated names are numbered as in `rows`.

        Raises ModuleNotFoundError if polars is not installed.
        """
        _require("polars")
        import polars as pl  # noqa: PLC0415 - Tracegrade works without it

        return pl.DataFrame(self._plain_table())

    def _plain_table(self) -> pa.Table:
        """Return the table with a name per column, and JSON and UUID columns as the type that stores them."""
        columns = [_read_storage(column) for column in self._table.columns]
        return pa.table(columns, names=number_names(self._table.column_names))


def _read_storage(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    return pa.chunked_array([chunk.storage for chunk in column.chunks], type=column.type.storage_type)


def _require(library: str) -> None:
    """Raise ModuleNotFoundError with the command that installs `library`."""
    from importlib.util import find_spec  # noqa: PLC0415 - with the library

    if find_spec(library) is None:
        raise ModuleNotFoundError(
            f"{library} is not installed: pip install {library}, or read the answer with .arrow() or .rows()",
            name=library,
        )
