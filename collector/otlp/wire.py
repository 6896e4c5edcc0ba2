"""The parts of the protobuf wire format that are needed to separate records, and to count messages.

One span with invalid UTF-8 or unlimited nesting makes the parser refuse the whole export request. Reading the three
outer levels here allows parsing every record alone. An empty message is two bytes on the wire and a hundred once it is
parsed, so the messages of a large request are counted before. Source: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from google.protobuf.descriptor import Descriptor

__all__ = [
    "SHORTEST_BYTES",
    "BrokenWire",
    "Nested",
    "count",
    "fields",
    "highest_count",
    "nested_in",
    "with_valid_text",
    "written",
]

Nested: TypeAlias = Mapping[int, tuple[bool, "Nested"]]
"""The message fields of a message type, by their tags: whether the field is repeated, and its own message fields."""

SHORTEST_BYTES = 2
"""The size of the shortest message on the wire: its tag, and its length 0."""

_VARINT_BYTES = 10
_DEEPEST = 100
"""As many levels as protobuf's own parsers read."""
_LENGTH_DELIMITED = 2
_GROUP = (3, 4)
_NO_MESSAGE: tuple[bool, Nested] = (False, {})


class BrokenWire(ValueError):
    """The bytes are not protobuf."""


def fields(message: bytes | memoryview) -> Iterator[tuple[int, memoryview]]:
    """Yield the length-delimited fields of `message` as (field number, content), and skip others. Raises BrokenWire."""
    view = memoryview(message)
    position = 0
    while position < len(view):
        tag, content, position = _read_extent(view, position)
        if position > len(view):
            raise BrokenWire("a field reaches beyond the end of the message")
        if tag >> 3 == 0:
            raise BrokenWire("there is no field 0")
        if tag & 7 in _GROUP:
            raise BrokenWire("groups are not read here")
        if tag & 7 == _LENGTH_DELIMITED:
            yield tag >> 3, view[content:position]


def written(number: int, content: bytes | memoryview) -> bytes:
    """Encode a length-delimited field."""
    length, head = len(content), bytearray([number << 3 | _LENGTH_DELIMITED])
    while length > 0x7F:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes([*head, length]) + content


def with_valid_text(message: bytes | memoryview, type_: Descriptor, *, levels: int = _DEEPEST) -> bytes:
    """Encode a message of this type again, with U+FFFD for what is not UTF-8 in its texts. Raises BrokenWire.

    Messages more than `levels` deep stay as they are.
    """
    view, repaired, position = memoryview(message), bytearray(), 0
    fields_by_number = type_.fields_by_number
    while position < len(view):
        begin = position
        tag, content, position = _read_extent(view, position)
        if position > len(view):
            raise BrokenWire("a field reaches beyond the end of the message")
        field = fields_by_number.get(tag >> 3) if tag & 7 == _LENGTH_DELIMITED else None
        inner = view[content:position]
        if field is not None and field.message_type is not None and levels:
            repaired += written(tag >> 3, with_valid_text(inner, field.message_type, levels=levels - 1))
        elif field is not None and field.type == field.TYPE_STRING:
            repaired += written(tag >> 3, bytes(inner).decode("utf-8", "replace").encode())
        else:
            repaired += view[begin:position]
    return bytes(repaired)


def nested_in(message: Descriptor, *, depth: int | None = None) -> Nested:
    """Return the message fields of `message`, down to `depth` levels (default: all)."""
    return _list_nested(message, {}) if depth is None else _cut_depth(_list_nested(message, {}), depth)


def highest_count(message: bytes, nested: Nested) -> int:
    """Return an upper bound of `count`: the number of bytes that could be the tag of a message.

    It takes a fiftieth of the time of `count`.
    """
    tags = _collect_tags(nested, set())
    return len(message) - len(message.translate(None, bytes(tags | {tag | 0x80 for tag in tags})))


def count(message: bytes, nested: Nested, *, limit: int) -> int:
    """Count the messages in repeated fields, at any depth; stop at one more than `limit`.

    The result may be higher than the number that a parser finds, but never lower: messages that a parser skips or
    refuses are counted too.
    """
    total = at = 0
    end = len(message)
    outer: list[tuple[int, Nested]] = []
    while total <= limit:
        if at < end:
            try:
                tag, content, at = _read_extent(message, at)
            except BrokenWire:
                at = end
                continue
            is_one_of_many, inside = nested.get(tag, _NO_MESSAGE)
            total += is_one_of_many
            if inside:
                outer.append((end, nested))
                at, end, nested = content, min(at, end), inside
        elif outer:
            at = end
            end, nested = outer.pop()
        else:
            break
    return total


def _read_extent(message: bytes | memoryview, at: int) -> tuple[int, int, int]:
    """Return the tag of the field at `at`, and the positions where its content begins and ends. Raises BrokenWire.

    A group counts as two fields: its start and its end.
    """
    try:
        tag, at = message[at], at + 1
        if tag > 0x7F:  # rare, and a call for each number would double the time
            tag, at = _read_varint(message, at - 1)
        match tag & 7:
            case 2:
                length, at = message[at], at + 1
                if length > 0x7F:
                    length, at = _read_varint(message, at - 1)
                return tag, at, at + length
            case 0:
                return tag, at, _read_varint(message, at)[1]
            case 1:
                return tag, at, at + 8
            case 5:
                return tag, at, at + 4
            case 3 | 4:
                return tag, at, at
    except IndexError:
        raise BrokenWire("a number is cut off") from None
    raise BrokenWire(f"unknown wire type {tag & 7}")


def _read_varint(message: bytes | memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    for _ in range(_VARINT_BYTES):
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise BrokenWire("a number does not end")


def _list_nested(message: Descriptor, known: dict[str, dict[int, tuple[bool, Nested]]]) -> Nested:
    if message.full_name in known:
        return known[message.full_name]
    # Entered before it is filled, since AnyValue contains itself.
    nested = known[message.full_name] = {}
    for field in message.fields:
        if field.message_type is not None:
            nested[field.number << 3 | _LENGTH_DELIMITED] = field.is_repeated, _list_nested(field.message_type, known)
    return nested


def _cut_depth(nested: Nested, depth: int) -> Nested:
    return {tag: (many, _cut_depth(inside, depth - 1)) for tag, (many, inside) in nested.items()} if depth else {}


def _collect_tags(nested: Nested, seen: set[int]) -> set[int]:
    """Collect the tags of repeated message fields. In OTLP each of them takes a single byte."""
    tags = {tag for tag, (many, _) in nested.items() if many}
    seen.add(id(nested))
    for _, inside in nested.values():
        if id(inside) not in seen:
            tags |= _collect_tags(inside, seen)
    return tags
