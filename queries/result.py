"""The answer of a query: its rows, and their values in the types of JSON.

`formats` writes answers for programs, `terminal` for people. Times are UTC, whatever the zone of a column.
"""

from __future__ import annotations

import base64
import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any, Protocol, TypeAlias

import orjson
import pyarrow as pa

__all__ = [
    "Answer",
    "Arrow",
    "Column",
    "Result",
    "Stream",
    "as_text",
    "cut_batches",
    "plain_batches",
    "plain_rows",
    "plain_values",
]

Arrow: TypeAlias = Any
"""An array or chunked array. pyarrow has no types, and third-party stubs lack half of its methods."""

_NUMBER = re.compile(r"(u?(tiny|small|big|huge)?int(eger)?\d*|half_?float|float|double|real|decimal.*)", re.IGNORECASE)
_BITS_OF_A_DOUBLE = 53
_EXACT_IN_A_DOUBLE = 2**_BITS_OF_A_DOUBLE
_PORTION_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and DuckDB's name of its type. Names may repeat."""

    name: str
    type: str

    @property
    def is_number(self) -> bool:
        """Whether people read it as a number; also by Arrow's name of its type."""
        return _NUMBER.fullmatch(self.type) is not None


class Answer(Protocol):
    """Rows, complete or still arriving. `truncated` (the query had more) is known once `batches` have been read."""

    @property
    def columns(self) -> tuple[Column, ...]: ...

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def batches(self) -> Iterable[Arrow]: ...

    @property
    def truncated(self) -> bool: ...

    @property
    def elapsed_ms(self) -> float: ...


