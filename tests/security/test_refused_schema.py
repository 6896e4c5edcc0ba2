"""The definition of a tool that is not safe to apply makes no score, and the reason says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.evaluators.checks.tool_call_validity import ToolCallValidity
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall, ToolDefinition

CITY = {"type": "object", "properties": {"to": {"type": "string"}}}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"to": schema}}
    return schema


def doubling(levels: int) -> dict[str, Any]:
    steps = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {**CITY, "$defs": {**steps, f"d{levels}": {"type": "object"}}, "$ref": "#/$defs/d0"}


def check_schema(schema: Any) -> Score:
    """The score of a run whose agent recorded a tool with this schema, as text, and called it once."""
    offered = json.dumps([{"name": "search", "description": "Finds flights", "parameters": schema}])
    [run] = assemble(
        [
            agent_spans.agent(1, attributes={"gen_ai.tool.definitions": offered}),
            agent_spans.tool(2, parent=1, args={"to": "Paris"}, result="AF007", call_id="call_1"),
        ],
        [],
    )
    return ToolCallValidity()(run)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        pytest.param(
            nested(80), "search: its schema is nested deeper than 64 levels", id="deeper than a validator goes"
        ),
        pytest.param(nested(200), "which tools were offered (unreadable_content)", id="deeper than anything is read"),
        pytest.param(doubling(40), "search: its schema is nested deeper", id="references that double"),
        pytest.param({"$ref": "https://example.com/x"}, "other documents are never fetched", id="another document"),
        pytest.param({**CITY, "description": "x" * 200_000}, "its schema is larger than 128 KB", id="too large"),
        pytest.param({"type": "thing"}, "its schema is not a valid JSON Schema", id="broken"),
        pytest.param(["to"], "the schema of the tool was not recorded, or is not a JSON object", id="a list"),
        pytest.param("{", "the schema of the tool was not recorded, or is not a JSON object", id="cut off"),
    ],
)
def test_reason_says_that_the_schema_was_refused(schema: Any, reason: str) -> None:
    score = check_schema(schema)
    assert score.value is None
    assert reason in (score.reason or "")


def test_schema_as_deep_as_a_validator_goes_is_applied() -> None:
    assert check_schema(nested(50)).explanation == '1 of 1 call invalid: search: to: the value is not of type "object"'


def test_reason_names_the_refused_schema_though_another_call_comes_first() -> None:
    calls = (ToolCall(name="refund", args={}), ToolCall(name="search", args={"to": "Paris"}))
    offered = (ToolDefinition(name="refund"), ToolDefinition(name="search", input_schema={"$ref": "file:///etc"}))
    score = ToolCallValidity()(AgentTrace(tool_calls=calls, tool_definitions=offered))
    assert "search: its schema refers to 'file:///etc'" in (score.reason or "")
