"""Reads definitions of tools in the forms of different providers.

A definition is `{name, description, parameters | input_schema | inputSchema}`, OpenAI's `{type, function: {…}}`, an
element of MCP's `tools/list` (or the whole reply, `{result: {tools: […]}}`), of Gemini's `functionDeclarations`, or of
Bedrock's `toolConfig`, `{toolSpec: {…, inputSchema: {json: …}}}`. Tools that the provider runs itself are left
out: users cannot change their schemas. Sources: the API references of OpenAI, Anthropic, Gemini and Bedrock.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from ..model import JsonObject, ToolDefinition
from ..text.json_kind import json_kind
from .openapi import with_small_types
from .spelling import NAMES, SCHEMAS, Unreadable, entries, first, record

__all__ = ["tool_definitions"]

_WRAPPERS: Final = ("function", "toolSpec")
_AROUND: Final = ("result", "toolConfig", "tools")
_DECLARED: Final = ("functionDeclarations", "function_declarations")
_OF_USERS: Final = frozenset({"function", "custom", "tool"})
_JSON_TYPES: Final = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_UNNAMED: Final = frozenset(
    {
        "cachePoint",
        "codeExecution",
        "code_execution",
        "computerUse",
        "computer_use",
        "googleMaps",
        "google_maps",
        "googleSearch",
        "google_search",
        "googleSearchRetrieval",
        "google_search_retrieval",
        "systemTool",
        "urlContext",
        "url_context",
    }
)
"""The keys under which Gemini and Bedrock list tools that are not functions."""


def tool_definitions(value: object, *, place: str = "tools") -> tuple[ToolDefinition, ...]:
    """Return the definitions of a list in order. A missing schema is not recorded, which is different from empty.

    Raises ValueError that names `place` and the index of an item that is not a definition.
    """
    for key in _AROUND:
        if isinstance(value, dict) and key in value:
            value, place = value[key], f"{place}.{key}"
    if isinstance(value, dict) and any(key in value for key in _DECLARED):
        return tuple(_declared(value, place))
    definitions: list[ToolDefinition] = []
    for index, item in enumerate(entries(value, place)):
        at = f"{place}[{index}]"
        if isinstance(item, dict) and any(key in item for key in _DECLARED):
            definitions += _declared(item, at)
        elif not _is_run_by_provider(item):
            definitions.append(_definition(item, at))
    return tuple(definitions)


def _declared(item: JsonObject, place: str) -> Iterator[ToolDefinition]:
    """Yield Gemini's declarations, with lower-case types instead of OpenAPI's in capitals."""
    key = next(key for key in _DECLARED if key in item)
    for index, declaration in enumerate(entries(item[key], f"{place}.{key}")):
        tool = _definition(declaration, f"{place}.{key}[{index}]")
        yield tool.model_copy(update={"input_schema": with_small_types(tool.input_schema)})


def _is_run_by_provider(item: object) -> bool:
    if not isinstance(item, dict) or any(key in item for key in _WRAPPERS) or first(item, SCHEMAS) is not None:
        return False
    sort = item.get("type")
    if isinstance(sort, str):
        return sort not in _OF_USERS and sort not in _JSON_TYPES
    return bool(item) and item.keys() <= _UNNAMED


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
        raise Unreadable(f"{place} ({name}): its description is {json_kind(description)}; write text")
    return ToolDefinition(name=name, description=description, input_schema=_schema(item, f"{place} ({name})"))


def _schema(item: JsonObject, place: str) -> JsonObject | None:
    schema_value: Any = first(item, SCHEMAS)
    if isinstance(schema_value, str):
        schema_value = _parsed(schema_value, place)
    if schema_value is None:
        return None
    schema = record(schema_value, f"{place}: its schema")
    return record(schema["json"], f"{place}: its schema") if schema.keys() == {"json"} else schema


def _parsed(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{place}: its schema is text that is not JSON") from error
