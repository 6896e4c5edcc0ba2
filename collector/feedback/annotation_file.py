"""Files of annotations: CSV with a header, a JSON list, or JSON lines.

The columns are the fields of an annotation and those of its target, which may also stand below `target`. Taken are also
the words of the command line (`trace`, `span`, `tool_call`, `session`) and those of the table `scores` (`target_id`,
`evaluator`), so that what a query answered can be filled in and given back.
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

__all__ = ["AnnotationFile", "Entry", "read"]

_TARGET: Final = tuple(AnnotationTarget.model_fields)
_SAID: Final = tuple(name for name in Annotation.model_fields if name != "target")
_COLUMNS: Final = (*_TARGET, *_SAID, "trace", "span", "tool_call", "session", "target_id", "evaluator")
_WORDS: Final = {
    **dict.fromkeys(("true", "yes", "1", "pass", "passed"), True),
    **dict.fromkeys(("false", "no", "0", "fail", "failed"), False),
}
_DELIMITERS: Final = ",;\t"
_SESSION: Final = "session:"


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands at a `place`, such as `line 3`: the `annotation`, as the API takes it; or why it is none."""

    place: str
    annotation: Mapping[str, Any] | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class _Unreadable:
    why: str


@dataclass(frozen=True, slots=True)
class AnnotationFile:
    """The entries in their order, and the columns that say nothing to us."""

    entries: Sequence[Entry]
    unread: Sequence[str] = field(default=())


def read(path: Path, whole_id: Callable[[str], str], **usual: str | None) -> AnnotationFile:
    """What a file says; `usual` is what holds for entries that do not say it. Raises Fault where it is no such file.

    `whole_id` makes of what stands under `trace` the id of a trace or of a run, or raises ValueError.
    """
    text = _text(path)
    rows = list(_rows(text, path))
    if not rows:
        raise Fault(f"{path}: there is nothing in it")
    names = dict.fromkeys(name for _, row in rows if isinstance(row, dict) for name in row)
    unread = [name for name in names if name not in {*_COLUMNS, "target"}]
    if names and len(unread) == len(names):
        raise Fault(f"{path}: none of its columns is known; they are called {', '.join(_COLUMNS)}")
    entries = [_entry(place, row, whole_id, usual) for place, row in rows]
    return AnnotationFile(entries, [f"{name}{nearest(name, _COLUMNS)}" for name in unread])


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Fault(f"{path}: it is not UTF-8 text: {error}") from error
    except OSError as error:
        raise Fault(f"{path} cannot be read: {error.strerror}") from error


