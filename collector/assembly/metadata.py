"""What the span of a tool call says beside the fields of the call."""

from __future__ import annotations

import re
from typing import Any

import orjson

from tracegrade.evaluators.model import JsonObject, ToolCall

from ..span import Span
from ..step import Step
from ..values import GAPS

__all__ = ["LEFT_OUT", "metadata_of"]

LEFT_OUT = "tracegrade.left_out"
"""The key under which attributes are named that are too large to keep."""

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


def metadata_of(span: Span, step: Step, call: ToolCall) -> JsonObject:
    """The attributes of `span` by key, without those that `step` or a field of `call` was read from, and without what
    describes the tool.

    Of more than 16 KiB the largest values are left out; their keys stand under LEFT_OUT.
    """
    read = step.read_keys
    rest = {
        key: value
        for key, value in span.attributes.items()
        if key not in read and key != GAPS and not _DEFINITION.fullmatch(key) and not _is_in(call, key, value)
    }
    return rest if _size(rest) <= _MOST_BYTES else _bounded(rest)


def _is_in(call: ToolCall, key: str, value: Any) -> bool:
    """Whether a field of the call holds what stands under `key`, in a convention of any name."""
    if _INPUT.fullmatch(key):
        return call.args is not None or call.args_text is not None
    if _OUTPUT.fullmatch(key):
        return call.result is not None or call.error is not None
    if isinstance(value, str) and len(value) >= _LONG:
        return value in {call.id, call.error, call.result}
    return (value == call.name and key.endswith("name")) or (value == call.id and key.endswith("id"))


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
