from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import ToolDefinition

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
CAPITALS = {"type": "OBJECT", "properties": {"q": {"type": "STRING"}}}
SEARCH = ToolDefinition(name="search", description="Finds things", input_schema=SCHEMA)
NAMED = {"name": "search", "description": "Finds things"}


@pytest.mark.parametrize(
    "written",
    [
        pytest.param([{**NAMED, "parameters": SCHEMA}], id="parameters"),
        pytest.param([{**NAMED, "input_schema": SCHEMA}], id="Anthropic's"),
        pytest.param([{**NAMED, "inputSchema": SCHEMA}], id="an MCP tool"),
        pytest.param({"tools": [{**NAMED, "inputSchema": SCHEMA}]}, id="MCP's tools/list"),
        pytest.param(
            {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{**NAMED, "inputSchema": SCHEMA}]}}, id="MCP's reply"
        ),
        pytest.param({"functionDeclarations": [{**NAMED, "parameters": CAPITALS}]}, id="Gemini's"),
        pytest.param(
            {"tools": [{"function_declarations": [{**NAMED, "parameters": CAPITALS}]}]}, id="Gemini's request"
        ),
        pytest.param(
            {"toolConfig": {"tools": [{"toolSpec": {**NAMED, "inputSchema": {"json": SCHEMA}}}, {"cachePoint": {}}]}},
            id="Bedrock's request",
        ),
        pytest.param([{"type": "function", "function": {**NAMED, "parameters": SCHEMA}}], id="OpenAI's"),
        pytest.param([{"toolSpec": {**NAMED, "inputSchema": {"json": SCHEMA}}}], id="Bedrock's"),
        pytest.param(
            [{**NAMED, "parameters": '{"type": "object", "properties": {"q": {"type": "string"}}}'}], id="JSON text"
        ),
        pytest.param([SEARCH], id="read already"),
    ],
)
def test_a_definition_is_read_in_every_spelling(written: Any) -> None:
    assert tool_definitions(written) == (SEARCH,)


def test_a_schema_that_is_not_given_is_not_the_empty_one() -> None:
    without, empty = tool_definitions([{"name": "a"}, {"name": "a", "parameters": {}}])
    assert (without.input_schema, empty.input_schema) == (None, {})


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"type": "web_search"}, id="OpenAI's"),
        pytest.param({"type": "mcp", "server_label": "x"}, id="OpenAI's MCP"),
        pytest.param({"type": "web_search_20250305", "name": "web_search", "max_uses": 5}, id="Anthropic's"),
        pytest.param({"googleSearch": {}}, id="Gemini's"),
        pytest.param({"systemTool": {"name": "nova_grounding"}}, id="Bedrock's"),
    ],
)
def test_tools_that_the_provider_runs_are_left_out(written: Any) -> None:
    assert tool_definitions([written, {"name": "a"}]) == (ToolDefinition(name="a"),)


def test_order_and_repeats_are_kept() -> None:
    assert [tool.name for tool in tool_definitions([{"name": "b"}, {"name": "a"}, {"name": "b"}])] == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param({"name": "a"}, "tools is an object; write a list", id="no list"),
        pytest.param([{"name": "a"}, 5], r"tools\[1\] is a number", id="no object"),
        pytest.param([{"type": "function"}], r"tools\[0\] has no name", id="no name"),
        pytest.param([{"type": "object", "properties": {}}], r"tools\[0\] has no name", id="schema alone"),
        pytest.param({"functionDeclarations": [{}]}, r"tools.functionDeclarations\[0\] has no name", id="Gemini's"),
        pytest.param([{"function": {"description": "x"}}], r"tools\[0\].function has no name", id="no name inside"),
        pytest.param([{"name": "a", "description": ["x"]}], r"tools\[0\] \(a\): its description is a list", id="list"),
        pytest.param([{"name": "a", "parameters": [1]}], r"tools\[0\] \(a\): its schema is a list", id="schema"),
        pytest.param([{"name": "a", "parameters": "{"}], "text that is not JSON", id="broken JSON"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(written: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        tool_definitions(written)
