"""Files of annotations: CSV with a header, a JSON list, or JSON lines.

The columns are the fields of an annotation and those of its target, which may also be nested in `target`. The words of
the command line (`trace`, `span`, `tool_call`, `session`) and those of the table `scores` (`target_id`, `evaluator`)
are accepted too, so that the result of a query can be completed and imported.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import ValidationError

from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.queries.ports import Annotation, AnnotationTarget
from tracegrade.queries.validation import faults

from ..errors import Fault
from .model import PASSED_BY_LABEL

__all__ = ["AnnotationFile", "Entry", "read"]

_TARGET: Final = tuple(AnnotationTarget.model_fields)
_FIELDS: Final = tuple(name for name in Annotation.model_fields if name != "target")
_COLUMNS: Final = (*_TARGET, *_FIELDS, "trace", "span", "tool_call", "session", "target_id", "evaluator")
_PASSED_BY_CELL: Final = {
    **PASSED_BY_LABEL,
    **dict.fromkeys(("true", "yes", "1"), True),
    **dict.fromkeys(("false", "no", "0"), False),
}
_DELIMITERS: Final = ",;\t"
_SESSION: Final = "session:"


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry at a `place`, such as `line 3`: either the `annotation`, in the form of the API, or its fault."""

    place: str
    annotation: Mapping[str, Any] | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class _Unreadable:
    why: str


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
    rows = list(_read_rows(text, path))
    if not rows:
        raise Fault(f"{path}: there is nothing in it")
    names = dict.fromkeys(name for _, row in rows if isinstance(row, dict) for name in row)
    unread = [name for name in names if name not in {*_COLUMNS, "target"}]
    if names and len(unread) == len(names):
        raise Fault(f"{path}: none of its columns is known; they are called {', '.join(_COLUMNS)}")
    entries = [_build_entry(place, row, complete_id, defaults) for place, row in rows]
    return AnnotationFile(entries, [f"{name}{nearest(name, _COLUMNS)}" for name in unread])


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"{path}: it is not UTF-8 text: {error}") from error
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror}") from error


def _read_rows(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Return the place and content of each entry."""
    begins = text.lstrip()[:1]
    if begins == "[":
        return _read_list(text, path)
    if begins != "{":
        return _read_csv(text)
    with suppress(ValueError, RecursionError):
        return iter([("line 1", json.loads(text, parse_constant=str))])
    return _read_lines(text)


def _read_list(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    decoder, position, line, counted_to, number = json.JSONDecoder(parse_constant=str), text.index("[") + 1, 1, 0, 1
    while position < len(text):
        position = _skip_characters(text, position, " \t\r\n,")
        line, counted_to = line + text.count("\n", counted_to, position), position
        if text[position : position + 1] == "]":
            return
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise Fault(f"{path}: line {line}: this is not JSON: {error}") from error
        yield f"line {line}, entry {number}", value
        number += 1
    raise Fault(f"{path}: line {line}: the list does not end; is the file whole?")


def _skip_characters(text: str, position: int, skipped: str) -> int:
    while position < len(text) and text[position] in skipped:
        position += 1
    return position


def _read_lines(text: str) -> Iterator[tuple[str, Any]]:
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            try:
                yield f"line {line}", json.loads(content, parse_constant=str)
            except (ValueError, RecursionError) as error:
                yield f"line {line}", _Unreadable(f"this is not JSON: {error}")


def _read_csv(text: str) -> Iterator[tuple[str, Any]]:
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True)
    names: list[str] = []
    line = 1
    try:
        for cells in reader:
            if names and any(cells):
                yield f"line {line}", _read_cells(names, cells)
            elif not names:
                names = [name.strip().removeprefix("target.") for name in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        yield f"line {line}", _Unreadable(f"this is not CSV, and nothing after it is read: {error}")


def _read_cells(names: Sequence[str], cells: Sequence[str]) -> dict[str, Any] | _Unreadable:
    if len(cells) > len(names):
        counts = f"{len(cells)} cells and the header {len(names)}"
        return _Unreadable(f"it has {counts}; put quotes around what holds a delimiter")
    filled_cells = {name: cell.strip() for name, cell in zip(names, cells, strict=False) if cell.strip()}
    return {name: _READERS[name](cell) if name in _READERS else cell for name, cell in filled_cells.items()}


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


def _build_entry(
    place: str, row: object, complete_id: Callable[[str], str], defaults: Mapping[str, str | None]
) -> Entry:
    if not isinstance(row, dict):
        return Entry(
            place, fault=row.why if isinstance(row, _Unreadable) else "this is not an object of names and values"
        )
    fields = {name: value for name, value in row.items() if value is not None}
    annotation = {name: fields[name] for name in _FIELDS if name in fields}
    annotation.setdefault("name", fields.get("evaluator"))
    for name, value in defaults.items():
        annotation[name] = annotation.get(name) if annotation.get(name) is not None else value
    annotation = {name: value for name, value in annotation.items() if value is not None}
    try:
        annotation["target"] = _build_target(fields, complete_id)
        Annotation.model_validate_json(orjson.dumps(annotation))
    except ValidationError as error:
        return Entry(place, fault=faults(error, Annotation))
    except (TypeError, ValueError) as error:
        return Entry(place, fault=str(error))
    return Entry(place, {"id": _build_id(annotation), **annotation})


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
    if word.startswith(_SESSION):
        return {"session_id": word.removeprefix(_SESSION)}
    if word.startswith("tool:"):
        raise ValueError("target_id: a tool definition cannot be annotated")
    run, _, position = word.partition("#")
    return {**_trace_fields(run), **(_call_fields(position) if position else {})}


_WORDS_FOR_TARGETS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "trace": _trace_fields,
    "span": lambda word: {"span_id": word},
    "tool_call": _call_fields,
    "session": lambda word: {"session_id": word},
}


def _build_id(annotation: Mapping[str, Any]) -> str:
    """Compute an id that is the same for the same entry, so that importing a file again adds no duplicates."""
    content = orjson.dumps(annotation, option=orjson.OPT_SORT_KEYS)
    return f"import:{hashlib.sha256(content).hexdigest()[:32]}"
