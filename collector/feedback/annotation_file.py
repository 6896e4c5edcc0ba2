"""Files of annotations: CSV with a header, a JSON list, or JSON lines.

The columns are the fields of an annotation and those of its target, which may also be nested in `target`. The words of
the command line (`trace`, `span`, `call`, `session`) and those of the table `scores` (`target_id`, `evaluator`)
are accepted too, so that the result of a query can be completed and imported.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import ValidationError

from tracegrade.evaluators.formats.records import Record, read_records
from tracegrade.evaluators.regular_file import open_regular_file
from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.evaluators.text.validation_errors import explain
from tracegrade.queries.ports import Annotation, AnnotationTarget

from ..errors import Fault
from .model import PASSED_BY_LABEL

__all__ = ["SESSION", "AnnotationFile", "Entry", "read"]

_TARGET: Final = tuple(AnnotationTarget.model_fields)
_FIELDS: Final = tuple(name for name in Annotation.model_fields if name != "target")
_COLUMNS: Final = (*_TARGET, *_FIELDS, "trace", "span", "call", "session", "target_id", "evaluator")
_PASSED_BY_CELL: Final = {
    **PASSED_BY_LABEL,
    **dict.fromkeys(("true", "yes", "1"), True),
    **dict.fromkeys(("false", "no", "0"), False),
}
SESSION: Final = "session:"
"""The beginning of the target_id of a session."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry at a `place`, such as `line 3`: either the `annotation`, in the form of the API, or its fault."""

    place: str
    annotation: Mapping[str, Any] | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """The entries in their order, and the unknown columns."""

    entries: Sequence[Entry]
    unread: Sequence[str] = field(default=())


def read(path: Path, complete_id: Callable[[str], str], **defaults: str | None) -> AnnotationFile:
    """Read a file. Raises Fault if it is not a file of annotations.

    `defaults` fill fields that an entry leaves out. `complete_id` turns a value of `trace` into the id of a trace or of
    a run, or raises ValueError.
    """
    text = _read_text(path)
    try:
        records = [replace(record, value=_read_fields(record)) for record in read_records(text)]
    except ValueError as error:
        raise Fault(f"{path}: {error}") from error
    if not records:
        raise Fault(f"{path}: there is nothing in it")
    names = dict.fromkeys(name for record in records if isinstance(record.value, dict) for name in record.value)
    unread = [name for name in names if name not in {*_COLUMNS, "target"}]
    if names and len(unread) == len(names):
        raise Fault(f"{path}: none of its columns is known; they are called {', '.join(_COLUMNS)}")
    entries = [_build_entry(record, complete_id, defaults) for record in records]
    return AnnotationFile(entries, [f"{name}{nearest(name, _COLUMNS)}" for name in unread])


def _read_text(path: Path) -> str:
    try:
        with open_regular_file(path) as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"{path}: it is not UTF-8 text: {error}") from error
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror}") from error


def _read_fields(record: Record) -> Any:
    """Return the fields of a record; in CSV, cells are read as what their column holds."""
    if not record.is_csv:
        return record.value
    cells = {name.removeprefix("target."): cell for name, cell in record.value.items()}
    return {name: _READERS[name](cell) if name in _READERS else cell for name, cell in cells.items()}


def _read_number(cell: str) -> float | str:
    with suppress(ValueError):
        if math.isfinite(value := float(cell)):
            return value
    return cell


def _read_integer(cell: str) -> int | str:
    return int(cell) if cell.isdecimal() and len(cell) < 10 else cell


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "value": _read_number,
    "position": _read_integer,
    "passed": lambda cell: _PASSED_BY_CELL.get(cell.lower(), cell),
}


def _build_entry(record: Record, complete_id: Callable[[str], str], defaults: Mapping[str, str | None]) -> Entry:
    if not isinstance(record.value, dict):
        return Entry(record.place, fault=record.fault or "this is not an object of names and values")
    fields = {name: value for name, value in record.value.items() if value is not None}
    annotation = {name: fields[name] for name in _FIELDS if name in fields}
    annotation.setdefault("name", fields.get("evaluator"))
    for name, value in defaults.items():
        annotation[name] = annotation.get(name) if annotation.get(name) is not None else value
    annotation = {name: value for name, value in annotation.items() if value is not None}
    try:
        annotation["target"] = _build_target(fields, complete_id)
        Annotation.model_validate_json(orjson.dumps(annotation))
    except ValidationError as error:
        return Entry(record.place, fault=explain(error, Annotation))
    except (TypeError, ValueError) as error:
        return Entry(record.place, fault=str(error))
    return Entry(record.place, {"id": _build_id(annotation), **annotation})


def _build_target(fields: Mapping[str, Any], complete_id: Callable[[str], str]) -> dict[str, Any]:
    below = fields.get("target", {})
    if not isinstance(below, dict):
        raise TypeError("target: this is not an object of names and values")
    if "target_id" in fields:  # the other columns of `scores` repeat it
        return _target_id_fields(str(fields["target_id"]))
    if "trace" in fields:
        fields = {**fields, "trace": complete_id(str(fields["trace"]))}
    words = [read_word(str(fields[word])) for word, read_word in _WORDS_FOR_TARGETS.items() if word in fields]
    target: dict[str, Any] = {**below, **{name: fields[name] for name in _TARGET if name in fields}}
    for fields_of_word in words:
        target = {**fields_of_word, **target}
    return target


def _trace_fields(word: str) -> dict[str, Any]:
    return {"agent_trace_id" if "-" in word else "trace_id": word}


def _call_fields(word: str) -> dict[str, Any]:
    return {"position": int(word)} if word.isdecimal() and len(word) < 10 else {"tool_call_id": word}


def _target_id_fields(word: str) -> dict[str, Any]:
    """Return the fields for a target id of `scores`. Raises ValueError for a tool definition."""
    if word.startswith(SESSION):
        return {"session_id": word.removeprefix(SESSION)}
    if word.startswith("tool:"):
        raise ValueError("target_id: a tool definition cannot be annotated")
    run, _, position = word.partition("#")
    return {**_trace_fields(run), **(_call_fields(position) if position else {})}


_WORDS_FOR_TARGETS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "trace": _trace_fields,
    "span": lambda word: {"span_id": word},
    "call": _call_fields,
    "session": lambda word: {"session_id": word},
}


def _build_id(annotation: Mapping[str, Any]) -> str:
    """Compute an id that is the same for the same entry, so that importing a file again adds no duplicates."""
    content = orjson.dumps(annotation, option=orjson.OPT_SORT_KEYS)
    return f"import:{hashlib.sha256(content).hexdigest()[:32]}"
