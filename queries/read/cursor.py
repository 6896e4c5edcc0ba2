"""Cursors: where the next part of a list begins, as opaque text that belongs to one list."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["BadCursor", "decode_cursor", "encode_cursor"]

T = TypeVar("T", bound="DataclassInstance")
U = TypeVar("U", bound="DataclassInstance")

_TAG_CHARACTERS: Final = 12


class BadCursor(ValueError):
    """The cursor is not one of this list."""


def encode_cursor(of_list: Sequence[object], *places: object) -> str:
    """Return the cursor for these places, which are dataclasses, in the list that the values identify."""
    content = orjson.dumps([_tag(of_list), *places])
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decode_cursor(cursor: str, of_list: Sequence[object], first: type[T], second: type[U]) -> tuple[T, U]:
    """Return the two places of a cursor of this list. Raises BadCursor."""
    try:
        content = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        tag, *places = orjson.loads(content)
        first_place, second_place = places
        found = _read(first, first_place), _read(second, second_place)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadCursor("this is not a cursor: send `next` of the page before as it is") from error
    if tag != _tag(of_list):
        raise BadCursor("the cursor belongs to another list: send it with the parameters of the page before")
    return found


def _tag(of_list: Sequence[object]) -> str:
    return hashlib.sha256(orjson.dumps(list(of_list))).hexdigest()[:_TAG_CHARACTERS]


def _read(form: type[T], place: Mapping[str, Any]) -> T:
    return form(**{field.name: _READERS[str(field.type)](place[field.name]) for field in fields(form)})


def _read_time(value: Any) -> datetime:
    time = datetime.fromisoformat(value)
    if time.tzinfo is not None:
        raise ValueError("a time of the store has no zone")
    return time


def _read_text(value: Any) -> str:
    return str(value)


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {"datetime": _read_time, "float": float, "str": _read_text}
"""How the value of a field is read, by the type of the field."""
