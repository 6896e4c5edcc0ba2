"""Files of items: our own, with the spellings of several systems, and Dokimos' datasets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from ..formats.expectation import Expectation
from ..formats.imported import Imported, RecordFault
from ..formats.kind import NO_CLAIM, Claim, Kind
from ..formats.kinds import load_kinds
from ..formats.record import Record
from ..text.suggestions import nearest
from ..text.validation_errors import explain
from .dataset_file import FIELD_BY_NAME, LISTS, BadColumn, read_item, write_items
from .item import DatasetItem

__all__ = ["ITEMS", "load_all_kinds", "make_entry", "make_item"]

ITEMS: Final = "items"
_DOKIMOS: Final = "dokimos"
_INPUTS: Final = frozenset(name for name, field in FIELD_BY_NAME.items() if field == "input")
_EXAMPLES: Final = "examples"
_HEADER: Final = "line 1"
_OF_OTHERS: Final = frozenset({"actual_output", "agent_trajectory", "generated_response", "source_file"})
"""Fields of other systems that resemble those of items."""


def load_all_kinds() -> Mapping[str, Kind]:
    """Import all kinds of files; return them by name."""
    items = Kind(ITEMS, "items of datasets", _claim_items, _read_items, _write_items, LISTS, is_general=True)
    dokimos = Kind(_DOKIMOS, "datasets of Dokimos", _claim_examples, _read_items, _write_examples, (_EXAMPLES,))
    return {**load_kinds(), _DOKIMOS: dokimos, ITEMS: items}


def make_item(entry: Imported) -> DatasetItem:
    """Return the item with the input and the expectation of an entry. Raises ValueError that names the field."""
    request = entry.input if entry.input is not None or entry.run is None else entry.run.input
    if request is None:
        raise ValueError("its input was not recorded, and an item needs one")
    fields: dict[str, Any] = {} if entry.expectation is None else entry.expectation.defined
    if entry.run is not None and entry.run.tools_offered is not None:
        fields.setdefault("tools", entry.run.tools_offered)
    given = {} if entry.id is None else {"id": entry.id}
    about = {"split": entry.split, "tags": entry.tags, "metadata": entry.metadata, "source": entry.source}
    try:
        return DatasetItem.model_validate({**fields, **given, **about, "input": request})
    except ValidationError as error:
        raise ValueError(explain(error, DatasetItem)) from error


def make_entry(item: DatasetItem, place: str = "") -> Imported:
    """Return an item as the writers of files take it."""
    return Imported(
        place,
        id=item.id,
        expectation=Expectation.model_validate(item.defined) if item.defined else None,
        input=item.input,
        metadata=item.metadata,
        split=item.split,
        tags=item.tags,
        source=None if item.source is None else item.source.model_dump(),
    )


def _claim_items(record: Record) -> Claim:
    """Claim records with an input, also in another spelling; more surely if all their fields are those of items.

    So are misspelt ones: another kind would keep them as metadata, and nobody would notice.
    """
    value = record.value
    if not isinstance(value, dict):
        return NO_CLAIM
    request = next((name for name in value if name in _INPUTS), None)
    if request is None:
        return NO_CLAIM
    others = value.keys() - FIELD_BY_NAME.keys() - _OF_OTHERS
    is_ours = value.keys() <= FIELD_BY_NAME.keys() or any(nearest(name, FIELD_BY_NAME) for name in others)
    return Claim(2 if is_ours else 1, request)


def _claim_examples(record: Record) -> Claim:
    return Claim(3, "examples[]") if record.list_name == _EXAMPLES else NO_CLAIM


def _read_items(records: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    """Read items; a column of CSV that is misspelt is one fault of the header, and not one of each row."""
    columns: set[str] = set()
    for record in records:
        try:
            item = read_item(record)
        except BadColumn as error:
            if error.column not in columns:
                columns.add(error.column)
                yield RecordFault(_HEADER, str(error))
        except ValueError as error:
            yield RecordFault(record.place, str(error))
        except RecursionError:
            yield RecordFault(record.place, "it is nested too deeply")
        else:
            yield make_entry(item, record.place)


def _write_items(entries: Iterable[Imported]) -> Iterator[str]:
    for entry in entries:
        yield write_items([make_item(entry)])


def _write_examples(entries: Iterable[Imported]) -> Iterator[str]:
    """Yield the text of a dataset of Dokimos, example by example."""
    yield '{"name": "tracegrade", "examples": ['
    for position, entry in enumerate(entries):
        yield f"{',' if position else ''}\n{json.dumps(_write_example(make_item(entry)), ensure_ascii=False)}"
    yield "\n]}\n"


def _write_example(item: DatasetItem) -> dict[str, Any]:
    fields = item.model_dump(mode="json", exclude_none=True)
    calls = [
        {"name": call["name"], "arguments": call.get("args", {})} for call in fields.get("expected_tool_calls", ())
    ]
    outputs = {
        "output": fields.get("expected_response"),
        "toolCalls": calls if item.expected_tool_calls is not None else None,
    }
    in_metadata = {name: fields[name] for name in ("tools", "tasks", "constraints") if name in fields}
    return {
        "inputs": item.input if isinstance(item.input, dict) else {"input": item.input},
        "expectedOutputs": {key: value for key, value in outputs.items() if value is not None},
        "metadata": {**item.metadata, **in_metadata},
    }
