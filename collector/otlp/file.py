"""Reads OTLP from files of any origin; the format is recognised by the content, not by the name.

The formats are protobuf (an Export*ServiceRequest, or several with their lengths before them, as the Collector's file
exporter writes them), JSON and JSON lines; any of them may be gzipped. One document is held in memory at a time, and
split into portions that a server accepts.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

import orjson

from ..errors import Malformed, TooLarge
from ..spans.values import load_json
from .flat_records import as_request, is_flat
from .json import convert, count_objects
from .limits import MOST_MESSAGES, RequestLimits
from .portions import portions
from .signal import Signal
from .wire import BrokenWire, fields

__all__ = ["Part", "count", "read", "trace_ids"]

_GZIP = b"\x1f\x8b"
_DOCUMENT_BYTES = 64 * 2**20
"""The limit of a decompressed document. A document that is not compressed may be as large as its file."""
_LENGTH = struct.Struct(">I")
_PROTOBUF_BEGINS = b"\x0a"
"""The tag of the first field. As the first byte of a length it would mean 160 MiB or more."""
_ANY_NUMBER = RequestLimits(records=MOST_MESSAGES)
_USUAL = RequestLimits()
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
    """One export request of a file, as protobuf, with the number of records that could not be read, and why."""

    signal: Signal
    body: bytes
    refused: int = 0
    reasons: tuple[str, ...] = ()


def read(path: Path, limits: RequestLimits = _USUAL) -> Iterator[Part]:
    """Yield the export requests of a file, in order and within `limits`.

    Raises Malformed, which names file and line, TooLarge and OSError.
    """
    with _open_file(path) as file:
        requests = _read_json(file) if file.begins_as_json() else _read_protobuf(file)
        for part in requests:
            yield from _split_part(path, part, limits)


def count(part: Part) -> int:
    """Return the number of records in an export request."""
    return sum(1 for _ in _read_records(part.body))


def trace_ids(part: Part) -> set[str]:
    """Return the ids of the traces in an export request, in hex."""
    trace_ids_of_records = (
        _find_trace_id(record, _TRACE_ID_FIELDS.get(part.signal)) for record in _read_records(part.body)
    )
    return {trace_id for trace_id in trace_ids_of_records if trace_id}


def _find_trace_id(record: memoryview, where: int | None) -> str | None:
    try:
        return next((bytes(content).hex() for number, content in fields(record) if number == where), None)
    except BrokenWire:
        return None  # a receiver refuses this record alone


def _read_records(body: bytes) -> Iterator[memoryview]:
    """Yield the records. Down to them, requests of all signals have the same field numbers."""
    for _, resource_part in fields(body):
        for level, scope_part in fields(resource_part):
            if level == 2:
                yield from (record for number, record in fields(scope_part) if number == 2)


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it is after decompression. At most `most_bytes` are read at once."""

    path: Path
    stream: BufferedReader
    most_bytes: int

    def begins_as_json(self) -> bool:
        while (piece := self.stream.peek(1)) and not piece.strip():
            self.stream.read(len(piece))
        self.stream.seek(0)
        return piece.lstrip()[:1] in {b"{", b"["}

    def line(self) -> bytes:
        """Return the next line; b"" at the end. Raises TooLarge."""
        return self._check_size(self.stream.readline(self.most_bytes + 1))

    def rest(self) -> bytes:
        return self._check_size(self.stream.read(self.most_bytes + 1))

    def exactly(self, size_bytes: int) -> bytes:
        """Return the next `size_bytes` bytes.

        Raises Malformed if there are fewer, or more are announced than `most_bytes`.
        """
        content = self.stream.read(size_bytes) if 0 < size_bytes <= self.most_bytes else b""
        if len(content) != size_bytes or not content:
            raise Malformed(
                f"{self.path}: it is neither JSON nor OTLP in protobuf, or cut off: a message of {size_bytes} bytes is "
                f"announced, and {len(content)} are there"
            )
        return content

    def parsed(self, content: bytes) -> Any:
        """Parse a JSON document. Raises orjson.JSONDecodeError, and TooLarge for too many objects."""
        if count_objects(content) > max(MOST_MESSAGES, self.path.stat().st_size):
            raise self._make_too_large()
        return load_json(content)

    def _check_size(self, content: bytes) -> bytes:
        if len(content) > self.most_bytes:
            raise self._make_too_large()
        return content

    def _make_too_large(self) -> TooLarge:
        return TooLarge(
            f"{self.path}: decompressed, one of its documents takes more than {self.most_bytes} bytes or "
            f"{MOST_MESSAGES} objects: decompress it first, or write one request a line"
        )


