"""OTLP in files, whoever wrote them: recognised by what is in them, not by their names.

Protobuf (an Export*ServiceRequest, or several with their lengths before them, as the Collector's file exporter
writes), JSON, JSON lines; any of them gzipped.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from .errors import Malformed
from .receiver import Signal
from .receiver.otlp_json import to_protobuf
from .wire import BrokenWire, fields

__all__ = ["Part", "count", "read", "trace_ids"]

_GZIP = b"\x1f\x8b"
_SIGNALS = {
    "resourceSpans": Signal.TRACES,
    "resource_spans": Signal.TRACES,
    "resourceLogs": Signal.LOGS,
    "resource_logs": Signal.LOGS,
    "resourceMetrics": Signal.METRICS,
    "resource_metrics": Signal.METRICS,
}
_TRACE_ID_BYTES = 16
_TRACE_ID_FIELDS = {Signal.TRACES: 1, Signal.LOGS: 9}


@dataclass(frozen=True, slots=True)
class Part:
    """One export request of a file, as protobuf, and what of it could not be read."""

    signal: Signal
    body: bytes
    refused: int = 0
    reasons: tuple[str, ...] = ()


def read(path: Path) -> Iterator[Part]:
    """The export requests of a file, in order. Raises Malformed, naming file and line; OSError."""
    content = path.read_bytes()
    if content.startswith(_GZIP):
        content = _gunzipped(path, content)
    if content.lstrip()[:1] in {b"{", b"["}:
        yield from _json(path, content)
    else:
        yield from _protobuf(path, content)


def count(part: Part) -> int:
    """How many records an export request holds."""
    return sum(1 for _ in _records(part.body))


def trace_ids(part: Part) -> set[str]:
    """The traces that an export request speaks of, in hex."""
    found = (_trace_id(record, _TRACE_ID_FIELDS.get(part.signal)) for record in _records(part.body))
    return {trace_id for trace_id in found if trace_id}


def _trace_id(record: memoryview, where: int | None) -> str | None:
    try:
        return next((bytes(content).hex() for number, content in fields(record) if number == where), None)
    except BrokenWire:
        return None  # a receiver refuses this record alone


def _records(body: bytes) -> Iterator[memoryview]:
    """All requests look alike down to the record."""
    for _, of_resource in fields(body):
        for level, of_scope in fields(of_resource):
            if level == 2:
                yield from (record for number, record in fields(of_scope) if number == 2)


def _gunzipped(path: Path, content: bytes) -> bytes:
    try:
        return zlib.decompress(content, wbits=31)
    except zlib.error as error:
        raise Malformed(f"{path}: it begins like gzip, but {error}") from error


def _json(path: Path, content: bytes) -> Iterator[Part]:
    """One document, or one a line."""
    try:
        whole = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        if b"\n" not in content.strip():
            raise Malformed(f"{path}: it is not JSON: {error}") from error
    else:
        yield from _converted(f"{path}", whole)
        return
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            document = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise Malformed(f"{path}, line {number}: it is not JSON: {error}") from error
        yield from _converted(f"{path}, line {number}", document)


def _converted(where: str, document: Any) -> Iterator[Part]:
    for one in document if isinstance(document, list) else [document]:
        signals = [(key, signal) for key, signal in _SIGNALS.items() if isinstance(one, dict) and key in one]
        if not signals:
            raise Malformed(f"{where}: it has none of resourceSpans, resourceLogs and resourceMetrics")
        for key, signal in signals:
            converted = to_protobuf(signal, orjson.dumps({key: one[key]}))
            yield Part(signal, converted.body, converted.refused, tuple(converted.reasons))


def _protobuf(path: Path, content: bytes) -> Iterator[Part]:
    for body in _messages(content):
        try:
            yield Part(_signal(body), body)
        except BrokenWire as error:
            raise Malformed(f"{path}: it is neither JSON nor OTLP in protobuf: {error}") from error


def _messages(content: bytes) -> list[bytes]:
    """The messages of a file: several where lengths stand before them, else one."""
    messages: list[bytes] = []
    at = 0
    while at + 4 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        if length == 0 or at + 4 + length > len(content):
            return [content]
        messages.append(content[at + 4 : at + 4 + length])
        at += 4 + length
    return messages if messages and at == len(content) else [content]


def _signal(body: bytes) -> Signal:
    """Spans or log records? A span begins with its trace id."""
    for record in _records(body):
        return _signal_of(record)
    return Signal.TRACES


def _signal_of(record: memoryview) -> Signal:
    starts_with_id = any(number == 1 and len(content) == _TRACE_ID_BYTES for number, content in fields(record))
    return Signal.TRACES if starts_with_id else Signal.LOGS
