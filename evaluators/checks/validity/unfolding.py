"""Counts the work of validating a JSON Schema before a validator runs.

Validators follow every path through a schema and cache nothing, so a definition of a few lines can require 2**50
steps: by references that double, by double recursion, by layers of `unevaluatedProperties` (each evaluates all layers
below it again). Definitions in traces are not trustworthy, so validations that would cost too much are not run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from ...model import JsonObject

__all__ = ["MAX_DEPTH", "Unfolded", "Unsafe", "Work", "unfolded", "work"]

MAX_DEPTH: Final = 64  # levels of schema or of arguments
MAX_PATH: Final = 256  # levels of both together
MAX_STEPS: Final = 200_000  # about 0.02 s of validation
MAX_UNFOLDED: Final = 10_000_000
MAX_PATTERNS: Final = 32

_DATA = frozenset({"const", "default", "enum", "example", "examples"})
_DEFINITIONS = frozenset({"$defs", "definitions"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies"})
_OF_ELEMENTS = frozenset({"items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"})
_OF_VALUES = frozenset({"additionalProperties", "unevaluatedProperties", "patternProperties"})
_DYNAMIC = frozenset({"$dynamicRef", "$recursiveRef"})
_LAYERED = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_LAYER_COST = 3  # measured: each layer evaluates the layers below it about three times

_Place: TypeAlias = tuple[int, int]


class Unsafe(ValueError):
    """A schema is not applied: it costs too much or refers elsewhere. The message completes `its schema ...`."""


class Unfolded(NamedTuple):
    """The size of a schema with its references resolved: its steps, its levels, and how many steps test a pattern."""

    steps: int
    levels: int
    patterns: int


class Work(NamedTuple):
    """The work of one validation: steps, and characters that are tested against a pattern."""

    steps: int
    pattern_chars: int


def unfolded(root: JsonObject) -> tuple[Unfolded, bool]:
    """Return the size of `root`, and whether it is recursive (then the recursion is counted once). Raises Unsafe."""
    if sum(map(_pattern_count, _objects(root))) > MAX_PATTERNS:
        raise Unsafe(f"has more than {MAX_PATTERNS} patterns")
    folding = _Folding(root)
    size = folding.size(root, 0)
    return size, folding.is_recursive


def work(root: JsonObject, value: object) -> Work:
    """Return the work of validating `value`, path by path. Raises Unsafe if it is too much."""
    return _Walk(root).work(root, value, 0)


@dataclass(slots=True)
class _Folding:
    root: JsonObject
    is_recursive: bool = False
    open: set[int] = field(default_factory=set)
    known: dict[int, Unfolded] = field(default_factory=dict)

    def size(self, schema: JsonObject, depth: int) -> Unfolded:
        if id(schema) in self.open:
            self.is_recursive = True
            return Unfolded(1, 1, 0)
        size = self.known.get(id(schema)) or self._size(schema, depth)
        if depth + size.levels > MAX_DEPTH:
            raise Unsafe(f"is nested deeper than {MAX_DEPTH} levels")
        if size.steps > MAX_UNFOLDED:
            raise Unsafe("unfolds without measure: its references multiply")
        return size

    def _size(self, schema: JsonObject, depth: int) -> Unfolded:
        if depth > MAX_DEPTH:
            raise Unsafe(f"is nested deeper than {MAX_DEPTH} levels")
        self._inspect(schema, depth)
        self.open.add(id(schema))
        below = [self.size(branch, depth + 1) for _, branch in _branches(schema, self.root)]
        self.open.discard(id(schema))
        patterns = sum(size.patterns for size in below) + _pattern_count(schema)
        steps = (_own_steps(schema) + sum(size.steps for size in below)) * _factor(schema)
        self.known[id(schema)] = size = Unfolded(steps, 1 + max((size.levels for size in below), default=0), patterns)
        return size

    def _inspect(self, schema: JsonObject, depth: int) -> None:
        if not _DYNAMIC.isdisjoint(schema):
            raise Unsafe("uses dynamic references, which are not followed")
        identifier = "id" if "draft-04" in str(self.root.get("$schema")) else "$id"
        if depth and isinstance(schema.get(identifier), str):
            raise Unsafe("contains another schema document, which is not followed")


@dataclass(slots=True)
class _Walk:
    root: JsonObject
    visits: int = 0
    open: set[_Place] = field(default_factory=set)
    known: dict[_Place, Work] = field(default_factory=dict)

    def work(self, schema: JsonObject, value: object, depth: int) -> Work:
        place = (id(schema), id(value))
        self.visits += 1
        if place in self.known:
            return self.known[place]
        if place in self.open:
            raise Unsafe("refers to itself without end")
        if depth > MAX_PATH or self.visits > MAX_STEPS:
            raise Unsafe("needs too many steps on these arguments")
        self.open.add(place)
        done = self._work(schema, value, depth)
        self.open.discard(place)
        if done.steps > MAX_STEPS:
            raise Unsafe("needs too many steps on these arguments")
        self.known[place] = done
        return done

    def _work(self, schema: JsonObject, value: object, depth: int) -> Work:
        steps, chars = _own_steps(schema) + _weight(value), _pattern_chars(schema, value)
        for keyword, branch in _branches(schema, self.root):
            for part in _parts(keyword, schema, value):
                below = self.work(branch, part, depth + 1)
                steps += below.steps
                chars += below.pattern_chars
        factor = _factor(schema)
        return Work(steps * factor, chars * factor)


def _objects(root: JsonObject) -> Iterator[JsonObject]:
    """Yield every object in the document, schema or not: validators compile patterns even if nothing refers to them."""
    waiting: list[object] = [root]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _branches(schema: JsonObject, root: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield the schemas one level below with their keywords; that of a property is `properties/<name>`."""
    for keyword, value in schema.items():
        if keyword in _DATA or keyword in _DEFINITIONS:
            continue
        if keyword == "$ref":
            yield from _schemas(keyword, [_target(value, root)])
        elif keyword in _NAMED and isinstance(value, dict):
            for name, branch in value.items():
                yield from _schemas(f"properties/{name}" if keyword == "properties" else keyword, [branch])
        else:
            yield from _schemas(keyword, value if isinstance(value, list) else [value])


