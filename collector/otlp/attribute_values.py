"""Encodes plain Python as attributes of OTLP.

Source: https://github.com/open-telemetry/opentelemetry-proto (common/v1)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

__all__ = ["encode_attributes", "encode_text", "encode_value"]

_INT64_MAX = 2**63 - 1


def encode_attributes(values: Mapping[str, Any]) -> list[KeyValue]:
    """Return attributes of these values, without those that are None."""
    return [
        KeyValue(key=encode_text(str(key)), value=encode_value(value))
        for key, value in values.items()
        if value is not None
    ]


def encode_value(value: Any) -> AnyValue:  # noqa: PLR0911 - one line a kind
    """Return an AnyValue; an object of a type that OTLP does not have becomes its text."""
    match value:
        case None:
            return AnyValue()
        case str():
            return AnyValue(string_value=encode_text(value))
        case bool():
            return AnyValue(bool_value=value)
        case int() if abs(value) <= _INT64_MAX:
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case Mapping():
            pairs = (KeyValue(key=encode_text(str(key)), value=encode_value(each)) for key, each in value.items())
            return AnyValue(kvlist_value=KeyValueList(values=pairs))
        case list() | tuple():
            return AnyValue(array_value=ArrayValue(values=map(encode_value, value)))
    return AnyValue(string_value=encode_text(str(value)))


def encode_text(text: str) -> str:
    """Return a text that protobuf can hold: half a character, which JSON may have, becomes a question mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
