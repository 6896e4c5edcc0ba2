"""The attributes of a tool call's span that are not fields of the call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import orjson

from tracegrade.evaluators.model import JsonObject

from ..spans.span import Shape, Span
from ..spans.step import Step
from ..spans.values import GAPS

__all__ = ["LEFT_OUT", "collect_metadata"]

LEFT_OUT = "tracegrade.left_out"
"""The key under which attributes are named that are too large to keep."""

Holds: TypeAlias = Literal["input", "output"] | None

_REMEMBERED_KEYS = 300
_MOST_BYTES = 16 * 1024
_MOST_NAMED = 50

_INPUT = re.compile(
    r"request|(?:.*[._:])?(?:input|inputs|args|arguments|tool_input|spanInputs)|input\.(?:value|mime_type)"
    r"|gen_ai\.(?:prompt|input\.messages)"
)
_OUTPUT = re.compile(
    r"response|(?:.*[._:])?(?:output|outputs|result|tool_output|spanOutputs)|output\.(?:value|mime_type)"
    r"|gen_ai\.(?:completion|output\.messages)|new_context"
)
"""Names in the conventions of attributes that hold the whole input or output of a tool."""

_DEFINITION = re.compile(r"(?:.*\.)?tool\.(?:description|parameters|json_schema|schema)")
"""Names in the conventions of attributes that describe the tool, whichever call it is."""

_LONG = 16
"""A text of this length is not repeated by accident."""


def collect_metadata(span: Span, step: Step, fields: Mapping[str, Any]) -> JsonObject:
    """Return the attributes of `span` by key, without those that `step` or one of the `fields` of the call was read
    from, and without those that describe the tool.

    Of more than 16 KiB the largest values are left out; their keys are listed under LEFT_OUT.
    """
    attributes = span.attributes
    metadata = {
        key: attributes[key]
        for key, holds in _unread_keys(step.read_keys, span.shape)
        if not _is_repeated(fields, key, attributes[key], holds)
    }
    return metadata if not metadata or _size(metadata) <= _MOST_BYTES else _drop_largest(metadata)


def _unread_keys(read_keys: Shape, shape: Shape) -> tuple[tuple[str, Holds], ...]:
    """Return the keys that no table read, with their direction: spans of one kind mostly have the same keys."""
    return _remembered(read_keys, shape) if len(shape) <= _REMEMBERED_KEYS else _list_unread(read_keys, shape)


def _list_unread(read_keys: Shape, shape: Shape) -> tuple[tuple[str, Holds], ...]:
    read = {*read_keys, GAPS}
    return tuple((key, _direction_of(key)) for key in shape if key not in read and not _DEFINITION.fullmatch(key))


_remembered = lru_cache(maxsize=1024)(_list_unread)


def _direction_of(key: str) -> Holds:
    if _INPUT.fullmatch(key):
        return "input"
    return "output" if _OUTPUT.fullmatch(key) else None


def _is_repeated(fields: Mapping[str, Any], key: str, value: Any, holds: Holds) -> bool:
    """Return whether a field of the call has the value under `key`, whatever the convention calls it."""
    if holds == "input":
        return fields["args"] is not None or fields["args_text"] is not None
    if holds == "output":
        return fields["result"] is not None or fields["error"] is not None
    if not isinstance(value, str):
        return False
    if len(value) >= _LONG and value in {fields["error"], fields["result"]}:
        return True
    return (value == fields["name"] and key.endswith("name")) or (value == fields["id"] and key.endswith("id"))


def _drop_largest(metadata: JsonObject) -> JsonObject:
    small: JsonObject = {}
    left_out: list[str] = []
    room = _MOST_BYTES
    for key in sorted(metadata, key=lambda key: (_size(metadata[key]), key)):
        size = _size({key: metadata[key]})
        if size <= room:
            small[key] = metadata[key]
            room -= size
        else:
            left_out.append(key[:200])
    return {**small, LEFT_OUT: sorted(left_out)[:_MOST_NAMED]}


def _size(value: Any) -> int:
    return len(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str))
