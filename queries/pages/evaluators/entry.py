"""The entry of an evaluator that runs, as YAML, as the configuration would have it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tracegrade.evaluators.catalog.configure import definition_of
from tracegrade.evaluators.definition.registry import UnknownEvaluator

from ...ports import RunningEvaluator

__all__ = ["write_entry", "write_yaml"]

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_INDENT: Final = "  "
_READ_AS_OTHERS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def write_entry(running: Iterable[RunningEvaluator], name: str | None) -> str | None:
    """Return the entry of an evaluator as YAML; None if it is not of the catalogue: its code does not go over the
    web."""
    found = next((each for each in running if each.name == name), None)
    if found is None:
        return None
    try:
        definition = definition_of(found.type)
    except UnknownEvaluator:
        return None
    entry: dict[str, Any] = {"use": found.type}
    if found.name != found.type:
        entry["name"] = found.name
    if found.threshold is not None and found.threshold != definition.threshold:
        entry["threshold"] = found.threshold
    if found.options:
        entry["options"] = dict(found.options)
    if found.when is not None:
        entry["when"] = found.when
    if found.judge is not None:
        entry["judge"] = found.judge
    return write_yaml(entry)


def write_yaml(entry: Mapping[str, Any]) -> str:
    """Return a mapping as YAML; texts of several lines stay such, and other values are JSON, which is YAML as well."""
    return "".join(f"{line}\n" for line in _write_lines(entry))


def _write_lines(entry: Mapping[str, Any]) -> Iterator[str]:
    for key, value in entry.items():
        name = _write_value(key)
        if isinstance(value, Mapping) and value:
            yield f"{name}:"
            yield from (_INDENT + line if line else "" for line in _write_lines(value))
        elif isinstance(value, str) and _can_be_a_block(value):
            yield f"{name}: {'|' if value.endswith(chr(10)) else '|-'}"
            yield from (_INDENT + line if line else "" for line in value.removesuffix("\n").split("\n"))
        else:
            yield f"{name}: {_write_value(value)}"


def _can_be_a_block(text: str) -> bool:
    """Return whether YAML reads a text of several lines as it stands, indented."""
    lines = text.removesuffix("\n").split("\n")
    return (
        len(lines) > 1
        and bool(lines[-1])
        and lines[0][:1] not in {"", " "}
        and all(line.isprintable() and not line.isspace() for line in lines)
    )


def _write_value(value: Any) -> str:
    """Return a value as JSON; a simple word without quotation marks."""
    if isinstance(value, str) and _WORD.fullmatch(value) and value.lower() not in _READ_AS_OTHERS:
        return value
    written = json.dumps(value, ensure_ascii=False, default=str)
    return written if written.isprintable() else json.dumps(value, default=str)
