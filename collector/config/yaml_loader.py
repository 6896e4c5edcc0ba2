"""The core schema of YAML 1.2.2 (https://yaml.org/spec/1.2.2/#103-core-schema).

`date: 2026-11-22`, `at: 12:30` and `label: yes` are strings, as in an agent's JSON; in YAML 1.1, which the library
implements, they are a date, the number 750 and a boolean. Keys of a mapping are always strings.

A text is read only after its events have shown that it is small: nesting takes the scanner in Python quadratic time,
and a few aliases and merge keys stand for more values than memory holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping
from typing import Any, Final

import yaml

__all__ = ["MOST_DEPTH", "OWN_DEPTH", "PlainLoader", "explain_yaml", "refuse_excess"]

OWN_DEPTH: Final = 100
"""The levels of nesting in files of the operator, and of tools, whose schemas are deep."""

MOST_DEPTH: Final = 20
"""The levels of nesting in what others wrote."""

_MOST_CHARACTERS: Final = 8 * 2**20
_MOST_NODES: Final = 1_000_000
_BASES: Final = {"0o": 8, "0x": 16}
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml, which is not everywhere, is many times faster


class _Excess(yaml.MarkedYAMLError):
    """The text is too large, too deep, or repeats too much."""


class PlainLoader(_Loader):  # type: ignore[misc]  # of either class, which have the same methods
    """Reads unquoted values as null, booleans, numbers or strings."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as in the library

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - as in the library
        """Build a mapping with the keys as they are written."""
        self.flatten_mapping(node)
        return {_read_key(key): self.construct_object(value, deep=deep) for key, value in node.value}

    def whole_number(self, node: yaml.ScalarNode) -> int:
        """Read an integer; `014` is fourteen."""
        return int(node.value, _BASES.get(node.value[:2], 10))


def refuse_excess(text: str, *, depth: int = MOST_DEPTH, nodes: int = _MOST_NODES) -> None:
    """Raise YAMLError if the text is no YAML, has more than 8 Mi characters, is nested deeper than `depth` levels, or
    has more than `nodes` values, each counted as often as aliases and merge keys repeat it."""
    if len(text) > _MOST_CHARACTERS:
        raise _Excess(None, None, f"it has more than {_MOST_CHARACTERS:,} characters")
    sizes: dict[str | None, int] = {}
    began: list[tuple[str | None, int]] = []
    count = 0
    for event in yaml.parse(text, PlainLoader):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = began.pop()
            sizes[anchor] = count - before
            continue
        count += _count_values(event, sizes, [anchor for anchor, _ in began])
        if isinstance(event, yaml.CollectionStartEvent):
            began.append((event.anchor, count - 1))
        if len(began) > depth:
            raise _Excess(None, None, f"it is nested deeper than {depth} levels", _find_mark(event))
        if count > nodes:
            fault = f"it has more than {nodes:,} values, with those that aliases repeat"
            raise _Excess(None, None, fault, _find_mark(event))


def _count_values(event: yaml.Event, sizes: Mapping[str | None, int], above: Collection[str | None]) -> int:
    """Return how many values an event stands for: those that its alias repeats, else the one that begins with it."""
    if not isinstance(event, yaml.AliasEvent):
        return int(isinstance(event, yaml.NodeEvent))
    if event.anchor in above:
        raise _Excess(None, None, f"the value of {event.anchor!r} contains itself", _find_mark(event))
    return sizes.get(event.anchor, 1)


def _find_mark(event: Any) -> Any:
    return event.start_mark  # of either library


def explain_yaml(error: Exception, text: str) -> tuple[int | None, str]:
    """Return the line of a mistake that this module or the library found in `text`, if it is known, and what it is."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return None, f"not valid YAML or JSON: {error}"
    lines = text.count("\n") + 1  # libyaml finds the end of the text in the line after it
    line = None if error.problem_mark is None else min(error.problem_mark.line + 1, lines)
    problem = str(error.problem)
    return line, problem if isinstance(error, _Excess) else f"not valid YAML or JSON: {problem}"


def _read_key(key: yaml.Node) -> str:
    if not isinstance(key, yaml.ScalarNode):
        raise yaml.constructor.ConstructorError(None, None, "a key of a mapping must be a string", key.start_mark)
    return str(key.value)


_CORE: Final = {
    "null": ("~|null|Null|NULL|", ["~", "n", "N", ""]),
    "bool": ("true|True|TRUE|false|False|FALSE", list("tTfF")),
    "int": ("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
    "merge": ("<<", ["<"]),
}
for _tag, (_pattern, _first) in _CORE.items():
    PlainLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), _first)
PlainLoader.add_constructor("tag:yaml.org,2002:int", PlainLoader.whole_number)
