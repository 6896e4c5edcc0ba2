"""What the span of a tool call says beside the fields of the call."""

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

__all__ = ["LEFT_OUT", "metadata_of"]

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
"""How conventions call the attributes that hold all that went into a tool, or came out of it."""

_DEFINITION = re.compile(r"(?:.*\.)?tool\.(?:description|parameters|json_schema|schema)")
"""How they call what describes the tool, whichever call it is."""

_LONG = 16
"""A text of this length does not stand in two places by accident."""


def metadata_of(span: Span, step: Step, fields: Mapping[str, Any]) -> JsonObject:
    """The attributes of `span` by key, without those that `step` or one of the `fields` of the call was read from, and
    without what describes the tool.

    Of more than 16 KiB the largest values are left out; their keys stand under LEFT_OUT.
    """
    attributes = span.attributes
    rest = {
        key: attributes[key]
        for key, holds in _unread(step.read_keys, span.shape)
        if not _is_in(fields, key, attributes[key], holds)
    }
    return rest if not rest or _size(rest) <= _MOST_BYTES else _bounded(rest)


def _unread(read_keys: Shape, shape: Shape) -> tuple[tuple[str, Holds], ...]:
    """The keys that no table read, with what they hold: spans of one kind mostly have the same."""
    return _remembered(read_keys, shape) if len(shape) <= _REMEMBERED_KEYS else _sorted(read_keys, shape)


def _sorted(read_keys: Shape, shape: Shape) -> tuple[tuple[str, Holds], ...]:
    read = {*read_keys, GAPS}
    return tuple((key, _held_by(key)) for key in shape if key not in read and not _DEFINITION.fullmatch(key))


_remembered = lru_cache(maxsize=1024)(_sorted)


def _held_by(key: str) -> Holds:
    if _INPUT.fullmatch(key):
        return "input"
    return "output" if _OUTPUT.fullmatch(key) else None


def _is_in(fields: Mapping[str, Any], key: str, value: Any, holds: Holds) -> bool:
    """Whether a field of the call has what stands under `key`, in a convention of any name."""
    if holds == "input":
        return fields["args"] is not None or fields["args_text"] is not None
    if holds == "output":
        return fields["result"] is not None or fields["error"] is not None
    if not isinstance(value, str):
        return False
    if len(value) >= _LONG and value in {fields["error"], fields["result"]}:
        return True
    return (value == fields["name"] and key.endswith("name")) or (value == fields["id"] and key.endswith("id"))


def _bounded(rest: JsonObject) -> JsonObject:
    kept: JsonObject = {}
    left_out: list[str] = []
    room = _MOST_BYTES
    for key in sorted(rest, key=lambda key: (_size(rest[key]), key)):
        size = _size({key: rest[key]})
        if size <= room:
            kept[key] = rest[key]
            room -= size
        else:
            left_out.append(key[:200])
    return {**kept, LEFT_OUT: sorted(left_out)[:_MOST_NAMED]}


def _size(value: Any) -> int:
    return len(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str))
