"""Adds an attribute to every resource in an export request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from ..errors import Malformed
from .attribute_values import encode_attributes
from .wire import BrokenWire, fields, written

__all__ = ["with_resource_attributes"]

_RESOURCES, _RESOURCE = 1, 1
"""The fields of the request that hold its resources, and of each of these that holds its attributes."""


def with_resource_attributes(body: bytes, values: Mapping[str, str]) -> bytes:
    """Return an export request of any signal, in protobuf, with these attributes on all its resources.

    They replace those of the same keys. Records that cannot be parsed stay as they are. Raises Malformed.
    """
    if not values:
        return body
    added = written(_RESOURCE, Resource(attributes=encode_attributes(values)).SerializeToString())
    try:
        return b"".join(_add(body, added))
    except BrokenWire as error:
        raise Malformed(f"the body is not an OTLP export request in protobuf: {error}") from error


def _add(body: bytes, added: bytes) -> Iterator[bytes]:
    # Parts of a field that is not repeated are one message to any parser, and of attributes with one key the last
    # counts. See https://protobuf.dev/programming-guides/encoding/#last-one-wins.
    for number, content in fields(body):
        yield written(number, bytes(content) + added if number == _RESOURCES else content)
