"""Objects and lists that were written as one attribute for each of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["build_nested"]

_LEVELS = 60
"""How deep a key may lead: what is read must be possible to write again."""


def build_nested(flat: Mapping[str, Any]) -> Any:
    """The object out of `{"a.b": 1, "a.c.0": 2}`; a list where all keys of one level are its numbers, in order.

    A value whose key is also the beginning of others is left out.
    """
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        *outer, last = key.split(".", _LEVELS)
        at: Any = tree
        for name in outer:
            inner = at.get(name)
            if not isinstance(inner, _Level):
                at[name] = inner = _Level()
            at = inner
        if not isinstance(at.get(last), _Level):
            at[last] = value
    return _listed(tree)


class _Level(dict[str, Any]):
    """Not a value: there may be objects among these too."""


def _listed(level: dict[str, Any]) -> Any:
    held = {name: _listed(value) if isinstance(value, _Level) else value for name, value in level.items()}
    if not held or not all(name.isascii() and name.isdigit() for name in held):
        return held
    return [held[name] for name in sorted(held, key=int)]
