"""The names of JSON's types."""

from __future__ import annotations

__all__ = ["json_kind"]


def json_kind(value: object) -> str:
    """Return the type of a value as JSON names it, with its article: `a list`, `an object`, `null`."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", dict: "an object", list: "a list"}
    return names.get(type(value), f"a {type(value).__name__}")
