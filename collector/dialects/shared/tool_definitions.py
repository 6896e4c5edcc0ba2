"""Reads definitions of tools, in all their spellings."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tracegrade.evaluators.model import ToolDefinition

from ...spans.values import as_object, decode_text
from .parts import first_value, function_of

__all__ = ["read_definitions", "read_requested_definitions", "schema_of"]

_REMEMBERED_CHARACTERS = 65_536
_DEEPEST = 200
"""Deeper than any content: each level of a schema is two of JSON, and an evaluator says which one goes too deep. What
is read must be possible to write again, which orjson does up to 254 levels."""

_TOOL_NAME = re.compile(r"[\w.:/-]{1,128}")


def read_definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    """Read tool definitions in any of their spellings; None when there are none."""
    is_repeated = isinstance(value, str) and len(value) <= _REMEMBERED_CHARACTERS
    return _remembered(value) if is_repeated else _definitions(value)


def read_requested_definitions(request: Any) -> tuple[ToolDefinition, ...] | None:
    """Return the tools in a request that is recorded whole; Mistral's are nowhere else."""
    is_request = isinstance(request, str) and '"tools"' in request
    return read_definitions((as_object(request) or {}).get("tools")) if is_request else None


def schema_of(value: Any) -> dict[str, Any] | None:
    """Return the schema of a tool, if it is an object; None otherwise."""
    return as_object(value, deepest=_DEEPEST)


@lru_cache(maxsize=512)
def _remembered(text: str) -> tuple[ToolDefinition, ...] | None:
    """Read definitions once per text: an agent offers the same tools in every call."""
    return _definitions(text)


def _definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    decoded = decode_text(value, deepest=_DEEPEST)
    if isinstance(decoded, dict):
        decoded = [decoded]
    if not isinstance(decoded, list):
        return None
    candidates = (_definition(decode_text(item, deepest=_DEEPEST)) for item in decoded)
    return tuple(definition for definition in candidates if definition is not None) or None


def _definition(item: Any) -> ToolDefinition | None:
    """Read a definition; some instrumentations record the names of the tools alone."""
    if isinstance(item, str) and _TOOL_NAME.fullmatch(item):
        return ToolDefinition(name=item)
    if not isinstance(item, dict):
        return None
    function = function_of(item)
    name = function.get("name")
    if not isinstance(name, str) or not name:
        return None
    description = function.get("description")
    schema = schema_of(first_value(function, "parameters", "input_schema", "inputSchema", "parameters_json_schema"))
    if schema is not None and isinstance(schema.get("json"), dict):
        schema = schema["json"]
    return ToolDefinition(
        name=name, description=description if isinstance(description, str) else None, input_schema=schema
    )
