"""What a query answered, and its forms: JSON, CSV, Arrow, Parquet, and a table for a terminal.

Every form says the same. Times are UTC, whatever a column's own zone. In JSON and CSV a TIMESTAMP is ISO 8601 with Z,
a BLOB base64, an INTERVAL an ISO 8601 duration, a JSON column its text as stored. JSON has no number for NaN and the
infinities, and many readers keep numbers as doubles: what a double would change is a string, whatever its type.
"""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson
import pyarrow as pa

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["FORMATS", "Column", "Format", "Result", "one_line", "plain_rows", "terminal_table", "visible"]

Arrow: TypeAlias = Any
"""An array or chunked array: pyarrow comes without types, and what others write for it lacks half of the methods."""

_EXACT_IN_A_DOUBLE = 2**53
_UNWRITABLE_IN_PARQUET = (pa.types.is_interval, pa.types.is_union)
_CSV_SPECIAL = re.compile(r'[",\r\n]|^\s|\s$|^$')
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal obeys instead of showing it, as are marks that turn the direction of text."""
_MAX_CELL_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and DuckDB's name of its type. Names may repeat."""

    name: str
    type: str


@dataclass(frozen=True, kw_only=True)
class Result:
    """The rows that were kept, by column in `table`. `truncated`: the query had more."""

    columns: tuple[Column, ...]
    table: pa.Table
    truncated: bool
    elapsed_ms: float

    @cached_property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """As Python values; a time that Python's own types cannot hold is ISO 8601 text."""
        return tuple(zip(*(_python_values(column) for column in self.table.columns), strict=True))


@dataclass(frozen=True, slots=True)
class Format:
    """A form that a program can read, and its media type."""

    media_type: str
    render: Callable[[Result], bytes]


def terminal_table(result: Result) -> Table:
    """The rows as a rich table: NULL a dim ∅, numbers to the right, long text folded.

    What traces hold is foreign text: markup stays text, and control characters are shown, not sent to the terminal.
    """
    from rich.table import Table  # noqa: PLC0415  # only a terminal needs it
    from rich.text import Text  # noqa: PLC0415

    table = Table()
    for column, values in zip(result.columns, result.table.columns, strict=True):
        table.add_column(Text(visible(column.name)), justify=_justify(values.type), overflow="fold")
    for row in plain_rows(result):
        table.add_row(*(Text("∅", style="dim") if value is None else Text(visible(_text(value))) for value in row))
    return table


def _json(result: Result) -> bytes:
    """Batch by batch: as Python objects a large answer would need ten times its size."""
    columns = orjson.dumps([{"name": column.name, "type": column.type} for column in result.columns])
    rows = b",".join(orjson.dumps(batch)[1:-1] for batch in _plain_batches(result) if batch)
    rest = orjson.dumps({"truncated": result.truncated, "elapsed_ms": round(result.elapsed_ms, 3)})
    return b'{"columns":%b,"rows":[%b],%b' % (columns, rows, rest[1:])


def _csv(result: Result) -> bytes:
    """RFC 4180 with line feeds. NULL is an empty field, empty text a quoted one."""
    rows = chain([tuple(column.name for column in result.columns)], plain_rows(result))
    return "".join(",".join(map(_csv_field, row)) + "\n" for row in rows).encode()


def _arrow(result: Result) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, result.table.schema) as writer:
        writer.write_table(result.table)
    return sink.getvalue()


def _parquet(result: Result) -> bytes:
    """Types that Parquet does not know are written as the text that JSON would have."""
    from pyarrow import parquet  # noqa: PLC0415  # 5 MB that few queries need

    table = result.table
    for position, field in enumerate(table.schema):
        if any(is_unwritable(field.type) for is_unwritable in _UNWRITABLE_IN_PARQUET):
            values = [None if value is None else _text(value) for value in _values(table.column(position))]
            table = table.set_column(position, field.name, pa.array(values, pa.string()))
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


FORMATS: Mapping[str, Format] = {
    "json": Format("application/json", _json),
    "csv": Format("text/csv; charset=utf-8", _csv),
    "arrow": Format("application/vnd.apache.arrow.stream", _arrow),
    "parquet": Format("application/vnd.apache.parquet", _parquet),
}


def plain_rows(result: Result) -> Iterator[tuple[Any, ...]]:
    return chain.from_iterable(_plain_batches(result))


