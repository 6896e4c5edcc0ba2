"""The JSON form of each field of an OTLP message, and the errors for values that are not in this form."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

__all__ = ["Field", "Fields", "Scalar", "Unreadable", "fields_of"]

Scalar: TypeAlias = Callable[[Any], Any]
Fields: TypeAlias = Mapping[str, "Field"]

_IDS: Final = frozenset({"trace_id", "span_id", "parent_span_id"})
# Only these may be empty: an empty parent id would turn any span into a root.
_OWN_IDS: Final = frozenset({"opentelemetry.proto.trace.v1.Span.trace_id", "opentelemetry.proto.trace.v1.Span.span_id"})
_MOST_PLACES: Final = 16
"""More are not shown, so that the reason is read after the places of a deep value."""

_TO_STANDARD_BASE64: Final = str.maketrans("-_", "+/")
_known: Final[dict[str, dict[str, Field]]] = {}


class Unreadable(ValueError):
    """A JSON value is not valid for its field. The message quotes no value, since it may be private."""

    def __init__(self, reason: str, places: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self._reason = reason
        self._places = places

    def __str__(self) -> str:
        places = self._places if len(self._places) <= _MOST_PLACES else (*self._places[:_MOST_PLACES], "…")
        return ": ".join((*places, self._reason))

    def below(self, place: str) -> Unreadable:
        """Return the same error for the message one level further out."""
        return Unreadable(self._reason, (place, *self._places))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field: either `scalar` reads its value, or the value is an object with `fields`."""

    name: str
    repeated: bool
    scalar: Scalar | None
    message: str
    fields: Fields


def fields_of(message: Descriptor) -> Fields:
    """Return the message's fields under both names that JSON may use, lowerCamelCase and the original."""
    if message.full_name in _known:
        return _known[message.full_name]
    # Entered before it is filled, since AnyValue contains itself.
    fields = _known[message.full_name] = {}
    for descriptor in message.fields:
        fields[descriptor.json_name] = fields[descriptor.name] = _make_field(descriptor)
    return fields


def _make_field(descriptor: FieldDescriptor) -> Field:
    message = descriptor.message_type
    return Field(
        name=descriptor.name,
        repeated=descriptor.is_repeated,
        scalar=None if message else _pick_scalar(descriptor),
        message=message.full_name if message else "",
        fields=fields_of(message) if message else {},
    )


def _pick_scalar(field: FieldDescriptor) -> Scalar:
    if field.enum_type:
        return partial(_read_enum, enum=field.enum_type)
    if field.full_name in _OWN_IDS:
        return _read_own_id
    if field.name in _IDS:
        return _read_hexadecimal
    return _SCALARS[field.type]


def _read_hexadecimal(value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise Unreadable("not hexadecimal") from None


def _read_own_id(value: Any) -> bytes:
    try:
        return _read_hexadecimal(value)
    except Unreadable:
        return b""


def _read_base64(value: Any) -> bytes:
    """Read bytes in either base64 alphabet, padded or not, as proto3's mapping requires."""
    text = _read_text(value).translate(_TO_STANDARD_BASE64).rstrip("=")
    try:
        return binascii.a2b_base64(text + "=" * (-len(text) % 4), strict_mode=True)
    except ValueError:
        raise Unreadable("not base64") from None


def _read_text(value: Any) -> str:
    if not isinstance(value, str):
        raise Unreadable("not a string")
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _read_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unreadable("not true or false")
    return value


def _read_double(value: Any) -> float:
    """Read a number or its text; float() accepts "NaN" and "Infinity"."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unreadable("not a number")
    try:
        return float(value)
    except (ValueError, OverflowError):
        raise Unreadable("not a number") from None


def _read_integer(value: Any, *, lowest: int, highest: int) -> int:
    if type(value) is str or (type(value) is float and value.is_integer()):
        value = _read_whole_number(value)
    if type(value) is not int:
        raise Unreadable("not a number" if isinstance(value, bool | dict | list) else "not a whole number")
    if not lowest <= value <= highest:
        raise Unreadable("out of range")
    return value


def _read_whole_number(value: str | float) -> int:
    try:
        return int(value)
    except ValueError:
        raise Unreadable("not a number") from None


def _read_enum(value: Any, *, enum: EnumDescriptor) -> int:
    """Read a number, whether or not it has a name, or a name."""
    if isinstance(value, str) and value in enum.values_by_name:
        return enum.values_by_name[value].number
    try:
        return _INT32(value)
    except Unreadable:
        raise Unreadable(f"not a {enum.name}") from None


_INT32: Final = partial(_read_integer, lowest=-(2**31), highest=2**31 - 1)
_UINT32: Final = partial(_read_integer, lowest=0, highest=2**32 - 1)
_INT64: Final = partial(_read_integer, lowest=-(2**63), highest=2**63 - 1)
_UINT64: Final = partial(_read_integer, lowest=0, highest=2**64 - 1)

_SCALARS: Final[dict[int, Scalar]] = {
    FieldDescriptor.TYPE_STRING: _read_text,
    FieldDescriptor.TYPE_BYTES: _read_base64,
    FieldDescriptor.TYPE_BOOL: _read_boolean,
    FieldDescriptor.TYPE_DOUBLE: _read_double,
    FieldDescriptor.TYPE_FLOAT: _read_double,
    FieldDescriptor.TYPE_INT32: _INT32,
    FieldDescriptor.TYPE_SINT32: _INT32,
    FieldDescriptor.TYPE_SFIXED32: _INT32,
    FieldDescriptor.TYPE_UINT32: _UINT32,
    FieldDescriptor.TYPE_FIXED32: _UINT32,
    FieldDescriptor.TYPE_INT64: _INT64,
    FieldDescriptor.TYPE_SINT64: _INT64,
    FieldDescriptor.TYPE_SFIXED64: _INT64,
    FieldDescriptor.TYPE_UINT64: _UINT64,
    FieldDescriptor.TYPE_FIXED64: _UINT64,
}
