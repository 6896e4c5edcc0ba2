"""The core schema of YAML 1.2.2 (https://yaml.org/spec/1.2.2/#103-core-schema).

`date: 2026-11-22`, `at: 12:30` and `label: yes` are strings, as in an agent's JSON; in YAML 1.1, which the library
implements, they are a date, the number 750 and a boolean. Keys of a mapping are always strings.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, Final

import yaml

__all__ = ["PlainLoader"]

_BASES: Final = {"0o": 8, "0x": 16}


class PlainLoader(yaml.SafeLoader):
    """Reads unquoted values as null, booleans, numbers or strings."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as in the library

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - as in the library
        """Build a mapping with the keys as they are written."""
        self.flatten_mapping(node)
        return {_read_key(key): self.construct_object(value, deep=deep) for key, value in node.value}

    def whole_number(self, node: yaml.ScalarNode) -> int:
        """Read an integer; `014` is fourteen."""
        return int(node.value, _BASES.get(node.value[:2], 10))


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
