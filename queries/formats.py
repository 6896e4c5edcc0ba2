"""The formats of an answer for programs, written while its rows arrive, so that memory never holds all of it.

All formats have the same values. Times are UTC, whatever the zone of the column. In JSON and CSV a TIMESTAMP is ISO
8601 with Z, a BLOB base64, an INTERVAL an ISO 8601 duration. JSON has no NaN and no infinities, and many readers store
numbers as doubles, so numbers that a double cannot hold are strings. A JSON column is the stored text; in objects
(`json`, `jsonl`) it is the JSON itself, as in DuckDB's command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from .fence import SqlFailed
from .result import Answer, Arrow, Column, Result, as_text, cut_batches, plain_batches, plain_values

__all__ = ["DEFAULT_FORMAT", "FORMATS", "Format", "number_names"]

DEFAULT_FORMAT: Final = "json-table"
"""The format of the API if the request names none."""

_UNWRITABLE_IN_PARQUET = (pa.types.is_interval, pa.types.is_union)
_CSV_SPECIAL: Final = r'[",\r\n]|^[\s\p{Z}]|[\s\p{Z}]$|^$'
_CALCULATED: Final = "=+\\-@\uff1d\uff0b\uff0d\uff20"
"""The signs, also of full width, that begin what spreadsheets calculate."""

_NUMBER: Final = r"^[+\-]\d*(\.\d+)?([eE][+-]?\d+)?$"
_FORMULA: Final = rf"^([\s\p{{Z}}\"]*[{_CALCULATED}]|[\t\r\n])"
_INNER_FORMULA: Final = rf"([;\t\r\n][\s\p{{Z}}\"]*)([{_CALCULATED}])"
"""Spreadsheets that separate fields by semicolons or tabs begin a new one there, and take the quotes after it off."""
_ROW_GROUP_ROWS: Final = 122_880
_ROW_GROUP_BYTES: Final = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its media type, and the function that writes an answer in portions."""

    media_type: str
    write: Callable[[Answer], Iterator[bytes]]

    def render(self, result: Result) -> bytes:
        """Return the whole answer."""
        return b"".join(self.write(result))


def _write_json_table(answer: Answer) -> Iterator[bytes]:
    """Write columns with their types, then rows as lists, then `truncated`, which is known only after the rows."""
    columns = orjson.dumps([{"name": column.name, "type": column.type} for column in answer.columns])
    yield b'{"columns":%b,"rows":[' % columns
    yield from _write_items(plain_batches(answer.batches))
    rest = orjson.dumps({"truncated": answer.truncated, "elapsed_ms": round(answer.elapsed_ms, 3)})
    yield b"],%b\n" % rest[1:]


def _write_json(answer: Answer) -> Iterator[bytes]:
    """Write a list of objects."""
    yield b"["
    yield from _write_items(_make_objects(answer))
    yield b"]\n"


def _write_jsonl(answer: Answer) -> Iterator[bytes]:
    """Write one object per line."""
    for objects in _make_objects(answer):
        yield b"".join(orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE) for each in objects)


