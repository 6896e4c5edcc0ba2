"""What a value is, in the words of JSON."""

from __future__ import annotations

__all__ = ["json_kind"]


def json_kind(value: object) -> str:
    """Return what a value is, in JSON's words: `a list`, `null`."""
    if value is None:
        return "null"
    words = {bool: "a boolean", int: "a number", float: "a number", str: "text", dict: "an object", list: "a list"}
    return words.get(type(value), f"a {type(value).__name__}")
