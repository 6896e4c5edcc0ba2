"""Reads the records in the body of an export request, with the resource and scope that they come from.

A request that would grow beyond its limits is refused before it is parsed. If it cannot be parsed as a whole, its
records are parsed one by one, so that an unreadable record does not affect the others. Source:
https://github.com/open-telemetry/opentelemetry-proto (collector)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Any, TypeAlias, cast

import orjson
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ..errors import Malformed
from ..spans.values import GAPS, as_text, attributes
from .attribute_values import encode_attributes
from .limits import MOST_MESSAGES, RequestLimits
from .wire import SHORTEST_BYTES, BrokenWire, count, fields, highest_count, nested_in, with_valid_text

__all__ = ["LOGS", "TRACES", "Layout", "Origin", "records"]

_Fields: TypeAlias = Sequence[tuple[int, memoryview]]
_Group: TypeAlias = tuple[Iterable[Any], "Origin"]

_LEVELS = 3
"""Resources, their scopes, and the records of these."""

_UNREADABLE = "is not valid protobuf, or its values are nested too deep"
_INVALID_TEXT = "invalid_utf8"
"""The gap of a record in which characters were replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The names of the three levels in the export requests of a signal."""

    request: type[Message]
    record: type[Message]
    resources: Callable[[Any], Sequence[Any]]
    scopes: Callable[[Any], Sequence[Any]]
    records: Callable[[Any], Sequence[Any]]


TRACES = Layout(
    request=ExportTraceServiceRequest,
    record=Span,
    resources=attrgetter("resource_spans"),
    scopes=attrgetter("scope_spans"),
    records=attrgetter("spans"),
)
LOGS = Layout(
    request=ExportLogsServiceRequest,
    record=LogRecord,
    resources=attrgetter("resource_logs"),
    scopes=attrgetter("scope_logs"),
    records=attrgetter("log_records"),
)
_DESCRIPTORS = {layout.request: cast("Descriptor", layout.request.DESCRIPTOR) for layout in (TRACES, LOGS)}
_EVERYTHING = {request: nested_in(descriptor) for request, descriptor in _DESCRIPTORS.items()}
_OUTER = {request: nested_in(descriptor, depth=_LEVELS) for request, descriptor in _DESCRIPTORS.items()}


@dataclass(frozen=True, slots=True)
class Origin:
    """The values that the records of one resource and scope have in common, computed once."""

    service_name: str | None
    service_version: str | None
    environment: str | None
    resource: str
    scope_name: str | None = None
    scope_version: str | None = None

    @property
    def size_bytes(self) -> int:
        """The bytes that it adds to each row."""
        texts = (self.service_name, self.service_version, self.environment, self.scope_name, self.scope_version)
        return len(self.resource.encode()) + sum(len(text.encode()) for text in texts if text)


def records(body: bytes, layout: Layout, limits: RequestLimits, refused: Counter[str]) -> Iterator[_Group]:
    """Yield the records of a request by their origins, and count in `refused` why some cannot be read.

    Raises Malformed and TooLarge, both before the first record.
    """
    if len(body) >= SHORTEST_BYTES * MOST_MESSAGES:  # a smaller body cannot hold as many, and takes 200 MB at most
        _check_records(body, layout, limits)
        _check_messages(body, layout, limits)
    try:
        return _group_records(layout.request.FromString(body), layout, limits)
    except DecodeError as error:
        _check_records(body, layout, limits)
        return _salvage_records(body, layout, limits, refused, error)


def _check_records(body: bytes, layout: Layout, limits: RequestLimits) -> None:
    """Raise TooLarge if there are too many records on the wire.

    The three levels hold at most three messages per record, even if no record shares a scope.
    """
    most = _LEVELS * limits.records
    if (records_on_wire := count(body, _OUTER[layout.request], limit=most)) > most:
        limits.check_records(records_on_wire)


def _check_messages(body: bytes, layout: Layout, limits: RequestLimits) -> None:
    nested = _EVERYTHING[layout.request]
    if highest_count(body, nested) > MOST_MESSAGES:
        limits.check_messages(count(body, nested, limit=MOST_MESSAGES))


def _group_records(request: Any, layout: Layout, limits: RequestLimits) -> Iterator[_Group]:
    resources = layout.resources(request)
    limits.check_records(len(resources))  # empty ones too: each takes as long as a record
    limits.check_records(sum(len(layout.scopes(resource)) for resource in resources))
    limits.check_records(sum(len(layout.records(scope)) for resource in resources for scope in layout.scopes(resource)))
    for resource_part in resources:
        base: Origin | None = None
        for scope_part in layout.scopes(resource_part):
            if in_scope := layout.records(scope_part):
                base = base or _make_origin(resource_part.resource)
                yield in_scope, _add_scope(base, scope_part.scope)


def _salvage_records(
    body: bytes, layout: Layout, limits: RequestLimits, refused: Counter[str], cause: DecodeError
) -> Iterator[_Group]:
    """Parse each record alone, in a request that cannot be parsed as a whole."""
    try:
        parts = list(islice(_split_records(body), limits.records + 1))
    except (BrokenWire, DecodeError) as error:
        raise Malformed(f"the body is not an OTLP export request in protobuf: {cause}") from error
    limits.check_records(len(parts))
    for part, origin in parts:
        if origin is None:
            refused[f"its resource or scope {_UNREADABLE}"] += 1
            continue
        try:
            yield (_parse_record(part, layout),), origin
        except (BrokenWire, DecodeError):
            refused[f"it {_UNREADABLE}"] += 1


def _parse_record(part: memoryview, layout: Layout) -> Message:
    """Parse a record; of one with invalid UTF-8 in its texts only these characters are lost, and a gap says so."""
    try:
        return layout.record.FromString(bytes(part))
    except DecodeError:
        record = _repair(part, layout.record)
    record.attributes.append(encode_attributes({GAPS: [*_list_gaps(record), _INVALID_TEXT]})[0])
    return cast("Message", record)


def _list_gaps(record: Any) -> list[str]:
    stated = attributes(pair for pair in record.attributes if pair.key == GAPS).get(GAPS)
    return [gap for gap in stated if isinstance(gap, str)] if isinstance(stated, list) else []


def _repair(part: bytes | memoryview, type_: type[Message]) -> Any:
    return type_.FromString(with_valid_text(part, cast("Descriptor", type_.DESCRIPTOR)))


def _split_records(body: bytes) -> Iterator[tuple[memoryview, Origin | None]]:
    """Split a request into encoded records, with None for an origin that cannot be read.

    On each level, field 1 is the common part, and field 2 has the parts that share it.
    """
    for number, resource_part in fields(body):
        if number != 1:
            continue
        parts = list(fields(resource_part))
        for scope_part in (part for number, part in parts if number == 2):
            inner = list(fields(scope_part))
            if in_scope := [part for number, part in inner if number == 2]:
                origin = _read_origin(parts, inner)
                yield from ((part, origin) for part in in_scope)


def _read_origin(resource_part: _Fields, scope_part: _Fields) -> Origin | None:
    try:
        return _add_scope(
            _make_origin(_parse_common(resource_part, Resource)), _parse_common(scope_part, InstrumentationScope)
        )
    except (BrokenWire, DecodeError):
        return None


def _parse_common(parts: _Fields, type_: type[Message]) -> Any:
    return _repair(b"".join(bytes(part) for number, part in parts if number == 1), type_)


def _make_origin(resource: Resource) -> Origin:
    values = attributes(resource.attributes)
    return Origin(
        service_name=as_text(values.get("service.name")),
        service_version=as_text(values.get("service.version")),
        environment=as_text(values.get("deployment.environment.name") or values.get("deployment.environment")),
        resource=orjson.dumps(values).decode(),
    )


def _add_scope(base: Origin, scope: InstrumentationScope) -> Origin:
    return replace(base, scope_name=scope.name or None, scope_version=scope.version or None)
