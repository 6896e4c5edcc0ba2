"""Adds an attribute to every resource in an export request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from .wire import fields, written

__all__ = ["with_resource_attributes"]

_RESOURCES: Final = 1
_RESOURCE: Final = 1
"""The fields of a request that hold its resources, and of each of these that holds its attributes."""


def with_resource_attributes(body: bytes, values: Mapping[str, str]) -> bytes:
    """Return an export request of any signal, in protobuf, with these attributes on all its resources.

    They replace those of the same keys. Raises BrokenWire.
    """
    resource = Resource()
    for key, value in values.items():
        resource.attributes.add(key=key).value.string_value = value
    return b"".join(_add(body, written(_RESOURCE, resource.SerializeToString())))


def _add(body: bytes, added: bytes) -> Iterator[bytes]:
    # Parts of a field that is not repeated are one message to any parser, and of attributes with one key the last
    # counts. See https://protobuf.dev/programming-guides/encoding/#last-one-wins.
    for number, content in fields(body):
        yield written(number, bytes(content) + added if number == _RESOURCES else content)
