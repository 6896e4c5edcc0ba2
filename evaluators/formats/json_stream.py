"""Reads records of JSON one after the other: lines, the entries of a list, objects, or a list within an object."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from .byte_window import ByteWindow
from .json_record import parse_record
from .record import Record

__all__ = ["read_json"]

_CLOSING: Final = {b"{": b"}", b"[": b"]"}
_CONTINUED: Final = b"[{,:"
_KEY: Final = re.compile(rb'[\s,]*"((?:[^"\\\n]++|\\.)*+)"\s*:\s*(?=\S)', re.DOTALL)
_IS_WHOLE: Final = "; is the file whole?"
_NOTHING_AFTER: Final = "; nothing after it is read, is the file whole?"


def read_json(window: ByteWindow, lists: Collection[str]) -> Iterator[Record]:
    """Yield the records of a file that begins with `{` or `[`. What cannot be read is a record with a fault."""
    has_lines = False
    while byte := window.skip_blanks():
        has_lines = has_lines or byte not in _CLOSING or _has_lines(window, byte)
        if has_lines:
            yield from _read_line(window, lists)
        elif byte == b"[":
            yield from _read_list(window, None)
        else:
            yield from _read_object(window, lists)


def _has_lines(window: ByteWindow, begin: bytes) -> bool:
    """Return whether the next line is a record by itself, or a part of one whose end was lost."""
    length = window.measure_line()
    if length is None or window.peek(length) not in _CLOSING:
        return False
    line = window.content[window.start : window.start + length].rstrip()
    return line.endswith(_CLOSING[begin]) or line[-1:] not in _CONTINUED


def _read_line(window: ByteWindow, lists: Collection[str]) -> Iterator[Record]:
    place, length = f"line {window.line}", window.measure_line()
    if length is None:
        yield Record(place, fault=_explain_size(window))
        window.skip_line()
        return
    content = window.content[window.start : window.start + length]
    window.advance(length)
    window.indentation = b""
    try:
        value, repeated = parse_record(content.strip())
    except ValueError as error:
        yield Record(place, fault=str(error))
        return
    yield from _expand(Record(place, value, repeated=repeated), lists)


def _expand(record: Record, lists: Collection[str]) -> Iterator[Record]:
    """Yield the entries of the list in an object, else the record itself."""
    value = record.value
    key = next((key for key in lists if isinstance(value, dict) and isinstance(value.get(key), list)), None)
    if key is None:
        yield record
        return
    for number, entry in enumerate(value[key], start=1):
        yield replace(record, place=f"{record.place}, entry {number}", value=entry, list_name=key)


def _read_list(window: ByteWindow, name: str | None) -> Iterator[Record]:
    window.advance(1)
    number = 0
    while byte := window.skip_blanks(commas=True):
        if byte == b"]":
            window.advance(1)
            return
        number += 1
        if byte == b"}":
            yield Record(f"line {window.line}, entry {number}", fault="this is not JSON: a } without its {")
            window.advance(1)
            continue
        yield _read_value(window, f"line {window.line}, entry {number}", name)
    yield Record(f"line {window.line}", fault=f"the list does not end{_IS_WHOLE}")


def _read_object(window: ByteWindow, lists: Collection[str]) -> Iterator[Record]:
    """Yield the entries of the first list under one of the keys, else the object itself."""
    found = _find_list(window, lists) if lists else None
    if found is None:
        yield _read_value(window, f"line {window.line}", None)
        return
    name, offset = found
    window.advance(offset)
    yield from _read_list(window, name)
    end = window.measure_container(0, depth=1, is_kept=False)
    if end is not None:
        window.advance(end)
    elif window.skip_blanks():
        yield Record(f"line {window.line}", fault=f"what follows the list {name!r} is not JSON, and is not read")
        window.advance(window.size_bytes)


def _find_list(window: ByteWindow, lists: Collection[str]) -> tuple[str, int] | None:
    """Return the key of the list and its offset, without leaving anything behind; None without one."""
    offset = 1
    while True:
        match = _KEY.match(window.content, window.start + offset)
        if match is None:
            if window.peek(offset) not in {b'"', b","} or window.is_too_long or not window.extend():
                return None
            continue
        name, offset = match[1].decode(errors="replace"), match.end() - window.start
        if name in lists and window.content[match.end() : match.end() + 1] == b"[":
            return name, offset
        end = window.measure_value(offset)
        if end is None:
            return None
        offset = end


def _read_value(window: ByteWindow, place: str, name: str | None) -> Record:
    """Read the value that begins here.

    If it cannot be read, what follows it is: the next value of the same list, if it is written like this one.
    """
    end, line = window.measure_value(), window.line
    if end is None:
        return Record(place, fault=_skip_unended(window), list_name=name)
    try:
        value, repeated = parse_record(window.content[window.start : window.start + end], line=line)
    except ValueError as error:
        window.advance(window.find_sibling(end) or end)
        return Record(place, fault=str(error), list_name=name)
    window.advance(end)
    return Record(place, value, list_name=name, repeated=repeated)


def _skip_unended(window: ByteWindow) -> str:
    """Advance beyond a value that does not end; return what is wrong with it."""
    is_too_long, sibling = window.is_too_long, window.find_sibling()
    fault = _explain_size(window) if is_too_long else _explain_unended(window, sibling)
    if sibling is not None:
        _skip_to_sibling(window, sibling)
    elif is_too_long and (end := window.measure_container(0, is_kept=False)) is not None:
        window.advance(end)
    else:
        window.stop()
    return fault


def _skip_to_sibling(window: ByteWindow, offset: int) -> None:
    begin = window.content[: window.start + offset].rfind(b"\n") + 1
    indentation = window.content[begin : window.start + offset]
    window.advance(offset)
    window.indentation = indentation


def _explain_unended(window: ByteWindow, sibling: int | None) -> str:
    end = window.size_bytes if sibling is None else sibling
    try:
        parse_record(window.content[window.start : window.start + end].rstrip(b" \t\r\n,"), line=window.line)
    except ValueError as error:
        return f"{error}{_NOTHING_AFTER if sibling is None else ''}"
    return f"it does not end{_IS_WHOLE}"


def _explain_size(window: ByteWindow) -> str:
    return f"it is longer than {window.most_bytes // 2**20} MiB, and is not read"
