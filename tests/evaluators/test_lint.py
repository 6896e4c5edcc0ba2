from __future__ import annotations

from typing import Any

from tracegrade.evaluators.lint import Finding, lint
from tracegrade.evaluators.model import Score, ToolDefinition
from tracegrade.evaluators.registry import Configured, configure

NAMES = configure("tool_name_reliability")


def tool(name: str, **fields: Any) -> ToolDefinition:
    return ToolDefinition(name=name, **fields)


def own(judge: Any) -> Configured:
    return Configured(
        name="own",
        type="own",
        version=1,
        scope="tool",
        threshold=1.0,
        only_with_reference=False,
        judge=judge,
        config_hash="0",
    )


def test_tool_without_faults_has_no_finding() -> None:
    assert lint([tool("search", input_schema={"type": "object"})], [NAMES]) == []


def test_each_failed_check_is_a_finding() -> None:
    (finding,) = lint([tool("GetWeather")], [NAMES])
    assert (finding.tool, finding.check) == ("GetWeather", "snakecase_format")


def test_schema_that_cannot_be_applied_is_a_finding() -> None:
    (finding,) = lint([tool("search", input_schema={"$ref": "https://example.com/s.json"})], [])
    assert finding.check == "usable_schema"
    assert "never fetched" in finding.fault


def test_two_definitions_of_one_name_are_a_finding_and_one_told_twice_is_none() -> None:
    said, otherwise = tool("search"), tool("search", description="Searches.")
    assert [finding.check for finding in lint([said, otherwise, said], [])] == ["one_definition"]
    assert lint([said, said], []) == []


def test_evaluator_of_anybody_finds_by_not_passing_or_by_failing() -> None:
    poor = own(lambda _: Score(value=0.2, explanation="too vague"))
    broken = own(lambda _: 1 / 0)
    assert lint([tool("search")], [poor]) == [Finding("search", "own", "too vague")]
    assert "ZeroDivisionError" in lint([tool("search")], [broken])[0].fault
