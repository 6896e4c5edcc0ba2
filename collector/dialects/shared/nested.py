"""Builds objects and lists from one attribute per value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["build_nested"]

_LEVELS = 60
"""How deep a key may lead: what is read must be possible to write again."""


def build_nested(flat: Mapping[str, Any]) -> Any:
    """Build the object of `{"a.b": 1, "a.c.0": 2}`; a level whose keys are all numbers becomes a list, in order.

    A value whose key is also the beginning of others is left out.
    """
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *outer, last = key.split(".", _LEVELS)
        level: Any = tree
        for name in outer:
            inner = level.get(name)
            if not isinstance(inner, _Level):
                level[name] = inner = _Level()
            level = inner
        if not isinstance(level.get(last), _Level):
            level[last] = value
    return _to_lists(tree)


class _Level(dict[str, Any]):
    """A level of the tree, as opposed to a value that is an object."""


def _to_lists(level: dict[str, Any]) -> Any:
    values = {name: _to_lists(value) if isinstance(value, _Level) else value for name, value in level.items()}
    if not values or not all(name.isascii() and name.isdigit() for name in values):
        return values
    return [values[name] for name in sorted(values, key=int)]