def _plain_batches(result: Result) -> Iterator[list[tuple[Any, ...]]]:
    for batch in result.table.to_batches():
        yield list(zip(*(_plain(column) for column in batch.columns), strict=True))


def _values(column: Arrow) -> list[Any]:
    return [value for chunk in column.chunks for value in _plain(chunk)]


def _python_values(column: Arrow) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return _values(column)


def _plain(array: Arrow) -> list[Any]:
    """An array as what JSON can say."""
    for is_of_kind, convert in _CONVERSIONS:
        if is_of_kind(array.type):
            return convert(array)
    return [_LEAVES[type(value)](value) if type(value) in _LEAVES else value for value in array.to_pylist()]


def _lists(array: Arrow) -> list[Any]:
    return [None if items is None else _plain(items) for items in _items(array)]


def _maps(array: Arrow) -> list[Any]:
    return [None if items is None else _entries(items) for items in _items(array)]


def _items(array: Arrow) -> Iterator[Arrow | None]:
    return (scalar.values if scalar.is_valid else None for scalar in array)


def _objects(array: Arrow) -> list[Any]:
    names = [field.name for field in array.type]
    fields = [_plain(array.field(position)) for position in range(len(names))]
    return [
        dict(zip(names, (field[row] for field in fields), strict=True)) if valid else None
        for row, valid in enumerate(array.is_valid().to_pylist())
    ]


def _entries(items: Arrow) -> dict[str, Any]:
    return {_text(entry["key"]): entry["value"] for entry in _objects(items)}


def _instants(array: Arrow) -> list[str | None]:
    """UTC, to the last digit that the type keeps. Arrow holds the instant in UTC, the zone is only how to show it."""
    texts = array.cast(pa.timestamp(array.type.unit)).cast(pa.string()).to_pylist()
    return [None if text is None else f"{text.replace(' ', 'T')}Z" for text in texts]


def _dates(array: Arrow) -> list[str | None]:
    return list(array.cast(pa.string()).to_pylist())


def _integer(value: int) -> int | str:
    return value if abs(value) <= _EXACT_IN_A_DOUBLE else str(value)


def _float(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else f"{'-' if value < 0 else ''}Infinity"


def _number(value: Decimal) -> int | float | str:
    if value == value.to_integral_value():
        return int(value) if abs(value) <= _EXACT_IN_A_DOUBLE else format(value, "f")
    return float(value) if Decimal(repr(float(value))) == value else format(value, "f")


def _duration(months: int, days: int, nanoseconds: int) -> str:
    seconds = format(Decimal(nanoseconds).scaleb(-9).normalize(), "f")
    date = "".join(f"{count}{unit}" for count, unit in ((months, "M"), (days, "D")) if count)
    return f"P{date}T{seconds}S" if nanoseconds or not date else f"P{date}"


_LEAVES: Mapping[type, Callable[[Any], Any]] = {
    int: _integer,
    float: _float,
    Decimal: _number,
    bytes: lambda value: base64.b64encode(value).decode(),
    pa.MonthDayNano: lambda value: _duration(*value),
}
_CONVERSIONS: Sequence[tuple[Callable[[Any], bool], Callable[[Any], list[Any]]]] = (
    (lambda kind: isinstance(kind, pa.BaseExtensionType), lambda array: _plain(array.storage)),
    (pa.types.is_dictionary, lambda array: _plain(array.dictionary_decode())),
    (pa.types.is_struct, _objects),
    (pa.types.is_map, _maps),
    (pa.types.is_list, _lists),
    (pa.types.is_fixed_size_list, _lists),
    (pa.types.is_timestamp, _instants),
    (pa.types.is_date, _dates),
    (pa.types.is_time, _dates),
)


def _text(value: Any) -> str:
    """A plain value in one line: text as it is, everything else as JSON writes it."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _csv_field(value: Any) -> str:
    if value is None:
        return ""
    text = _text(value)
    return '"' + text.replace('"', '""') + '"' if _CSV_SPECIAL.search(text) else text


def _justify(kind: pa.DataType) -> Literal["left", "right"]:
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "right" if is_number else "left"


def one_line(text: str) -> str:
    """Foreign text for a line of a report: it cannot begin another one, nor be read in another order."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def visible(text: str) -> str:
    """Foreign text of any number of lines: nothing in it steers the terminal or turns its order, however long it is."""
    shown = text[:_MAX_CELL_CHARACTERS]
    if left_out := len(text) - len(shown):
        shown += f"… {left_out} characters more"
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], shown)
