"""Reads the items of a dataset from a file: JSON lines, a JSON list, an object with a list, or CSV with a header.

An entry has the fields of `DatasetItem`. Further spellings are those of the datasets of Floeval 2.0.0 (`samples` with
`user_input`, `reference_outcome`, `reference_tool_calls`), Dokimos (`examples` with `inputs`, `expectedOutputs`,
`metadata`; in CSV every unknown column is metadata), gllm-evals (`query`, `expected_tools`) and DeepEval
(`expected_output`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import orjson
from pydantic import ValidationError

from ..formats.record import Record
from ..text.json_kind import json_kind
from ..text.suggestions import nearest
from ..text.validation_errors import explain
from .item import DatasetItem

__all__ = [
    "FIELD_BY_NAME",
    "LISTS",
    "BadColumn",
    "explain_repetition",
    "make_items",
    "read_item",
    "read_row",
    "write_items",
]

LISTS: Final = ("items", "samples", "examples")
"""The keys of an object under which it may have its items."""
_SPELLINGS: Final[Mapping[str, Sequence[str]]] = {
    "id": ("item_id",),
    "input": ("inputs", "question", "query", "user_input"),
    "expected_tool_calls": ("expectedToolCalls", "reference_tool_calls", "expected_tools"),
    "expected_response": (
        "expected_outcome",
        "expected_output",
        "expectedOutput",
        "expectedOutputs",
        "reference_outcome",
        "answer",
    ),
    "expected_trajectory": ("expected_agent_trajectory",),
}
"""Other names of a field."""

FIELD_BY_NAME: Final[Mapping[str, str]] = {
    **{name: name for name in DatasetItem.model_fields},
    **{other: field for field, others in _SPELLINGS.items() for other in others},
}
"""The field of `DatasetItem` that each name means."""
_IN_METADATA: Final = ("tools", "tasks", "constraints")
_OUTPUT, _CALLS = "output", "toolCalls"
_TEXT_CELLS: Final = frozenset({"id", "expected_response", "split"})


class BadColumn(ValueError):
    """A column of CSV has a name that no field has, but one resembles; the message names both."""

    def __init__(self, column: str, near: str) -> None:
        super().__init__(f"{column}: there is no such field{near}; no row with it is read")
        self.column = column


def make_items(entries: Iterable[DatasetItem | Mapping[str, Any]]) -> tuple[DatasetItem, ...]:
    """Return items as they are, and those that mappings describe with the names of fields that a file may have.

    Raises TypeError for anything else, and ValueError for a wrong field; the message names its place, as in `item 3`.
    """
    return tuple(_make_item(entry, f"item {number}") for number, entry in enumerate(entries, 1))


def _make_item(entry: object, place: str) -> DatasetItem:
    if isinstance(entry, DatasetItem):
        return entry
    if not isinstance(entry, Mapping):
        raise TypeError(f"{place} is {json_kind(entry)}; give a DatasetItem, or a mapping with its fields")
    try:
        return read_item(Record(place, dict(entry)))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def read_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `DatasetItem` in a row of a query, whose columns are in `FIELD_BY_NAME`; JSON may be text.

    Raises ValueError.
    """
    cells = {name: value for name, value in row.items() if value is not None}
    fields = {
        name: _read_cell(FIELD_BY_NAME[name], name, value) if isinstance(value, str) else value
        for name, value in cells.items()
    }
    named = _name_fields(fields)
    return {**named, **_read_expected_response(named)}


def write_items(items: Iterable[DatasetItem]) -> str:
    """Return items as JSON lines, which are read as the same items."""
    return "".join(f"{_write_item(item)}\n" for item in items)


def _write_item(item: DatasetItem) -> str:
    empty = {name for name in ("tags", "metadata") if not getattr(item, name)}
    fields = item.model_dump(mode="json", exclude_none=True, exclude=empty)
    return orjson.dumps({"id": item.id, "input": item.input, **fields}).decode()