def _write_items(batches: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """Write the items of a JSON list, without its brackets."""
    separator = b""
    for batch in batches:
        if batch:
            yield separator + orjson.dumps(batch)[1:-1]
            separator = b","


def _make_objects(answer: Answer) -> Iterator[list[dict[str, Any]]]:
    names = number_names([column.name for column in answer.columns])
    for batch in cut_batches(answer.batches):
        values = [
            _parse_json_column(*column_values) for column_values in zip(answer.columns, batch.columns, strict=True)
        ]
        yield [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def number_names(names: Sequence[str]) -> list[str]:
    """Add numbers to repeated column names, as DuckDB does in a table, since an object has each key once."""
    taken = set(names)
    keys: list[str] = []
    for name in names:
        key, number = name, 0
        while key in keys or (number and key in taken):
            number += 1
            key = f"{name}_{number}"
        keys.append(key)
    return keys


def _parse_json_column(column: Column, values: Arrow) -> list[Any]:
    plain = plain_values(values)
    return [None if text is None else _make_fragment(text) for text in plain] if column.type == "JSON" else plain


def _make_fragment(text: str) -> object:
    """Return JSON as it was stored, on one line; as text if only DuckDB accepts it (NaN)."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return orjson.Fragment(text.replace("\n", " ").replace("\r", " "))


def _write_csv(answer: Answer) -> Iterator[bytes]:
    """Write RFC 4180 with line feeds. NULL is an empty field, empty text a quoted one."""
    return _write_csv_lines(answer, lambda texts: texts)


def _write_csv_without_formulas(answer: Answer) -> Iterator[bytes]:
    """Write CSV with an apostrophe before what spreadsheets would calculate, also in names of columns."""
    return _write_csv_lines(answer, _neutralise)


def _write_csv_lines(answer: Answer, change_texts: Callable[[Arrow], Arrow]) -> Iterator[bytes]:
    """Write lines by Arrow's functions, which do not hold the interpreter: nobody has to wait for a large answer."""
    names = [pa.array([column.name], pa.string()) for column in answer.columns]
    for columns in chain([names], (batch.columns for batch in cut_batches(answer.batches))):
        fields = [_quote(change_texts(_make_texts(array))) for array in columns]
        lines = pc.binary_join_element_wise(*fields, ",")
        whole = pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "\n")
        yield whole[0].as_buffer().to_pybytes() + b"\n"


def _make_texts(array: Arrow) -> Arrow:
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_string(array.type) or pa.types.is_integer(array.type) or pa.types.is_boolean(array.type):
        return array.cast(pa.string())
    return pa.array([None if value is None else as_text(value) for value in plain_values(array)], pa.string())


def _neutralise(texts: Arrow) -> Arrow:
    inner = pc.replace_substring_regex(texts, _INNER_FORMULA, r"\1'\2")
    marked = pc.replace_substring_regex(inner, _FORMULA, r"'\1")
    return pc.if_else(pc.match_substring_regex(texts, _NUMBER), texts, marked)


def _quote(texts: Arrow) -> Arrow:
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
    return pc.if_else(pc.match_substring_regex(texts, _CSV_SPECIAL), quoted, texts).fill_null("")


def _write_arrow(answer: Answer) -> Iterator[bytes]:
    sink = _Sink()
    with pa.ipc.new_stream(pa.PythonFile(sink, mode="w"), answer.schema) as writer:
        for batch in answer.batches:
            writer.write_batch(batch)
            yield sink.take()
    yield sink.take()


def _write_parquet(answer: Answer) -> Iterator[bytes]:
    """Write one row group after the other.

    A column of a type that Parquet lacks is written as its text in JSON. Raises SqlFailed, before anything is written,
    if such a type is inside another type.
    """
    from pyarrow import parquet  # noqa: PLC0415  # 5 MB that few queries need

    sink = _Sink()
    schema = _make_writable_schema(answer)
    with parquet.ParquetWriter(pa.PythonFile(sink, mode="w"), schema, compression="zstd") as writer:
        for group in _join_row_groups(answer):
            writer.write_table(_make_writable(group))
            yield sink.take()
    yield sink.take()


def _join_row_groups(answer: Answer) -> Iterator[pa.Table]:
    """Join batches into row groups: one of a thousand rows would be slow to read and compress badly."""
    waiting: list[Arrow] = []
    rows, size = 0, 0
    for batch in answer.batches:
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= _ROW_GROUP_ROWS or size >= _ROW_GROUP_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _make_writable_schema(answer: Answer) -> pa.Schema:
    schema = answer.schema
    for position, (field, column) in enumerate(zip(schema, answer.columns, strict=True)):
        if _is_unwritable(field):
            schema = schema.set(position, pa.field(field.name, pa.string()))
        elif _holds_unwritable(field):
            raise SqlFailed(
                f"{column.name}: {column.type} holds an INTERVAL or a UNION, which Parquet does not support; cast it "
                "to varchar or json."
            )
    return schema


def _is_unwritable(field: pa.Field) -> bool:
    return any(is_of_kind(field.type) for is_of_kind in _UNWRITABLE_IN_PARQUET)


def _holds_unwritable(field: pa.Field) -> bool:
    """Return whether the field contains such a type at any depth. Nested Arrow types list their parts as fields."""
    kind = field.type
    inner = (kind.field(position) for position in range(kind.num_fields))
    return any(_is_unwritable(each) or _holds_unwritable(each) for each in inner)


def _make_writable(table: pa.Table) -> pa.Table:
    for position, field in enumerate(table.schema):
        if _is_unwritable(field):
            values = [value for chunk in table.column(position).chunks for value in plain_values(chunk)]
            texts = [None if value is None else as_text(value) for value in values]
            table = table.set_column(position, field.name, pa.array(texts, pa.string()))
    return table


class _Sink:
    """A write-only file; `take` returns what was written since the last time."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._size += len(part)
        return len(part)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        """Do nothing: no data is buffered elsewhere."""

    def close(self) -> None:
        """Keep what is written until it is taken."""

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


FORMATS: Mapping[str, Format] = {
    "json-table": Format("application/json", _write_json_table),
    "json": Format("application/json", _write_json),
    "jsonl": Format("application/jsonl", _write_jsonl),
    "csv": Format("text/csv; charset=utf-8", _write_csv),
    "csv-without-formulas": Format("text/csv; charset=utf-8", _write_csv_without_formulas),
    "arrow": Format("application/vnd.apache.arrow.stream", _write_arrow),
    "parquet": Format("application/vnd.apache.parquet", _write_parquet),
}
