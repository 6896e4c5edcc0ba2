"""Converts OTLP/JSON to OTLP protobuf, so that all code after the receivers handles one encoding.

The mapping is proto3's JSON mapping, derived from the message descriptors, with the exceptions that OTLP makes: ids are
hexadecimal, not base64, and unknown fields are ignored. https://protobuf.dev/programming-guides/json/,
https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson
from google.protobuf.descriptor import Descriptor

from ..errors import Malformed
from ..spans.values import load_json
from .json_fields import Field, Fields, Unreadable, fields_of
from .limits import MOST_MESSAGES, RequestLimits
from .services import SERVICES
from .signal import Signal

__all__ = ["Converted", "convert", "count_objects", "to_protobuf"]

_FIELDS: Final = {
    signal: fields_of(cast("Descriptor", service.request.DESCRIPTOR)) for signal, service in SERVICES.items()
}
_RECORD: Final = {
    "opentelemetry.proto.trace.v1.Span": "span",
    "opentelemetry.proto.logs.v1.LogRecord": "log record",
    "opentelemetry.proto.metrics.v1.NumberDataPoint": "data point",
    "opentelemetry.proto.metrics.v1.HistogramDataPoint": "data point",
    "opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint": "data point",
    "opentelemetry.proto.metrics.v1.SummaryDataPoint": "data point",
}
_MAX_DEPTH: Final = 99  # messages below the request; protobuf's own parsers stop one level deeper
_MAX_REASONS: Final = 5
_USUAL: Final = RequestLimits()
_TEXT: Final = re.compile(rb'"[^"]*"?')


@dataclass(frozen=True, slots=True)
class Converted:
    """An export request as protobuf, without the records that could not be read."""

    body: bytes
    refused: int = 0
    reasons: tuple[str, ...] = ()
    """The first reasons, such as "span 3: startTimeUnixNano: not a number", counted from 1 in the order sent."""


def to_protobuf(signal: Signal, body: bytes, limits: RequestLimits = _USUAL) -> Converted:
    """Convert the Export*ServiceRequest in `body` from JSON. Raises Malformed and TooLarge.

    A span, log record or data point that cannot be read is left out and counted. A span whose own id is not hexadecimal
    stays, with an empty id, so that it is treated as the same span in protobuf. Any other unreadable content is
    Malformed; a body that would grow to many times its size is TooLarge.
    """
    limits.check_messages(count_objects(body))
    return convert(signal, _parse(body), limits)


def convert(signal: Signal, document: Any, limits: RequestLimits = _USUAL) -> Converted:
    """Convert an Export*ServiceRequest that is parsed and counted already, as `to_protobuf` does."""
    reader = _Reader(limits)
    request = SERVICES[signal].request()
    try:
        reader.fill(request, document, _FIELDS[signal], depth=0)
    except Unreadable as error:
        raise Malformed(f"the body is not an OTLP {signal} export: {error}") from error
    return Converted(request.SerializeToString(), reader.refused, tuple(reader.reasons))


def _parse(body: bytes) -> Any:
    """Parse JSON. Raises Malformed."""
    try:
        return load_json(body)
    except orjson.JSONDecodeError as error:
        raise Malformed(f"the body is not JSON: {error}") from error


def count_objects(body: bytes) -> int:
    """Count the objects and lists of a JSON document before it is parsed.

    Brackets in its texts are counted too, as long as the sum is within MOST_MESSAGES.
    """
    at_most = body.count(b"{") + body.count(b"[")
    if at_most <= MOST_MESSAGES:
        return at_most
    bare = _TEXT.sub(b"", body.replace(b"\\\\", b"").replace(b'\\"', b""))
    return bare.count(b"{") + bare.count(b"[")


class _Reader:
    """One conversion: fills messages, and records which records had to be left out."""

    def __init__(self, limits: RequestLimits) -> None:
        self.refused = 0
        self.reasons: list[str] = []
        self._limits = limits
        self._records = 0

    def fill(self, message: Any, value: Any, fields: Fields, depth: int) -> None:
        if not isinstance(value, dict):
            raise Unreadable("not an object")
        if depth > _MAX_DEPTH:
            raise Unreadable(f"nested more than {_MAX_DEPTH} messages deep")
        for key, item in value.items():
            if item is None or (field := fields.get(key)) is None:
                continue
            try:
                self._assign(message, item, field, depth)
            except Unreadable as error:
                raise error.below(key) from None

    def _assign(self, message: Any, item: Any, field: Field, depth: int) -> None:
        if field.repeated:
            self._extend(getattr(message, field.name), item, field, depth)
        elif field.scalar:
            setattr(message, field.name, field.scalar(item))
        else:
            part = getattr(message, field.name)
            part.SetInParent()  # an empty object is not an absent one
            self.fill(part, item, field.fields, depth + 1)

    def _extend(self, values: Any, items: Any, field: Field, depth: int) -> None:
        if not isinstance(items, list):
            raise Unreadable("not a list")
        if record := _RECORD.get(field.message):
            self._extend_records(values, items, field, record, depth)
            return
        for position, item in enumerate(items):
            try:
                if field.scalar:
                    values.append(field.scalar(item))
                else:
                    self.fill(values.add(), item, field.fields, depth + 1)
            except Unreadable as error:
                raise error.below(str(position)) from None

    def _extend_records(self, values: Any, items: list[Any], field: Field, record: str, depth: int) -> None:
        self._limits.check_records(self._records + len(items))
        for item in items:
            self._records += 1
            try:
                self.fill(values.add(), item, field.fields, depth + 1)
            except Unreadable as error:
                del values[-1]
                self._refuse(error.below(f"{record} {self._records}"))

    def _refuse(self, error: Unreadable) -> None:
        self.refused += 1
        if self.refused <= _MAX_REASONS:
            self.reasons.append(str(error))