def read_item(record: Record) -> DatasetItem:
    """Return the item in a record. Raises ValueError, and BadColumn for a fault of the header."""
    if record.fault is not None:
        raise ValueError(record.fault)
    if not isinstance(record.value, dict):
        raise ValueError(f"this is {json_kind(record.value)}; write an object")  # noqa: TRY004 - one type of error
    if record.repeated is not None:
        raise ValueError(f"the key {record.repeated!r} is there twice; keep one")
    _refuse_misspelt_list(record.value)
    fields = _read_cells(record.value) if record.is_csv else record.value
    fields = _name_fields({name: value for name, value in fields.items() if value is not None})
    if record.list_name == "examples":
        fields = _lift_metadata(fields)
    try:
        return DatasetItem.model_validate({**fields, **_read_expected_response(fields)})
    except ValidationError as error:
        raise ValueError(explain(error, DatasetItem)) from error


def _refuse_misspelt_list(value: Mapping[str, Any]) -> None:
    """Raise ValueError if an object without an input has a list whose key is almost one of LISTS."""
    if any(FIELD_BY_NAME.get(name) == "input" for name in value):
        return
    for name, entries in value.items():
        if isinstance(entries, list) and name not in FIELD_BY_NAME and (near := nearest(name, LISTS)):
            raise ValueError(f"{name}: there is no such list of items{near}")


def _name_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields under the names of `DatasetItem`. Raises ValueError if one has two spellings."""
    named: dict[str, Any] = {}
    spelled: dict[str, str] = {}
    for name, value in fields.items():
        field = FIELD_BY_NAME.get(name, name)
        if field in named:
            raise ValueError(f"{spelled[field]} and {name} mean the same; leave one out")
        named[field], spelled[field] = value, name
    if isinstance(given := named.get("input"), dict) and given.keys() == {"input"}:
        named["input"] = given["input"]  # as Dokimos writes a single text
    return named


def _read_expected_response(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields in an expected response that is no text: Dokimos' outputs by name, or JSON as text."""
    expected = fields.get("expected_response")
    if expected is None or isinstance(expected, str):
        return {}
    if not isinstance(expected, dict) or not expected.keys() <= {_OUTPUT, _CALLS}:
        return {"expected_response": json.dumps(expected, ensure_ascii=False)}
    outputs = {"expected_tool_calls": fields.get("expected_tool_calls", expected.get(_CALLS))}
    if (output := expected.get(_OUTPUT)) is None or isinstance(output, str):
        return {**outputs, "expected_response": output}
    return {**outputs, "expected_response": json.dumps(output, ensure_ascii=False)}


def _lift_metadata(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with the tools, tasks and constraints that Dokimos has in the metadata of an example."""
    metadata = fields.get("metadata")
    if not isinstance(metadata, dict):
        return dict(fields)
    lifted = {name: metadata[name] for name in _IN_METADATA if name in metadata and name not in fields}
    rest = {name: value for name, value in metadata.items() if name not in lifted}
    return {**fields, **lifted, "metadata": rest}


def _read_cells(cells: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields in a row of CSV. A column that no field resembles is metadata. Raises ValueError."""
    fields: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    for column, cell in cells.items():
        name = "expected_response" if column == _OUTPUT else column
        if (field := FIELD_BY_NAME.get(name)) is not None:
            fields[name] = _read_cell(field, column, cell)
        elif near := nearest(column, FIELD_BY_NAME):
            raise BadColumn(column, near)
        else:
            metadata[column] = cell
    return {**fields, "metadata": {**metadata, **fields.get("metadata", {})}} if metadata else fields


def _read_cell(field: str, column: str, cell: str) -> Any:
    """Return the value of a cell: JSON if it looks like it; tags are separated by commas. Raises ValueError."""
    if field in _TEXT_CELLS:
        return cell
    if cell.startswith(("{", "[")):
        try:
            return json.loads(cell)
        except ValueError as error:
            if field == "input":
                return cell
            raise ValueError(f"{column}: it is not JSON: {error}") from error
    return [tag.strip() for tag in cell.split(",") if tag.strip()] if field == "tags" else cell


def explain_repetition(item: DatasetItem, place: str, *, has_same_input: bool) -> str:
    """Return what is wrong with an item whose id an earlier one at `place` has."""
    if has_same_input:
        return f"it has the id {item.id!r}, or the input, of {place}; give each an id of its own"
    return f"it has the id {item.id!r} of {place}"
