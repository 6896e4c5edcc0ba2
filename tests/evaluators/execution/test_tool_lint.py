from __future__ import annotations

from typing import Any

import pytest
from tests.support.evaluators import make_evaluator

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.checks.slips import undefined_required
from tracegrade.evaluators.execution.tool_lint import Finding, lint_definitions
from tracegrade.evaluators.model import Score, ToolDefinition

NAMES = configure("tool_name_reliability")


def tool(name: str, **fields: Any) -> ToolDefinition:
    return ToolDefinition(name=name, **fields)


def test_tool_without_faults_has_no_finding() -> None:
    assert lint_definitions([tool("search", input_schema={"type": "object"})], [NAMES]) == []


def test_each_failed_check_is_a_finding() -> None:
    (finding,) = lint_definitions([tool("GetWeather")], [NAMES])
    assert (finding.tool, finding.check) == ("GetWeather", "snakecase_format")


def test_schema_that_cannot_be_applied_is_a_finding() -> None:
    (finding,) = lint_definitions([tool("search", input_schema={"$ref": "https://example.com/s.json"})], [])
    assert finding.check == "usable_schema"
    assert "never fetched" in finding.fault


def test_two_definitions_of_one_name_are_a_finding_and_one_told_twice_is_none() -> None:
    said, otherwise = tool("search"), tool("search", description="Searches.")
    assert [finding.check for finding in lint_definitions([said, otherwise, said], [])] == ["one_definition"]
    assert lint_definitions([said, said], []) == []


def test_evaluator_of_anybody_finds_by_not_passing_or_by_failing() -> None:
    poor = make_evaluator("own", lambda _: Score(value=0.2, explanation="too vague"), scope="tool")
    broken = make_evaluator("own", lambda _: 1 / 0, scope="tool")
    assert lint_definitions([tool("search")], [poor]) == [Finding("search", "own", "too vague")]
    assert "ZeroDivisionError" in lint_definitions([tool("search")], [broken])[0].fault


def test_of_an_evaluator_that_asks_a_judge_only_the_rules_are_applied() -> None:
    judged = build({"use": "tool_name_reliability", "judge": "default"})
    assert judged.kind == "llm"
    assert [finding.check for finding in lint_definitions([tool("GetWeather")], [judged])] == ["snakecase_format"]


def schema_faults(schema: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.check, one.fault) for one in lint_definitions([tool("search", input_schema=schema)], [])]


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        pytest.param({"type": "objekt"}, "'objekt' is not a type (did you mean 'object'?)", id="at the top"),
        pytest.param(
            {"properties": {"q": {"type": "strng"}}}, "properties.q: 'strng' is not a type", id="of a property"
        ),
        pytest.param(
            {"properties": {"q": {"items": {"type": ["string", "nul"]}}}},
            "properties.q.items: 'nul' is not a type (did you mean 'null'?)",
            id="one of several",
        ),
        pytest.param({"anyOf": [{}, {"type": "float"}]}, "anyOf[1]: 'float' is not a type; write string", id="branch"),
    ],
)
def test_word_that_is_no_type_is_a_finding_with_its_place(schema: dict[str, Any], fault: str) -> None:
    ((check, said),) = schema_faults(schema)
    assert (check, said[: len(fault)]) == ("known_types", fault)


def test_required_property_that_nobody_defined_is_a_finding() -> None:
    inner = {"type": "object", "properties": {"city": {}}, "required": ["citty"]}
    assert schema_faults({"type": "object", "properties": {"to": inner}, "required": ["to"]}) == [
        (
            "defined_required",
            "properties.to: 'citty' is required, but no property of that name is defined (did you mean 'city'?)",
        )
    ]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"required": ["q"], "allOf": [{"properties": {"q": {}}}]}, id="in a part"),
        pytest.param(
            {"properties": {"q": {}, "p": {}}, "anyOf": [{"required": ["q"]}, {"required": ["p"]}]}, id="of a part"
        ),
        pytest.param({"required": ["q"], "patternProperties": {"^q": {}}}, id="by a pattern"),
        pytest.param({"properties": {"required": {"type": "string"}, "type": {"type": "string"}}}, id="a name alone"),
    ],
)
def test_required_property_that_is_defined_elsewhere_is_no_finding(schema: dict[str, Any]) -> None:
    assert schema_faults(schema) == []


def test_schema_without_end_is_looked_at_in_part() -> None:
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}, "required": ["b"]}
    assert len(undefined_required(deep)) == 1_000
