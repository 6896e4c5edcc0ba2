"""Just enough of the protobuf wire format to save the neighbours of a record that cannot be read.

One span with invalid UTF-8 or bottomless nesting makes the parser refuse the whole export request. Walking the three
outer levels by hand lets every record be parsed alone.
Source: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["BrokenWire", "fields"]

_VARINT_BYTES = 10


class BrokenWire(ValueError):
    """The bytes are not protobuf."""


def fields(message: bytes | memoryview) -> Iterator[tuple[int, memoryview]]:
    """The length-delimited fields of `message` as (field number, content); others are stepped over."""
    view = memoryview(message)
    position = 0
    while position < len(view):
        tag, position = _varint(view, position)
        content, end = _field(view, position, tag & 7)
        if end > len(view):
            raise BrokenWire("a field reaches beyond the end of the message")
        if tag >> 3 == 0:
            raise BrokenWire("there is no field 0")
        if content is not None:
            yield tag >> 3, view[content:end]
        position = end


def _field(view: memoryview, position: int, wire_type: int) -> tuple[int | None, int]:
    """Where the content of a length-delimited field begins (None for the others), and where any field ends."""
    match wire_type:
        case 2:
            length, position = _varint(view, position)
            return position, position + length
        case 0:
            return None, _varint(view, position)[1]
        case 1:
            return None, position + 8
        case 5:
            return None, position + 4
        case other:
            raise BrokenWire(f"unknown wire type {other}")


def _varint(view: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    for _ in range(_VARINT_BYTES):
        if position >= len(view):
            break
        byte = view[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise BrokenWire("a number is cut off")
