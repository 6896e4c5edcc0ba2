"""Writes any value as JSON, also one that JSON does not have."""

from __future__ import annotations

import json
from typing import Any

import orjson

__all__ = ["json_text"]


def json_text(value: Any) -> str:
    """Return a value as JSON; objects of other types become their text.

    Half a character becomes a question mark, and integers may have more than 64 bits.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str).decode()
    except orjson.JSONEncodeError:
        text = json.dumps(value, default=str, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace").decode()
