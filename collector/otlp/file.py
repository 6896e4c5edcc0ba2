"""OTLP in files, whoever wrote them: recognised by what is in them, not by their names.

Protobuf (an Export*ServiceRequest, or several with their lengths before them, as the Collector's file exporter
writes), JSON, JSON lines; any of them gzipped. One document is held at a time, not far larger than the file itself, and
given in portions that a server takes.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

import orjson

from ..errors import Malformed, TooLarge
from .json import count_objects, to_protobuf
from .limits import MOST_MESSAGES, Limits
from .portions import portions
from .signal import Signal
from .wire import BrokenWire, fields

__all__ = ["Part", "count", "read", "trace_ids"]

_GZIP = b"\x1f\x8b"
_DOCUMENT_BYTES = 64 * 2**20
"""How large a document may be when it is decompressed. One that is not compressed may be as large as its file."""
_LENGTH = struct.Struct(">I")
_PROTOBUF_BEGINS = b"\x0a"
"""The tag of the first field. As the first byte of a length it would mean 160 MiB and more."""
_ANY_NUMBER = Limits(records=MOST_MESSAGES)
_USUAL = Limits()
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


def read(path: Path, limits: Limits = _USUAL) -> Iterator[Part]:
    """The export requests of a file, in order and within `limits`. Raises Malformed, naming file and line; TooLarge,
    OSError."""
    with _opened(path) as file:
        requests = _json(file) if file.begins_as_json() else _protobuf(file)
        for part in requests:
            yield from _in_portions(path, part, limits)


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


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it is when it is decompressed. Of what it holds, no more is read at once than `most_bytes`."""

    path: Path
    stream: BufferedReader
    most_bytes: int

    def begins_as_json(self) -> bool:
        while (piece := self.stream.peek(1)) and not piece.strip():
            self.stream.read(len(piece))
        self.stream.seek(0)
        return piece.lstrip()[:1] in {b"{", b"["}

    def line(self) -> bytes:
        """The next one; nothing at the end."""
        return self._whole(self.stream.readline(self.most_bytes + 1))

    def rest(self) -> bytes:
        return self._whole(self.stream.read(self.most_bytes + 1))

    def exactly(self, size_bytes: int) -> bytes:
        """So much as is announced."""
        content = self.stream.read(size_bytes) if 0 < size_bytes <= self.most_bytes else b""
        if len(content) != size_bytes or not content:
            raise Malformed(
                f"{self.path}: it is neither JSON nor OTLP in protobuf, or cut off: a message of {size_bytes} bytes is "
                f"announced, and {len(content)} are there"
            )
        return content

    def parsed(self, content: bytes) -> Any:
        """A JSON document. Raises orjson.JSONDecodeError."""
        if count_objects(content) > max(MOST_MESSAGES, self.path.stat().st_size):
            raise self._too_large()
        return orjson.loads(content)

    def _whole(self, content: bytes) -> bytes:
        if len(content) > self.most_bytes:
            raise self._too_large()
        return content

    def _too_large(self) -> TooLarge:
        return TooLarge(
            f"{self.path}: decompressed, one of its documents takes more than {self.most_bytes} bytes or "
            f"{MOST_MESSAGES} objects: decompress it first, or write one request a line"
        )


@contextmanager
def _opened(path: Path) -> Iterator[_File]:
    most_bytes = max(_DOCUMENT_BYTES, path.stat().st_size)
    with path.open("rb") as plain:
        if not plain.peek(len(_GZIP)).startswith(_GZIP):
            yield _File(path, plain, most_bytes)
            return
        try:
            with gzip.GzipFile(fileobj=plain) as unpacked:
                yield _File(path, BufferedReader(cast("Any", unpacked)), most_bytes)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise Malformed(f"{path}: it begins like gzip, but {error}") from error


def _json(file: _File) -> Iterator[Part]:
    """One document, or one a line."""
    is_first = True
    for number, line in enumerate(iter(file.line, b""), 1):
        if not line.strip():
            continue
        where = f"{file.path}, line {number}"
        try:
            document = file.parsed(line)
        except orjson.JSONDecodeError as error:
            if not is_first:
                raise Malformed(f"{where}: it is not JSON: {error}") from error
            yield from _converted(f"{file.path}", _of_many_lines(file, line, where))
            return
        yield from _converted(where, document)
        is_first = False


def _of_many_lines(file: _File, line: bytes, where: str) -> Any:
    """The one document of which `line` is the first."""
    rest = file.rest()
    try:
        return file.parsed(line + rest)
    except orjson.JSONDecodeError as error:
        raise Malformed(f"{where if rest.strip() else file.path}: it is not JSON: {error}") from error


def _converted(where: str, document: Any) -> Iterator[Part]:
    for one in document if isinstance(document, list) else [document]:
        signals = [(key, signal) for key, signal in _SIGNALS.items() if isinstance(one, dict) and key in one]
        if not signals:
            raise Malformed(f"{where}: it has none of resourceSpans, resourceLogs and resourceMetrics")
        for key, signal in signals:
            converted = to_protobuf(signal, orjson.dumps({key: one[key]}), _ANY_NUMBER)
            yield Part(signal, converted.body, converted.refused, tuple(converted.reasons))


def _protobuf(file: _File) -> Iterator[Part]:
    for body in _messages(file):
        try:
            yield Part(_signal(body), body)
        except BrokenWire as error:
            raise Malformed(f"{file.path}: it is neither JSON nor OTLP in protobuf: {error}") from error


def _in_portions(path: Path, part: Part, limits: Limits) -> Iterator[Part]:
    """What could not be read is told with the first."""
    try:
        for number, body in enumerate(portions(part.body, limits)):
            yield replace(part, body=body) if number == 0 else Part(part.signal, body)
    except BrokenWire as error:
        raise Malformed(f"{path}: it is neither JSON nor OTLP in protobuf: {error}") from error


def _messages(file: _File) -> Iterator[bytes]:
    """The messages of a file: several where lengths stand before them, else one."""
    begins = file.stream.peek(1)[:1]
    if not begins or begins >= _PROTOBUF_BEGINS:
        yield file.rest()
        return
    while file.stream.peek(1):
        (size_bytes,) = _LENGTH.unpack(file.exactly(_LENGTH.size))
        yield file.exactly(size_bytes)


def _signal(body: bytes) -> Signal:
    """Spans or log records? A span begins with its trace id."""
    for record in _records(body):
        return _signal_of(record)
    return Signal.TRACES


def _signal_of(record: memoryview) -> Signal:
    starts_with_id = any(number == 1 and len(content) == _TRACE_ID_BYTES for number, content in fields(record))
    return Signal.TRACES if starts_with_id else Signal.LOGS
