"""Cursors: where the next part of a list begins, as opaque text that belongs to one list."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

__all__ = ["BadCursor", "decode_cursor", "encode_cursor"]

T = TypeVar("T")

_TAG_BYTES = 6


class BadCursor(ValueError):
    """The cursor is not one of this list."""


def encode_cursor(of_list: Sequence[object], place: object) -> str:
    """Return the cursor for a place in the list that these values identify."""
    content = orjson.dumps([_tag(of_list), place])
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decode_cursor(cursor: str, of_list: Sequence[object], form: type[T]) -> T:
    """Return the place of a cursor of this list. Raises BadCursor."""
    try:
        content = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        tag, place = orjson.loads(content)
        value: T = TypeAdapter(form).validate_python(place)
    except (ValueError, TypeError, ValidationError) as error:
        raise BadCursor("this is not a cursor: send `next` of the page before as it is") from error
    if tag != _tag(of_list):
        raise BadCursor("the cursor belongs to another list: send it with the parameters of the page before")
    return value


def _tag(of_list: Sequence[object]) -> str:
    return hashlib.sha256(orjson.dumps(list(of_list))).hexdigest()[: 2 * _TAG_BYTES]