def _schemas(keyword: str, values: Sequence[object]) -> Iterator[tuple[str, JsonObject]]:
    return ((keyword, value) for value in values if isinstance(value, dict))


def _target(reference: object, root: JsonObject) -> object:
    """Return the target of a reference within the document. Raises Unsafe for any other reference."""
    if reference == "#":
        return root
    if not isinstance(reference, str) or not reference.startswith("#/"):
        raise Unsafe(
            f"refers to {str(reference)[:80]!r}, which is not a place in it; other documents are never fetched"
        )
    target: Any = root
    for step in unquote(reference[2:]).split("/"):
        target = _step(target, step.replace("~1", "/").replace("~0", "~"), reference)
    return target


def _step(place: object, step: str, reference: str) -> object:
    if isinstance(place, dict) and step in place:
        return place[step]
    if isinstance(place, list) and step.isdecimal() and int(step) < len(place):
        return place[int(step)]
    raise Unsafe(f"refers to {reference[:80]!r}, which it does not contain")


def _parts(keyword: str, schema: JsonObject, value: object) -> Sequence[object]:
    """Return the parts of `value` that the branch under `keyword` is applied to."""
    if keyword.startswith("properties/"):
        name = keyword.removeprefix("properties/")
        return [value[name]] if isinstance(value, dict) and name in value else ()
    if keyword in _OF_ELEMENTS:
        return value if isinstance(value, list) else ()
    if keyword == "propertyNames":
        return list(value) if isinstance(value, dict) else ()
    if keyword in _OF_VALUES:
        declared: Mapping[str, object] = schema.get("properties") or {} if keyword == "additionalProperties" else {}
        return [part for name, part in value.items() if name not in declared] if isinstance(value, dict) else ()
    return (value,)


def _own_steps(schema: JsonObject) -> int:
    """Return the number of keywords, plus the members of lists such as `enum` and `required`."""
    return 1 + len(schema) + sum(len(value) for value in schema.values() if isinstance(value, list))


def _weight(value: object) -> int:
    return len(value) // 64 if isinstance(value, (str, list, dict)) else 0


def _factor(schema: JsonObject) -> int:
    return 1 if _LAYERED.isdisjoint(schema) else _LAYER_COST


def _pattern_count(schema: JsonObject) -> int:
    by_name = schema.get("patternProperties")
    return isinstance(schema.get("pattern"), str) + (len(by_name) if isinstance(by_name, dict) else 0)


def _pattern_chars(schema: JsonObject, value: object) -> int:
    chars = len(value) if "pattern" in schema and isinstance(value, str) else 0
    by_name = schema.get("patternProperties")
    if isinstance(by_name, dict) and isinstance(value, dict):
        chars += len(by_name) * sum(map(len, value))
    return chars
