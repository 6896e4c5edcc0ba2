"""Tools as they are offered to a model, in the spellings that are in use.

A definition is `{name, description, parameters | input_schema | inputSchema}`, OpenAI's `{type, function: {…}}`, an
element of MCP's `tools/list` (or all of it, `{tools: […]}`), or Bedrock's `{toolSpec: {…, inputSchema: {json: …}}}`.
"""

from __future__ import annotations

import json
from typing import Any, Final

from ..model import JsonObject, ToolDefinition
from .spelling import NAMES, SCHEMAS, Unreadable, entries, first, kind, record

__all__ = ["tool_definitions"]

_WRAPPERS: Final = ("function", "toolSpec")


def tool_definitions(value: object, *, place: str = "tools") -> tuple[ToolDefinition, ...]:
    """The definitions of a list, in its order. A schema that is not given is not recorded, which is not the empty one.

    Raises ValueError with `place` and the index of the definition that is none.
    """
    if isinstance(value, dict) and "tools" in value:
        value, place = value["tools"], f"{place}.tools"
    return tuple(_definition(item, f"{place}[{index}]") for index, item in enumerate(entries(value, place)))


def _definition(value: object, place: str) -> ToolDefinition:
    if isinstance(value, ToolDefinition):
        return value
    item = record(value, place)
    for wrapper in _WRAPPERS:
        if item.get(wrapper) is not None:
            item, place = record(item[wrapper], f"{place}.{wrapper}"), f"{place}.{wrapper}"
    name, description = first(item, NAMES), item.get("description")
    if not isinstance(name, str) or not name.strip():
        raise Unreadable(f"{place} has no name; write one, as text")
    if description is not None and not isinstance(description, str):
        raise Unreadable(f"{place} ({name}): its description is {kind(description)}; write text")
    return ToolDefinition(name=name, description=description, input_schema=_schema(item, f"{place} ({name})"))


def _schema(item: JsonObject, place: str) -> JsonObject | None:
    found: Any = first(item, SCHEMAS)
    if isinstance(found, str):
        found = _parsed(found, place)
    if found is None:
        return None
    schema = record(found, f"{place}: its schema")
    return record(schema["json"], f"{place}: its schema") if schema.keys() == {"json"} else schema


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{place}: its schema is text that is no JSON") from error