@dataclass(frozen=True, kw_only=True)
class Result:
    """The rows that were kept, by column in `table`. `truncated`: the query had more."""

    columns: tuple[Column, ...]
    table: pa.Table
    truncated: bool
    elapsed_ms: float

    @cached_property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """The rows as Python values; a time beyond the range of Python's types is ISO 8601 text."""
        return tuple(zip(*(_read_python_values(column) for column in self.table.columns), strict=True))

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema."""
        return self.table.schema

    @property
    def batches(self) -> Iterable[Arrow]:
        """The rows in portions."""
        return list(self.table.to_batches())


class Stream:
    """Rows as they arrive, in `batches` that can be read once; at most `max_rows` of them. Implements `Answer`.

    `began` is the start of the query on the clock `time.perf_counter`.
    """

    def __init__(
        self,
        columns: tuple[Column, ...],
        schema: pa.Schema,
        batches: Iterable[Arrow],
        *,
        max_rows: int | None,
        began: float,
    ) -> None:
        self.columns = columns
        self.schema = schema
        self.batches: Iterator[Arrow] = self._cut_rows(batches, max_rows)
        self.row_count = 0
        self.truncated = False
        self._began = began

    @property
    def elapsed_ms(self) -> float:
        """The time since the query began, including that of its reader."""
        return (time.perf_counter() - self._began) * 1000

    def _cut_rows(self, batches: Iterable[Arrow], max_rows: int | None) -> Iterator[Arrow]:
        for batch in batches:
            kept = batch if max_rows is None else batch.slice(0, max_rows - self.row_count)
            self.row_count += kept.num_rows
            self.truncated = kept.num_rows < batch.num_rows
            if kept.num_rows:
                yield kept
            if self.truncated:
                return


def plain_rows(result: Result) -> Iterator[tuple[Any, ...]]:
    """Return an iterator over rows as values in the types of JSON."""
    return chain.from_iterable(plain_batches(result.batches))


def plain_batches(batches: Iterable[Arrow]) -> Iterator[list[tuple[Any, ...]]]:
    """Yield rows as values in the types of JSON, by batch: all at once they would take ten times the memory."""
    for batch in cut_batches(batches):
        yield list(zip(*(plain_values(column) for column in batch.columns), strict=True))


def cut_batches(batches: Iterable[Arrow]) -> Iterator[Arrow]:
    """Yield the rows in portions of about a megabyte: what is made of one holds the interpreter only for a moment."""
    for batch in batches:
        rows = max(1, batch.num_rows * _PORTION_BYTES // max(1, batch.nbytes))
        yield from (batch.slice(begin, rows) for begin in range(0, batch.num_rows, rows))


def _read_python_values(column: Arrow) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        return [value for chunk in column.chunks for value in plain_values(chunk)]


def plain_values(array: Arrow) -> list[Any]:
    """Convert an array to values in the types of JSON."""
    if _is_plain(array):
        return list(array.to_pylist())
    for is_of_kind, convert in _CONVERSIONS:
        if is_of_kind(array.type):
            return convert(array)
    if pa.types.is_integer(array.type):
        return _convert_integers(array)
    return [_LEAVES[type(value)](value) if type(value) in _LEAVES else value for value in array.to_pylist()]


def _is_plain(array: Arrow) -> bool:
    """Return whether values stay as they are, as in most columns: text, booleans, integers that a double holds."""
    kind = array.type
    if pa.types.is_integer(kind):
        return bool(kind.bit_width < _BITS_OF_A_DOUBLE)
    return bool(pa.types.is_string(kind) or pa.types.is_boolean(kind))


def _convert_integers(array: Arrow) -> list[Any]:
    values = array.to_pylist()
    known = [value for value in values if value is not None] if array.null_count else values
    is_exact = not known or (min(known) >= -_EXACT_IN_A_DOUBLE and max(known) <= _EXACT_IN_A_DOUBLE)
    return list(values) if is_exact else [None if value is None else _convert_integer(value) for value in values]


def _convert_lists(array: Arrow) -> list[Any]:
    return [None if items is None else plain_values(items) for items in _read_items(array)]


def _convert_maps(array: Arrow) -> list[Any]:
    return [None if items is None else _convert_entries(items) for items in _read_items(array)]


def _read_items(array: Arrow) -> Iterator[Arrow | None]:
    return (scalar.values if scalar.is_valid else None for scalar in array)


def _convert_structs(array: Arrow) -> list[Any]:
    names = [field.name for field in array.type]
    fields = [plain_values(array.field(position)) for position in range(len(names))]
    return [
        dict(zip(names, (field[row] for field in fields), strict=True)) if valid else None
        for row, valid in enumerate(array.is_valid().to_pylist())
    ]


def _convert_unions(array: Arrow) -> list[Any]:
    """Pick the member of each row; DuckDB stores a value per row for every member of a union."""
    members = [plain_values(array.field(position)) for position in range(array.type.num_fields)]
    return [members[code][row] for row, code in enumerate(array.type_codes.to_pylist())]


def _convert_entries(items: Arrow) -> dict[str, Any]:
    return {as_text(entry["key"]): entry["value"] for entry in _convert_structs(items)}


def _format_timestamps(array: Arrow) -> list[str | None]:
    """Format timestamps as UTC, with all digits of the type. Arrow stores UTC; the zone is only for display."""
    texts = array.cast(pa.timestamp(array.type.unit)).cast(pa.string()).to_pylist()
    return [None if text is None else f"{text.replace(' ', 'T')}Z" for text in texts]


def _format_dates(array: Arrow) -> list[str | None]:
    return list(array.cast(pa.string()).to_pylist())


def _convert_integer(value: int) -> int | str:
    return value if abs(value) <= _EXACT_IN_A_DOUBLE else str(value)


def _convert_float(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else f"{'-' if value < 0 else ''}Infinity"


def _convert_decimal(value: Decimal) -> int | float | str:
    if value == value.to_integral_value():
        return int(value) if abs(value) <= _EXACT_IN_A_DOUBLE else format(value, "f")
    return float(value) if Decimal(repr(float(value))) == value else format(value, "f")


def _format_interval(months: int, days: int, nanoseconds: int) -> str:
    seconds = format(Decimal(nanoseconds).scaleb(-9).normalize(), "f")
    date = "".join(f"{count}{unit}" for count, unit in ((months, "M"), (days, "D")) if count)
    return f"P{date}T{seconds}S" if nanoseconds or not date else f"P{date}"


_LEAVES: Mapping[type, Callable[[Any], Any]] = {
    int: _convert_integer,
    float: _convert_float,
    Decimal: _convert_decimal,
    bytes: lambda value: base64.b64encode(value).decode(),
    pa.MonthDayNano: lambda value: _format_interval(*value),
}
_CONVERSIONS: Sequence[tuple[Callable[[Any], bool], Callable[[Any], list[Any]]]] = (
    (lambda kind: isinstance(kind, pa.BaseExtensionType), lambda array: plain_values(array.storage)),
    (pa.types.is_dictionary, lambda array: plain_values(array.dictionary_decode())),
    (pa.types.is_struct, _convert_structs),
    (pa.types.is_union, _convert_unions),
    (pa.types.is_map, _convert_maps),
    (pa.types.is_list, _convert_lists),
    (pa.types.is_fixed_size_list, _convert_lists),
    (pa.types.is_timestamp, _format_timestamps),
    (pa.types.is_date, _format_dates),
    (pa.types.is_time, _format_dates),
)


def as_text(value: Any) -> str:
    """Return a plain value as text: text as it is, any other value as JSON on one line."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()