def _rows(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Place and content of each entry."""
    begins = text.lstrip()[:1]
    if begins == "[":
        return _of_list(text, path)
    if begins != "{":
        return _of_csv(text)
    with suppress(ValueError, RecursionError):
        return iter([("line 1", json.loads(text, parse_constant=str))])
    return _of_lines(text)


def _of_list(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    decoder, at, line, seen, number = json.JSONDecoder(parse_constant=str), text.index("[") + 1, 1, 0, 1
    while at < len(text):
        at = _behind(text, at, " \t\r\n,")
        line, seen = line + text.count("\n", seen, at), at
        if text[at : at + 1] == "]":
            return
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise Fault(f"{path}: line {line}: this is no JSON: {error}") from error
        yield f"line {line}, entry {number}", value
        number += 1
    raise Fault(f"{path}: line {line}: the list does not end; is the file whole?")


def _behind(text: str, at: int, passed_over: str) -> int:
    while at < len(text) and text[at] in passed_over:
        at += 1
    return at


def _of_lines(text: str) -> Iterator[tuple[str, Any]]:
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            try:
                yield f"line {line}", json.loads(content, parse_constant=str)
            except (ValueError, RecursionError) as error:
                yield f"line {line}", _Unreadable(f"this is no JSON: {error}")


def _of_csv(text: str) -> Iterator[tuple[str, Any]]:
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True)
    names: list[str] = []
    line = 1
    try:
        for cells in reader:
            if names and any(cells):
                yield f"line {line}", _cells(names, cells)
            elif not names:
                names = [name.strip().removeprefix("target.") for name in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        yield f"line {line}", _Unreadable(f"this is no CSV, and what follows is not read: {error}")


def _cells(names: Sequence[str], cells: Sequence[str]) -> dict[str, Any] | _Unreadable:
    if len(cells) > len(names):
        counts = f"{len(cells)} cells and the header {len(names)}"
        return _Unreadable(f"it has {counts}; put quotes around what holds a delimiter")
    given = {name: cell.strip() for name, cell in zip(names, cells, strict=False) if cell.strip()}
    return {name: _READERS[name](cell) if name in _READERS else cell for name, cell in given.items()}


def _number(cell: str) -> float | str:
    with suppress(ValueError):
        if math.isfinite(value := float(cell)):
            return value
    return cell


def _integer(cell: str) -> int | str:
    return int(cell) if cell.isdecimal() and len(cell) < 10 else cell


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "value": _number,
    "position": _integer,
    "passed": lambda cell: _WORDS.get(cell.lower(), cell),
}


def _entry(place: str, row: object, whole_id: Callable[[str], str], usual: Mapping[str, str | None]) -> Entry:
    if not isinstance(row, dict):
        return Entry(place, fault=row.why if isinstance(row, _Unreadable) else "this is no object of names and values")
    said = {name: value for name, value in row.items() if value is not None}
    annotation = {name: said[name] for name in _SAID if name in said}
    annotation.setdefault("name", said.get("evaluator"))
    for name, value in usual.items():
        annotation[name] = annotation.get(name) if annotation.get(name) is not None else value
    annotation = {name: value for name, value in annotation.items() if value is not None}
    try:
        annotation["target"] = _target(said, whole_id)
        Annotation.model_validate_json(orjson.dumps(annotation))
    except ValidationError as error:
        return Entry(place, fault=faults(error, Annotation))
    except (TypeError, ValueError) as error:
        return Entry(place, fault=str(error))
    return Entry(place, {"id": _id(annotation), **annotation})


def _target(said: Mapping[str, Any], whole_id: Callable[[str], str]) -> dict[str, Any]:
    below = said.get("target", {})
    if not isinstance(below, dict):
        raise TypeError("target: this is no object of names and values")
    if "target_id" in said:  # beside the other columns of `scores`, which say the same in other words
        return _of_target_id(str(said["target_id"]))
    if "trace" in said:
        said = {**said, "trace": whole_id(str(said["trace"]))}
    words = [read_word(str(said[word])) for word, read_word in _WORDS_FOR_TARGETS.items() if word in said]
    named: dict[str, Any] = {**below, **{name: said[name] for name in _TARGET if name in said}}
    for meant in words:
        named = {**meant, **named}
    return named


def _of_trace(word: str) -> dict[str, Any]:
    return {"agent_trace_id" if "-" in word else "trace_id": word}


def _of_call(word: str) -> dict[str, Any]:
    return {"position": int(word)} if word.isdecimal() and len(word) < 10 else {"tool_call_id": word}


def _of_target_id(word: str) -> dict[str, Any]:
    """As `scores` has it."""
    if word.startswith(_SESSION):
        return {"session_id": word.removeprefix(_SESSION)}
    if word.startswith("tool:"):
        raise ValueError("target_id: a tool definition cannot be annotated")
    run, _, position = word.partition("#")
    return {**_of_trace(run), **(_of_call(position) if position else {})}


_WORDS_FOR_TARGETS: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = {
    "trace": _of_trace,
    "span": lambda word: {"span_id": word},
    "tool_call": _of_call,
    "session": lambda word: {"session_id": word},
}


def _id(annotation: Mapping[str, Any]) -> str:
    """The same for the same entry, so that a file that is imported again says nothing twice."""
    content = orjson.dumps(annotation, option=orjson.OPT_SORT_KEYS)
    return f"import:{hashlib.sha256(content).hexdigest()[:32]}"
