"""Dokimos on the tools that were offered: whether calls fit them, and how they are named and described."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.dokimos.reliability import verdicts
from tracegrade.evaluators.compat.dokimos.tool_description_reliability import ToolDescriptionReliability
from tracegrade.evaluators.compat.dokimos.tool_name_reliability import ToolNameReliability
from tracegrade.evaluators.model import AgentTrace, JsonObject, Reference, Score, ToolCall, ToolDefinition

TEXT = {"type": "string", "description": "x"}
BOOK = ToolDefinition(
    name="book",
    description="Books a room.",
    input_schema={
        "type": "object",
        "properties": {"nights": {"type": "integer"}, "guests": {"type": "array", "items": {"type": "string"}}},
        "required": ["nights"],
    },
)


def evaluate_run(name: str, trace: AgentTrace, **options: Any) -> Score:
    score = configure(f"dokimos:{name}", options=options).function(trace)
    assert isinstance(score, Score)
    return score


def booked(*args: JsonObject | None, tools: tuple[ToolDefinition, ...] | None = (BOOK,), **options: Any) -> Score:
    calls = tuple(ToolCall(name="book", args=each) for each in args)
    return evaluate_run("tool_call_validity", AgentTrace(tool_calls=calls, tool_definitions=tools), **options)


def test_tool_with_a_blank_name_is_refused() -> None:
    trace = AgentTrace(tool_definitions=(ToolDefinition(name=" "),))
    for name in ("tool_call_validity", "tool_name_reliability", "tool_description_reliability"):
        assert evaluate_run(name, trace).reason == "tool 0 has a blank name"


@pytest.mark.parametrize("name", ["tool_call_validity", "tool_name_reliability", "tool_description_reliability"])
def test_without_definitions_nothing_is_judged_not_even_a_run_without_calls(name: str) -> None:
    assert evaluate_run(name, AgentTrace()).reason == "the trace does not record which tools were offered"


@pytest.mark.parametrize("name", ["tool_call_validity", "tool_name_reliability", "tool_description_reliability"])
def test_tools_of_a_reference_stand_in_for_those_that_were_not_recorded(name: str) -> None:
    trace = AgentTrace(tool_calls=(ToolCall(name="book", args={"nights": 1}),), reference=Reference(tools=(BOOK,)))
    assert evaluate_run(name, trace).status == "scored"


def test_one_level_is_checked_only_where_compat_asks_for_it() -> None:
    nested = {"nights": 2, "guests": ["Ann", 7]}
    assert booked(nested, compat=True).value == 1
    assert booked(nested).value == 0


@pytest.mark.parametrize("nights", [2.0, 2**64], ids=["a whole float", "beyond 64 bits"])
def test_integers_are_what_json_schema_says_unless_compat_asks_for_javas(nights: float) -> None:
    assert booked({"nights": nights}).value == 1
    score = booked({"nights": nights}, compat=True)
    assert score.value == 0
    assert score.details["validation_results"] == [
        {"tool_name": "book", "valid": False, "errors": ["nights: the value is not of type 'integer'"]}
    ]


def test_unknown_and_misused_tools_are_invalid() -> None:
    trace = AgentTrace(
        tool_calls=(ToolCall(name="Book", args={}), ToolCall(name="book", args={})), tool_definitions=(BOOK,)
    )
    score = evaluate_run("tool_call_validity", trace)
    assert score.value == 0
    assert score.explanation == "2 of 2 calls invalid: Book: no such tool was offered and 1 more"
    assert booked({"nights": 1}, tools=()).value == 0


def test_strict_mode_closes_the_schema() -> None:
    assert booked({"nights": 1, "pets": 2}).value == 1
    assert booked({"nights": 1, "pets": 2}, strict_mode=True).value == 0
    assert booked({"nights": 1, "pets": 2}, strict_mode=True, compat=True).value == 0


def test_of_two_definitions_with_one_name_the_last_counts() -> None:
    assert booked({}, tools=(BOOK, ToolDefinition(name="book", input_schema={}))).value == 1


def test_run_without_calls_is_valid_where_tools_are_known() -> None:
    assert booked().value == 1


@pytest.mark.parametrize("compat", [True, False])
def test_calls_that_cannot_be_checked_are_left_out(compat: bool) -> None:  # noqa: FBT001
    score = booked({"nights": 1}, None, compat=compat)
    assert score.value == 1
    assert score.details["validation_results"][1]["valid"] is None
    assert score.explanation == "every call is valid (1 could not be checked)"
    reason = booked({}, tools=(ToolDefinition(name="book"),), compat=compat).reason
    assert reason == "no call could be checked: book: the schema of the tool was not recorded"


def test_schema_that_reaches_outside_is_not_applied() -> None:
    tool = ToolDefinition(name="book", input_schema={"$ref": "https://example.com/book.json"})
    assert booked({}, tools=(tool,)).status == "skipped"
    assert booked({}, tools=(tool,), compat=True).value == 1


def test_one_level_gives_up_on_what_it_cannot_compare() -> None:
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    tool = ToolDefinition(name="book", input_schema={"properties": {"v": {"enum": [1]}}})
    assert "nested too deeply" in str(booked({"v": deep}, tools=(tool,), compat=True).reason)


@pytest.mark.parametrize(
    ("name", "fails"),
    [
        pytest.param("search_flights", [], id="plain"),
        pytest.param("searchFlightsByCityAndDateAndPriceAndMore", ["snakecase_format"], id="humps are no segments"),
        pytest.param("a_b_c_d_e_f_g_", ["snakecase_format"], id="nothing behind the last underscore"),
        pytest.param("a__b__c__d__e", ["snakecase_format", "conciseness"], id="empty segments count"),
        pytest.param("load_from_s3_bucket", ["intent_over_implementation"], id="how, in the middle"),
        pytest.param("x_with_gpt4o", ["intent_over_implementation"], id="how, and more"),
        pytest.param("write_with_gpt5", [], id="a version that is not listed"),
        pytest.param("get_VIA_API", ["snakecase_format", "intent_over_implementation"], id="how, in capitals"),
        pytest.param("search\n", ["snakecase_format"], id="a line end"),
    ],
)
def test_one_name(name: str, fails: list[str]) -> None:
    score = evaluate_run("tool_name_reliability", AgentTrace(tool_definitions=(ToolDefinition(name=name),)))
    [result] = score.details["per_tool_results"]
    assert score.value == pytest.approx((3 - len(fails)) / 3)
    assert [check for check, passed in result["checks"].items() if passed is False] == fails
    assert [check for check, passed in result["checks"].items() if passed == "skipped"] == ["clarity", "name_order"]


def test_score_is_the_average_over_the_tools() -> None:
    tools = (ToolDefinition(name="search"), ToolDefinition(name="bookHotel"))
    score = evaluate_run("tool_name_reliability", AgentTrace(tool_definitions=tools))
    assert score.value == pytest.approx(5 / 6)
    assert score.explanation == "1 of 2 tools failed a check: bookHotel (snakecase_format)"


@pytest.mark.parametrize("name", ["tool_name_reliability", "tool_description_reliability"])
def test_no_tools_are_perfect_tools(name: str) -> None:
    assert evaluate_run(name, AgentTrace(tool_definitions=())).value == 1


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        pytest.param('{"clarity": 1, "name_order": 0}', True, id="JSON"),
        pytest.param('Sure! ```json\n{"clarity":\n1}```', True, id="fenced, in prose"),
        pytest.param('{"clarity": 10}', True, id="the first digit"),
        pytest.param('{"clarity": 0, "clarity": 1}', False, id="the first answer"),
        pytest.param('{"clarity": true}', False, id="a boolean"),
        pytest.param('{"clarity": "1"}', False, id="text"),
        pytest.param('{"clarity":\u00a01}', False, id="behind a no-break space"),
        pytest.param("no idea", False, id="no answer"),
    ],
)
def test_answer_of_a_judge_is_read_key_by_key(answer: str, passes: bool) -> None:  # noqa: FBT001
    assert verdicts(answer, ["clarity"]) == {"clarity": passes}


def test_judge_and_blocklist_must_both_find_the_intent() -> None:
    tools = [ToolDefinition(name="search"), ToolDefinition(name="get_via_api")]
    answer = '{"clarity": 1, "name_order": 1, "intent_over_implementation": 1}'
    assert ToolNameReliability().score(tools, [answer, answer]).value == pytest.approx((1 + 0.8) / 2)
    refusal = answer.replace('implementation": 1', 'implementation": 0')
    assert ToolNameReliability().score(tools, [refusal, refusal]).value == pytest.approx((0.8 + 0.8) / 2)


def test_there_must_be_an_answer_for_each_tool() -> None:
    with pytest.raises(ValueError, match="shorter"):
        ToolNameReliability().score([BOOK, BOOK], ["{}"])


@pytest.mark.parametrize(
    ("schema", "fails"),
    [
        pytest.param({}, 0, id="no parameters"),
        pytest.param({"properties": {"a": {"type": "string", "description": ""}}}, 0, id="an empty description"),
        pytest.param({"properties": {"a": {"anyOf": [], "description": "x"}}}, 1, id="a union is no type"),
        pytest.param({"properties": {"a": True}}, 2, id="a parameter that takes anything"),
        pytest.param({"properties": dict.fromkeys("abcdef", TEXT)}, 2, id="six"),
        pytest.param(
            {"properties": dict.fromkeys("abcde", TEXT), "required": ["a", "a"]},
            0,
            id="required twice",
        ),
    ],
)
def test_one_schema(schema: JsonObject, fails: int) -> None:
    tool = ToolDefinition(name="t", input_schema=schema)
    score = evaluate_run("tool_description_reliability", AgentTrace(tool_definitions=(tool,)))
    assert score.value == (4 - fails) / 4


def test_limits_of_parameters_are_options() -> None:
    options = {"max_input_args": 1, "max_optional_args": 0}
    score = evaluate_run("tool_description_reliability", AgentTrace(tool_definitions=(BOOK,)), **options)
    assert score.details["per_tool_results"][0]["checks"]["max_num_input_arguments"] is False
    assert score.details["per_tool_results"][0]["checks"]["max_optional_input_arguments"] is False


def test_tool_whose_schema_was_not_recorded_is_left_out_of_the_average() -> None:
    bare = ToolDefinition(name="bare")
    alone = evaluate_run("tool_description_reliability", AgentTrace(tool_definitions=(BOOK,)))
    both = evaluate_run("tool_description_reliability", AgentTrace(tool_definitions=(BOOK, bare)))
    assert both.value == alone.value
    assert evaluate_run("tool_description_reliability", AgentTrace(tool_definitions=(bare,))).status == "skipped"


def test_thirteen_checks_run_with_a_judge_and_four_without() -> None:
    tool = ToolDefinition(name="t", input_schema={})
    assert ToolDescriptionReliability().score([tool], ['{"clarity": 1}']).value == pytest.approx(5 / 13)
    assert ToolDescriptionReliability().score([tool]).value == 1
