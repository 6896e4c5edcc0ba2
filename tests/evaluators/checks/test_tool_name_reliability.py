"""Will a model know from its name what the tool does?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.checks.tool_name_reliability import IMPLEMENTATION_DETAILS, ToolNameReliability
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, Score, ToolDefinition

CHECKS = ("snakecase_format", "conciseness", "intent_over_implementation")


def rated(name: str, **options: Any) -> Score:
    return ToolNameReliability(**options)(ToolDefinition(name=name))


def failed(name: str, **options: Any) -> list[str]:
    checks = rated(name, **options).details["checks"]
    return [check for check in CHECKS if checks[check] == "failed"]


@pytest.mark.parametrize("name", ["search", "search_flights", "get_s3_object", "a_b_c_d_e_f_g", "get_withllm", "v2"])
def test_plain_names_pass_every_check(name: str) -> None:
    score = rated(name)
    assert score.value == 1
    assert score.details == {"checks": dict.fromkeys(CHECKS, "passed")}
    assert score.explanation == f"{name}: passed 3 checks"


@pytest.mark.parametrize(
    "name",
    ["searchFlights", "SEARCH", "search-flights", "search flights", "_search", "search_", "a__b", "2fa", "検索", "a\n"],
)
def test_only_lower_case_words_with_one_underscore_between_them_are_snake_case(name: str) -> None:
    assert failed(name) == ["snakecase_format"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("a_b_c_d_e_f_g_h", 8, id="underscores"),
        pytest.param("getUserProfileDataFromMainDatabaseCache", 8, id="humps"),
        pytest.param("get-user-profile-data-from-main-database-cache", 8, id="hyphens"),
        pytest.param("mcp__a_b_c__d_e_f_g", 8, id="a prefix of MCP"),
    ],
)
def test_words_are_counted_in_whatever_case_the_name_is_written(name: str, words: int) -> None:
    assert rated(name).details["faults"]["conciseness"] == f"it has {words} words, at most 7 are concise"
    assert "conciseness" not in failed(name, max_segments=8)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("summarize_with_llm", "with_llm", id="at the end"),
        pytest.param("load_from_s3_bucket", "from_s3", id="in the middle"),
        pytest.param("write_with_gpt5", "with_gpt5", id="any version"),
        pytest.param("write_with_gpt_4o", "with_gpt", id="a version as a word of its own"),
        pytest.param("getDataVIA_API", "via_api", id="in capitals"),
        pytest.param("queryUsingBq", "using_bq", id="in camel case"),
    ],
)
def test_name_that_tells_how_a_tool_works_is_named_with_what_tells_it(name: str, told: str) -> None:
    assert rated(name).details["faults"]["intent_over_implementation"] == f"'{told}' tells how, not what"


@pytest.mark.parametrize("name", ["with_llm", "chat_with_llms", "rewith_llm", "read_from_s3s"])
def test_details_are_whole_words_behind_another_one(name: str) -> None:
    assert failed(name) == []


def test_details_can_be_chosen() -> None:
    assert failed("sort_by_hand", implementation_details=("_by_hand",)) == ["intent_over_implementation"]
    assert failed("summarize_with_llm", implementation_details=()) == []


@pytest.mark.parametrize("detail", ["", "_", "with LLM", "via.api"])
def test_detail_that_no_name_could_hold_is_refused(detail: str) -> None:
    with pytest.raises(WrongOptions, match="implementation_details"):
        configure("tool_name_reliability", options={"implementation_details": [detail]})


def test_failed_checks_are_told_with_their_faults() -> None:
    score = rated("getDataViaApi")
    assert score.value == pytest.approx(1 / 3)
    assert score.explanation == (
        "getDataViaApi: failed 2 of 3 checks: snakecase_format (it is not in snake_case), "
        "intent_over_implementation ('via_api' tells how, not what)"
    )


def test_every_offered_tool_gets_a_score_of_its_own() -> None:
    trace = AgentTrace(tool_definitions=(ToolDefinition(name="search"), ToolDefinition(name="bookHotel")))
    scores = evaluate(configure("tool_name_reliability"), trace)
    assert [(each.value, each.passed) for each in scores] == [(1, True), (pytest.approx(2 / 3), False)]


@given(st.text(min_size=1))
def test_any_name_gets_a_score(name: str) -> None:
    score = rated(name)
    assert score.status == "scored"
    assert set(score.details["checks"]) == set(CHECKS)


@given(st.sampled_from(IMPLEMENTATION_DETAILS), st.sampled_from(["", "_of_orders"]))
def test_every_detail_is_found_behind_a_verb(detail: str, rest: str) -> None:
    assert failed(f"list_{detail.replace('*', '9')}{rest}") == ["intent_over_implementation"]