@contextmanager
def _open_file(path: Path) -> Iterator[_File]:
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


def _read_json(file: _File) -> Iterator[Part]:
    """Yield the parts of one document, or of one per line."""
    number = 0
    is_lines = False
    while line := file.line():
        number += 1
        if not line.strip():
            continue
        where = f"line {number}"
        try:
            parts = _convert_document(where, file.parsed(line))
        except orjson.JSONDecodeError as error:
            parts = _refuse(f"{where}: it is not JSON: {error}") if is_lines else _convert_rest(file, line, error)
        except Malformed as error:
            if not is_lines:
                raise Malformed(f"{file.path}, {error}") from error
            parts = _refuse(str(error))
        del line  # before its parts are stored, which takes memory of its own
        is_lines = True
        while parts:
            yield parts.popleft()


def _convert_rest(file: _File, line: bytes, error: orjson.JSONDecodeError) -> deque[Part]:
    """Return the parts of the document whose first line is `line`; or of the lines of which that one is broken."""
    rest = file.rest()
    try:
        return _convert_document(str(file.path), file.parsed(line + rest))
    except orjson.JSONDecodeError:
        parts = _refuse(f"line 1: it is not JSON: {error}")
    converted = deque[Part]()
    for number, later in enumerate(rest.splitlines(), start=2):
        if not later.strip():
            continue
        try:
            converted += _convert_document(f"line {number}", file.parsed(later))
        except orjson.JSONDecodeError as fault:
            parts += _refuse(f"line {number}: it is not JSON: {fault}")
        except Malformed as fault:
            parts += _refuse(str(fault))
    if not converted:
        raise Malformed(f"{file.path}, line 1: it is not JSON: {error}") from error
    return parts + converted


def _refuse(reason: str) -> deque[Part]:
    """Return a part without records, which says what could not be read."""
    return deque([Part(Signal.TRACES, b"", refused=1, reasons=(reason,))])


def _convert_document(where: str, document: Any) -> deque[Part]:
    """Return the parts of a parsed document, all at once, so that nobody holds the document any more."""
    parts = deque[Part]()
    for item in document if isinstance(document, list) else [document]:
        request = as_request(item) if is_flat(item) else item
        if request is None:
            continue
        signals = [(key, signal) for key, signal in _SIGNALS.items() if isinstance(request, dict) and key in request]
        if not signals:
            raise Malformed(f"{where}: it has none of resourceSpans, resourceLogs and resourceMetrics")
        for key, signal in signals:
            converted = convert(signal, {key: request[key]}, _ANY_NUMBER)
            parts.append(Part(signal, converted.body, converted.refused, tuple(converted.reasons)))
    return parts


def _read_protobuf(file: _File) -> Iterator[Part]:
    for body in _read_messages(file):
        try:
            yield Part(_detect_signal(body), body)
        except BrokenWire as error:
            raise Malformed(f"{file.path}: it is neither JSON nor OTLP in protobuf: {error}") from error


def _split_part(path: Path, part: Part, limits: RequestLimits) -> Iterator[Part]:
    """Split a part into portions; the first of them has the records that could not be read."""
    try:
        for number, body in enumerate(portions(part.body, limits)):
            yield replace(part, body=body) if number == 0 else Part(part.signal, body)
    except BrokenWire as error:
        raise Malformed(f"{path}: it is neither JSON nor OTLP in protobuf: {error}") from error


def _read_messages(file: _File) -> Iterator[bytes]:
    """Yield the messages of a file: several if lengths precede them, else one."""
    begins = file.stream.peek(1)[:1]
    if not begins or begins >= _PROTOBUF_BEGINS:
        yield file.rest()
        return
    while file.stream.peek(1):
        (size_bytes,) = _LENGTH.unpack(file.exactly(_LENGTH.size))
        yield file.exactly(size_bytes)


def _detect_signal(body: bytes) -> Signal:
    """Distinguish spans from log records: a span begins with its trace id."""
    for record in _read_records(body):
        return _detect_record_signal(record)
    return Signal.TRACES


def _detect_record_signal(record: memoryview) -> Signal:
    starts_with_id = any(number == 1 and len(content) == _TRACE_ID_BYTES for number, content in fields(record))
    return Signal.TRACES if starts_with_id else Signal.LOGS
