"""Writes values that Python tools return as one line of JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any, Final

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_jsonable_python

__all__ = ["json_text"]

_WRITE_INSTEAD: Final = "give None, or text"


def json_text(value: object) -> str:
    """Return `value` as one line of JSON, equal for equal values.

    Models and dataclasses become objects; sets become lists, sorted where Python does not keep their order; decimals,
    times, UUIDs and bytes become text, as pydantic writes them. Raises ValueError for values that JSON cannot
    represent: NaN and infinity, cycles, lone surrogates, objects of other types.
    """
    try:
        text = _dump(_plain(value, ()))
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"it has half a character ({error.reason}); write it whole or leave it out") from error
    except RecursionError as error:
        raise ValueError("it is nested without end; leave out the reference to itself") from error
    return text


def _dump(plain: object) -> str:
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: Any, path: tuple[object, ...]) -> Any:
    """Return `value` in JSON's own types; `path` is its place, for errors."""
    if type(value) in _JSON_TYPES:
        return value
    if isinstance(value, (float, Decimal)):
        return _number(value, path)
    if isinstance(value, (Mapping, AbstractSet, list, tuple)):
        return _container(value, path)
    return _object(value, path)


_JSON_TYPES: Final = frozenset({type(None), bool, int, str})


def _container(value: Any, path: tuple[object, ...]) -> Any:
    if isinstance(value, Mapping):
        return {_key(key, path): _plain(below, (*path, key)) for key, below in value.items()}
    if isinstance(value, AbstractSet):
        return sorted((_plain(below, path) for below in value), key=_dump)
    return [_plain(below, (*path, position)) for position, below in enumerate(value)]


def _object(value: Any, path: tuple[object, ...]) -> Any:
    if isinstance(value, BaseModel):
        _plain(value.model_dump(), path)  # raises for NaN, which pydantic would write as null
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), (*path, field.name)) for field in fields(value)}
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError) as error:
        kind = type(value).__name__
        raise ValueError(f"{_place(path)} is of type {kind}, which JSON cannot represent; {_WRITE_INSTEAD}") from error


def _number(value: float | Decimal, path: tuple[object, ...]) -> float | str:
    is_finite = value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)
    if not is_finite:
        raise ValueError(f"{_place(path)} is {value}, which JSON cannot represent; {_WRITE_INSTEAD}")
    return str(value) if isinstance(value, Decimal) else float(value)


def _key(key: object, path: tuple[object, ...]) -> str:
    plain = _plain(key, path)
    return plain if isinstance(plain, str) else _dump(plain)


def _place(path: tuple[object, ...]) -> str:
    return f"the value at {'.'.join(map(str, path))}" if path else "the value"
