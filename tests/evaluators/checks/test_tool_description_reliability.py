"""Will a model know from its description and schema how to call the tool?"""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.checks.tool_description_reliability import ToolDescriptionReliability
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.model import JsonObject, Score, ToolDefinition

CHECKS = (
    "has_description",
    "input_arguments_clarity",
    "input_arguments_types",
    "max_num_input_arguments",
    "max_optional_input_arguments",
)
TEXT = {"type": "string", "description": "what to look for"}


def rated(schema: JsonObject | None, description: str | None = "Searches the catalogue.", **options: Any) -> Score:
    tool = ToolDefinition(name="search", description=description, input_schema=schema)
    return ToolDescriptionReliability(**options)(tool)


def with_parameters(*required: str, **parameters: Any) -> JsonObject:
    return {"type": "object", "properties": parameters, "required": list(required)}


def faults(score: Score) -> dict[str, str]:
    return dict(score.details.get("faults", {}))


def test_described_and_typed_parameters_pass_every_check() -> None:
    score = rated(with_parameters("query", query=TEXT, page={"type": "integer", "description": "from 1"}))
    assert score.value == 1
    assert score.details == {"checks": dict.fromkeys(CHECKS, "passed")}


def test_tool_that_takes_nothing_passes_every_check() -> None:
    assert rated(with_parameters()).details == {"checks": dict.fromkeys(CHECKS, "passed")}


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"title": "Search"}], ids=["empty", "bare", "a title"])
def test_schema_that_says_nothing_makes_the_score_partial(schema: JsonObject) -> None:
    score = rated(schema)
    assert (score.value, score.details["partial"]) == (1, True)
    assert score.details["checks"] == {"has_description": "passed"} | dict.fromkeys(CHECKS[1:], "skipped")
    assert set(score.details["skipped"].values()) == {"the schema says nothing of its parameters"}
    assert "its parameters are not rated: the schema says nothing of its parameters" in str(score.explanation)


def test_neither_a_description_nor_a_schema_that_says_something_is_skipped() -> None:
    assert rated({}, None).status == "skipped"


def test_schema_that_was_not_recorded_skips_the_checks_of_parameters() -> None:
    score = rated(None)
    assert score.value == 1
    assert score.details["checks"] == {"has_description": "passed"} | dict.fromkeys(CHECKS[1:], "skipped")
    assert set(score.details["skipped"].values()) == {"the schema was not recorded"}


@pytest.mark.parametrize("schema", [{"$ref": "#/$defs/Query"}, {"allOf": [{"properties": {"query": TEXT}}]}])
def test_parameters_that_stand_elsewhere_in_the_schema_are_not_judged(schema: JsonObject) -> None:
    assert rated(schema).details["checks"]["input_arguments_clarity"] == "skipped"


@pytest.mark.parametrize("blank", ["", " \n"])
def test_blank_description_fails_where_an_unrecorded_one_is_skipped(blank: str) -> None:
    assert faults(rated({}, blank)) == {"has_description": "it has no description"}
    assert rated(with_parameters(), None).details["checks"]["has_description"] == "skipped"


def test_tool_of_which_only_the_name_was_recorded_is_skipped() -> None:
    score = rated(None, None)
    assert (score.status, score.value) == ("skipped", None)
    assert score.reason == "the description was not recorded; the schema was not recorded"


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param({"type": "string"}, id="missing"),
        pytest.param({"type": "string", "description": " "}, id="blank"),
        pytest.param({"type": "string", "description": None}, id="null"),
    ],
)
def test_parameter_without_a_description_is_named(rule: object) -> None:
    score = rated(with_parameters("query", "page", query=TEXT, page=rule))
    assert faults(score) == {"input_arguments_clarity": "no description: page"}
    assert score.value == 0.8


@pytest.mark.parametrize(
    "rule",
    [
        {"type": ["string", "null"]},
        {"$ref": "#/$defs/Page"},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "string"}]},
        {"allOf": [{"$ref": "#/$defs/Page"}]},
        {"enum": ["first", "last"]},
        {"const": "first"},
    ],
    ids=lambda rule: next(iter(rule)),
)
def test_whatever_says_what_a_parameter_takes_is_a_type(rule: JsonObject) -> None:
    assert rated(with_parameters("page", page=rule | {"description": "which page"})).value == 1


def test_parameter_that_takes_anything_has_no_type() -> None:
    assert faults(rated(with_parameters("page", page={"description": "which page"}))) == {
        "input_arguments_types": "no type: page"
    }
    assert set(faults(rated(with_parameters("page", page=True)))) == {
        "input_arguments_clarity",
        "input_arguments_types",
    }


def test_too_many_parameters_are_counted() -> None:
    six = {f"p{number}": TEXT for number in range(6)}
    assert faults(rated(with_parameters(*six, **six))) == {
        "max_num_input_arguments": "6 parameters, at most 5 are easy to fill in"
    }
    assert rated(with_parameters(*six, **six), max_input_args=6).value == 1


def test_too_many_optional_parameters_are_counted() -> None:
    four = {f"p{number}": TEXT for number in range(4)}
    assert faults(rated(with_parameters("p0", **four), max_optional_args=2)) == {
        "max_optional_input_arguments": "3 optional parameters, at most 2 are easy to fill in"
    }
    assert rated(with_parameters("p0", **four)).value == 1


def test_a_parameter_required_twice_or_not_declared_excuses_no_other() -> None:
    four = {f"p{number}": TEXT for number in range(4)}
    assert set(faults(rated(with_parameters("elsewhere", "elsewhere", **four)))) == {"max_optional_input_arguments"}
    assert set(faults(rated(with_parameters("p0", "p0", **four), max_optional_args=2))) == {
        "max_optional_input_arguments"
    }


@pytest.mark.parametrize("required", [True, "p0", [["p0"], {}, None]], ids=["flag", "text", "no names"])
def test_schema_that_is_broken_is_judged_by_what_it_says(required: object) -> None:
    assert rated({"properties": {"p0": TEXT}, "required": required}).value == 1


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(WrongOptions, match="max_input_args"):
        configure("tool_description_reliability", options={"max_input_args": -1})


def test_judge_is_not_asked_about_parameters_of_which_the_schema_says_nothing() -> None:
    tool = ToolDefinition(name="search", description="Searches the catalogue.", input_schema={})
    [question] = next(ToolDescriptionReliability().ask(tool))
    asked_for = question.form["properties"].keys() if question.form else set()
    assert "general_structure" in asked_for
    assert asked_for.isdisjoint({"input_arguments_enum", "input_arguments_format"})
