"""The examples of Dokimos' page on agent evaluation, with keyword arguments in place of builders."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import ValidationError

from tracegrade.collector.experiments.experiment import Experiment
from tracegrade.evaluators.compat.deepeval.api import DeepEvalToolCorrectnessMetric
from tracegrade.evaluators.compat.dokimos.api import (
    AgentTrace,
    ArgMatchMode,
    ArgumentMatcher,
    DokimosEvaluator,
    EvalTestCase,
    TaskCompletionEvaluator,
    TolerantArgumentMatcher,
    ToolArgumentHallucinationEvaluator,
    ToolCall,
    ToolCallValidityEvaluator,
    ToolCorrectnessEvaluator,
    ToolDefinition,
    ToolDescriptionReliabilityEvaluator,
    ToolEfficiencyEvaluator,
    ToolErrorEvaluator,
    ToolNameReliabilityEvaluator,
    ToolTrajectoryEvaluator,
)
from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.experiments.assertion import assert_scores
from tracegrade.evaluators.model import TestCase

FLIGHT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "origin": {"type": "string", "description": "Origin airport code"},
        "destination": {"type": "string", "description": "Destination airport code"},
    },
    "required": ["origin", "destination"],
}
HOTEL_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}},
    "required": ["city", "nights"],
}
TOOLS = [
    ToolDefinition.of("search_flights", "Search for available flights", FLIGHT_SCHEMA),
    ToolDefinition.of("book_hotel", "Book a hotel room", HOTEL_SCHEMA),
]
SEARCH = ToolCall.of("search_flights", {"origin": "JFK", "destination": "CDG"})
BOOK = ToolCall.of("book_hotel", {"city": "Paris", "nights": 5})
TRACE = AgentTrace(tool_calls=(SEARCH, BOOK), final_response="Found flights and booked your hotel in Paris.")
REQUEST = "Find flights from NYC to Paris and book a hotel for 5 nights"
NAMES_ONLY = [ToolCall.of("search_flights", {}), ToolCall.of("book_hotel", {})]


def quick_start(**metadata: Any) -> TestCase:
    return EvalTestCase(
        input=REQUEST,
        actual_outputs={"toolCalls": TRACE.tool_calls, "output": TRACE.final_response},
        expected_outputs={"toolCalls": NAMES_ONLY},
        metadata={"tools": TOOLS, "tasks": ["Search for flights", "Book a hotel"], **metadata},
    )


def compared(called: str, expected: str) -> TestCase:
    """A case of tools whose names are single letters, called without arguments."""
    calls, wanted = ([ToolCall.of(name) for name in names] for names in (called, expected))
    return EvalTestCase(actual_outputs={"toolCalls": calls}, expected_outputs={"toolCalls": wanted})


def with_results(*results: str | None) -> TestCase:
    calls = tuple(ToolCall(name="tool", arguments={"call": at}, result=result) for at, result in enumerate(results))
    return EvalTestCase(actual_outputs={"toolCalls": calls})


def completing(tasks: str) -> Any:
    """A judge that finds the tasks completed that are marked with x."""
    return lambda _: json.dumps({"tasks": [{"task": "a task", "completed": mark == "x"} for mark in tasks]})


def grounding(calls: str) -> Any:
    """A judge that finds the calls grounded that are marked with x."""
    return lambda _: json.dumps([{"toolName": "a tool", "grounded": mark == "x"} for mark in calls])


def never(_: str) -> str:
    raise AssertionError("no judge is asked")


# Quick start


def test_quick_start_gives_full_scores() -> None:
    case = quick_start()
    results = [
        ToolCallValidityEvaluator().evaluate(case),
        ToolCorrectnessEvaluator().evaluate(case),
        TaskCompletionEvaluator(completing("xx")).evaluate(case),
        ToolArgumentHallucinationEvaluator(grounding("xx")).evaluate(case),
    ]
    assert [(result.score, result.success) for result in results] == [(1.0, True)] * 4


def test_quick_start_with_the_evaluators_that_need_no_judge_or_an_optional_one() -> None:
    case = quick_start()
    assert ToolEfficiencyEvaluator().evaluate(case).score == 1.0
    assert ToolNameReliabilityEvaluator().evaluate(case).score == 1.0
    assert ToolDescriptionReliabilityEvaluator().evaluate(case).score == 0.875


@pytest.mark.parametrize(
    ("completed", "score", "passes"),
    [("xx", 1.0, True), ("x-", 0.5, True), ("--", 0.0, False)],
    ids=["both", "one", "none"],
)
def test_task_completion_is_the_share_of_completed_tasks(completed: str, score: float, *, passes: bool) -> None:
    result = TaskCompletionEvaluator(completing(completed)).evaluate(quick_start())
    assert (result.score, result.success) == (score, passes)


def test_hallucination_is_the_share_of_grounded_calls() -> None:
    result = ToolArgumentHallucinationEvaluator(grounding("x-")).evaluate(quick_start())
    assert (result.score, result.threshold, result.success) == (0.5, 0.8, False)


def test_constraints_are_shown_to_the_judge() -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return str(completing("xx")(prompt))

    TaskCompletionEvaluator(judge).evaluate(quick_start(constraints="Budget under $500"))
    assert "Budget under $500" in asked[0]


def test_judge_may_be_a_coroutine_function() -> None:
    async def judge(prompt: str) -> str:
        return str(completing("xx")(prompt))

    assert TaskCompletionEvaluator(judge).evaluate(quick_start()).score == 1.0


# The table of evaluators


@pytest.mark.parametrize(
    ("evaluator", "name", "threshold"),
    [
        (ToolCallValidityEvaluator(), "Tool Call Validity", 1.0),
        (ToolCorrectnessEvaluator(), "Tool Correctness", 1.0),
        (ToolTrajectoryEvaluator(), "Trajectory", 1.0),
        (ToolErrorEvaluator(), "Tool Error", 1.0),
        (ToolEfficiencyEvaluator(), "Tool Efficiency", 1.0),
        (TaskCompletionEvaluator(never), "Task Completion", 0.5),
        (ToolArgumentHallucinationEvaluator(never), "Tool Argument Hallucination", 0.8),
        (ToolNameReliabilityEvaluator(), "Tool Name Reliability", 0.8),
        (ToolDescriptionReliabilityEvaluator(), "Tool Description Reliability", 0.8),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, DokimosEvaluator) else str(value),
)
def test_nine_evaluators_have_the_default_thresholds_of_the_table(
    evaluator: DokimosEvaluator, name: str, threshold: float
) -> None:
    assert (evaluator.name, evaluator.threshold) == (name, threshold)


@pytest.mark.parametrize(
    ("evaluator", "asks"),
    [
        *((each(), (False, False)) for each in (ToolCallValidityEvaluator, ToolCorrectnessEvaluator)),
        *((each(), (False, False)) for each in (ToolTrajectoryEvaluator, ToolErrorEvaluator, ToolEfficiencyEvaluator)),
        *((each(never), (True, True)) for each in (TaskCompletionEvaluator, ToolArgumentHallucinationEvaluator)),
        *((each(), (True, False)) for each in (ToolNameReliabilityEvaluator, ToolDescriptionReliabilityEvaluator)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_five_need_no_judge_two_always_and_two_optionally(evaluator: DokimosEvaluator, asks: tuple[bool, bool]) -> None:
    assert (evaluator.options.can_ask, evaluator.options.must_ask) == asks


# Tool calls and their schemas


@pytest.mark.parametrize(
    "call",
    [
        ToolCall.of("book_train", {}),
        ToolCall.of("book_hotel", {"city": "Paris"}),
        ToolCall.of("book_hotel", {"city": "Paris", "nights": "five"}),
    ],
    ids=["unknown tool", "missing parameter", "wrong type"],
)
def test_validity_is_the_share_of_valid_calls(call: ToolCall) -> None:
    case = EvalTestCase(actual_outputs={"toolCalls": [SEARCH, call]}, metadata={"tools": TOOLS})
    assert ToolCallValidityEvaluator().evaluate(case).score == 0.5


def test_strict_mode_refuses_parameters_that_the_schema_does_not_declare() -> None:
    call = ToolCall.of("book_hotel", {"city": "Paris", "nights": 5, "stars": 4})
    case = EvalTestCase(actual_outputs={"toolCalls": [call]}, metadata={"tools": TOOLS})
    assert ToolCallValidityEvaluator().evaluate(case).score == 1.0
    assert ToolCallValidityEvaluator(strict_mode=True, threshold=1.0).evaluate(case).score == 0.0


@pytest.mark.parametrize(("mode", "score"), [("NAMES_ONLY", 1.0), ("NAMES_AND_ORDER", 0.5), ("NAMES_AND_ARGS", 1.0)])
def test_correctness_in_its_three_modes_when_the_order_is_reversed(mode: str, score: float) -> None:
    reversed_calls = [ToolCall.of("book_hotel", {"city": "Paris", "nights": 5.0}), SEARCH]
    case = EvalTestCase(actual_outputs={"toolCalls": reversed_calls}, expected_outputs={"toolCalls": [SEARCH, BOOK]})
    assert ToolCorrectnessEvaluator(match_mode=mode).evaluate(case).score == score
    assert ToolCorrectnessEvaluator(match_mode=ToolCorrectnessEvaluator.MatchMode(mode)).evaluate(case).score == score


@pytest.mark.parametrize(
    ("called", "scores"),
    [
        ("axb", {"STRICT": 0, "IN_ORDER": 2 / 3, "ANY_ORDER": 2 / 3, "SUPERSET": 1, "SUBSET": 0, "PRECISION": 2 / 3}),
        ("ba", {"STRICT": 0, "IN_ORDER": 1 / 2, "ANY_ORDER": 1, "SUPERSET": 1, "SUBSET": 1, "RECALL": 1}),
        ("a", {"SUBSET": 1, "SUPERSET": 0, "PRECISION": 1, "RECALL": 1 / 2}),
        ("ab", dict.fromkeys(ToolTrajectoryEvaluator.MatchMode, 1)),
    ],
    ids=["a call too many", "reversed", "one omitted", "as expected"],
)
def test_trajectory_in_its_seven_modes(called: str, scores: dict[str, float]) -> None:
    case = compared(called, "ab")
    assert {mode: ToolTrajectoryEvaluator(match_mode=mode).evaluate(case).score for mode in scores} == scores


def test_in_order_compares_empty_expected_arguments_too() -> None:
    case = EvalTestCase(actual_outputs={"toolCalls": TRACE.tool_calls}, expected_outputs={"toolCalls": NAMES_ONLY})
    in_order = ToolTrajectoryEvaluator.MatchMode.IN_ORDER
    assert ToolTrajectoryEvaluator(match_mode=in_order).evaluate(case).score == 0.0
    by_name = ToolTrajectoryEvaluator(match_mode=in_order, argument_matcher=ArgumentMatcher.of(ArgMatchMode.IGNORE))
    assert by_name.evaluate(case).score == 1.0


@pytest.mark.parametrize(
    ("expected", "score"),
    [(NAMES_ONLY, 0.5), ([SEARCH, ToolCall.of("book_hotel", {"city": "Paris"})], 1.0)],
    ids=["no arguments expected", "some expected"],
)
def test_matcher_of_one_tool_overrides_that_of_all(expected: list[ToolCall], score: float) -> None:
    trajectory = ToolTrajectoryEvaluator(
        match_mode=ToolTrajectoryEvaluator.MatchMode.ANY_ORDER,
        argument_matcher=ArgumentMatcher.tolerant(),
        argument_matchers={"book_hotel": ArgumentMatcher.of(ArgMatchMode.SUBSET)},
    )
    case = EvalTestCase(actual_outputs={"toolCalls": TRACE.tool_calls}, expected_outputs={"toolCalls": expected})
    assert trajectory.evaluate(case).score == score


# Errors and repetition


def test_error_detector_counts_on_top_of_the_default_rules() -> None:
    case = with_results("ok", "HTTP 500 internal error", None, "", '{"error": "x"}', '{"error": null}')
    assert ToolErrorEvaluator().evaluate(case).score == 3 / 6
    detecting = ToolErrorEvaluator(error_detector=lambda result: "HTTP 500" in result).evaluate(case)
    assert (detecting.score, detecting.success) == (2 / 6, False)
    assert [result["errored"] for result in detecting.metadata["results"]] == [False, True, True, True, True, False]


def test_efficiency_is_the_share_of_distinct_calls_and_names_consecutive_duplicates() -> None:
    result = ToolEfficiencyEvaluator().evaluate(compared("aab", ""))
    assert (result.score, result.success) == (2 / 3, False)
    assert result.metadata["consecutive_duplicates"] == ["a"]
    assert ToolEfficiencyEvaluator(threshold=0.5).evaluate(compared("aab", "")).success


# Reliability


@pytest.mark.parametrize(
    ("name", "score"),
    [("search_flights", 1.0), ("SearchFlights", 2 / 3), ("a_b_c_d_e_f_g_h", 2 / 3), ("load_via_api", 2 / 3)],
)
def test_name_reliability_without_a_judge_runs_three_checks(name: str, score: float) -> None:
    case = EvalTestCase(metadata={"tools": [ToolDefinition.of(name, "A tool", {})]})
    assert ToolNameReliabilityEvaluator().evaluate(case).score == score


def test_reliability_with_a_judge_runs_all_checks() -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        names = ("intent_over_implementation", "clarity", "name_order")
        return json.dumps(dict.fromkeys(names, 1))

    result = ToolNameReliabilityEvaluator(judge=judge, threshold=0.8).evaluate(quick_start())
    assert (result.score, len(asked)) == (1.0, 2)
    assert len(result.metadata["per_tool_results"][0]["checks"]) == 5


@pytest.mark.parametrize(
    ("parameters", "required", "score"),
    [
        ({"a": {"type": "string", "description": "x"}}, ["a"], 1.0),
        ({"a": {"type": "string"}}, ["a"], 0.75),
        ({name: {"type": "string", "description": "x"} for name in "abcdef"}, list("abcdef"), 0.75),
        ({name: {"type": "string", "description": "x"} for name in "abcd"}, [], 0.75),
    ],
    ids=["described and typed", "undescribed", "six parameters", "four optional ones"],
)
def test_description_reliability_without_a_judge_runs_four_checks(
    parameters: dict[str, Any], required: list[str], score: float
) -> None:
    schema = {"type": "object", "properties": parameters, "required": required}
    case = EvalTestCase(metadata={"tools": [ToolDefinition.of("tool", "A tool", schema)]})
    evaluator = ToolDescriptionReliabilityEvaluator(max_input_args=5, max_optional_args=3, threshold=0.8)
    assert evaluator.evaluate(case).score == score


# Argument matching


@pytest.mark.parametrize(
    ("mode", "accepted"),
    [
        (ArgMatchMode.EXACT, (True, False, False, False)),
        (ArgMatchMode.SUBSET, (True, True, False, False)),
        (ArgMatchMode.SUPERSET, (True, False, True, False)),
        (ArgMatchMode.IGNORE, (True, True, True, True)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_mode_says_which_keys_may_differ(mode: ArgMatchMode, accepted: tuple[bool, ...]) -> None:
    same, extra, missing, different = {"a": 1.0, "b": 2}, {"a": 1, "b": 2, "c": 3}, {"a": 1}, {"a": 9, "b": 2}
    matcher = ArgumentMatcher.of(mode)
    assert tuple(matcher.matches({"a": 1, "b": 2}, each) for each in (same, extra, missing, different)) == accepted


def test_tolerant_matcher_trims_and_ignores_case_only_if_asked() -> None:
    matcher = TolerantArgumentMatcher(mode=ArgMatchMode.SUBSET, trim_strings=True, case_insensitive=True)
    assert matcher.matches({"city": " paris "}, {"city": "Paris", "nights": 5})
    assert not ArgumentMatcher.tolerant().matches({"city": " paris "}, {"city": "Paris"})
    assert ArgumentMatcher.tolerant() == ArgumentMatcher.of(ArgMatchMode.EXACT)


def test_function_is_given_expected_and_actual_arguments() -> None:
    seen: list[tuple[Any, Any]] = []

    def matcher(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
        seen.append((expected, actual))
        return True

    case = EvalTestCase(actual_outputs={"toolCalls": [BOOK]}, expected_outputs={"toolCalls": NAMES_ONLY[1:]})
    assert ToolTrajectoryEvaluator(argument_matcher=matcher).evaluate(case).score == 1.0
    assert seen[0] == ({}, {"city": "Paris", "nights": 5})


# Data model


@dataclass
class Confirmation:
    confirmation: str
    total: float


def test_tool_call_of_takes_a_mapping() -> None:
    call = ToolCall.of("search_flights", {"origin": "NYC", "destination": "LAX"})
    assert (call.name, call.args) == ("search_flights", {"origin": "NYC", "destination": "LAX"})
    with pytest.raises(TypeError, match="either as one mapping or by name"):
        ToolCall.of("search_flights", {"origin": "NYC"}, destination="LAX")


def test_tool_call_takes_arguments_and_a_result_verbatim() -> None:
    result = '{"confirmation": "ABC123"}'
    call = ToolCall(name="book_hotel", arguments={"city": "Paris", "nights": 3}, result=result)
    assert (call.args, call.result) == ({"city": "Paris", "nights": 3}, result)
    with pytest.raises(ValidationError, match="arguments"):
        ToolCall(name="book_hotel", args={}, arguments={})


def test_structured_result_is_one_line_of_json_and_reads_back() -> None:
    call = ToolCall(name="book_hotel", result=ToolCall.result_json(Confirmation("ABC123", 540.0)))
    assert call.result == '{"confirmation":"ABC123","total":540.0}'
    assert call.result_as(Confirmation) == Confirmation("ABC123", 540.0)
    many = ToolCall(name="book_hotel", result=ToolCall.result_json([Confirmation("ABC123", 540.0)]))
    assert many.result_as(list[Confirmation]) == [Confirmation("ABC123", 540.0)]
    assert ToolCall.result_json(None) == "null"


@pytest.mark.parametrize("result", [None, "", " ", "null"])
def test_absent_or_blank_result_reads_back_as_none(result: str | None) -> None:
    assert ToolCall(name="book_hotel", result=result).result_as(Confirmation) is None


def test_result_that_is_not_json_cannot_be_read_back() -> None:
    with pytest.raises(ValidationError):
        ToolCall(name="book_hotel", result="booked").result_as(Confirmation)


def test_arguments_read_back_as_a_type() -> None:
    call = ToolCall(name="pay", arguments={"confirmation": "ABC123", "total": 540})
    assert call.args_as(Confirmation) == Confirmation("ABC123", 540.0)


def test_tool_definition_of_has_name_description_and_schema() -> None:
    tool = ToolDefinition.of("search_flights", "Search for available flights", FLIGHT_SCHEMA)
    assert (tool.name, tool.description, tool.input_schema) == (
        "search_flights",
        "Search for available flights",
        FLIGHT_SCHEMA,
    )


def test_output_map_has_the_three_keys_and_makes_a_case() -> None:
    output = TRACE.to_output_map()
    assert output.keys() == {"output", "toolCalls", "reasoningSteps"}
    case = EvalTestCase(input=REQUEST, actual_outputs=output, metadata={"tools": TOOLS})
    assert ToolCallValidityEvaluator().evaluate(case).score == 1.0


def test_trace_becomes_a_test_case_in_three_ways() -> None:
    whole = TRACE.to_test_case("Find flights from NYC to Paris", TOOLS, ["Search flights"])
    assert TaskCompletionEvaluator(completing("x")).evaluate(whole).score == 1.0
    with_tools = TRACE.to_test_case("Find flights from NYC to Paris", TOOLS)
    assert ToolCallValidityEvaluator().evaluate(with_tools).score == 1.0
    assert TaskCompletionEvaluator(never).evaluate(with_tools).score is None
    assert ToolCallValidityEvaluator().evaluate(TRACE.to_test_case("Find flights")).score is None


def test_conversation_is_evaluated_by_turn_and_as_a_whole() -> None:
    turns = [AgentTrace(tool_calls=(SEARCH,)), AgentTrace(tool_calls=(BOOK,))]
    conversation = ConversationTrajectory.of(turns)
    assert conversation.tool_calls_by_turn() == ((SEARCH,), (BOOK,))
    assert ToolCallValidityEvaluator().evaluate(conversation.to_test_case(TOOLS)).score == 1.0


# What lacks something


def test_case_without_calls_has_no_score() -> None:
    result = ToolErrorEvaluator().evaluate(EvalTestCase(actual_outputs={"output": "done"}))
    assert (result.score, result.success) == (None, None)
    assert result.reason == "tool calls were not recorded (tool_calls_not_recorded)"
    assert ToolErrorEvaluator().evaluate(EvalTestCase(actual_outputs={"toolCalls": []})).score == 1.0


def test_reply_that_cannot_be_read_has_no_score() -> None:
    result = TaskCompletionEvaluator(lambda _: "no idea").evaluate(quick_start())
    assert (result.score, result.success) == (None, None)
    assert "the judge's answer could not be used" in str(result.reason)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"actual_outputs": {"toolcalls": []}}, r"'toolcalls' \(did you mean 'toolCalls'\?\)"),
        ({"actual_outputs": {"output": 5}}, r"actual_outputs\.output is a number; write text"),
        ({"expected_outputs": {"toolCalls": "a"}}, r"expected_outputs\.toolCalls is text; write a list"),
        ({"metadata": {"tasks": [1]}}, r"metadata\.tasks\[0\] is a number; write text"),
    ],
    ids=["misspelt key", "no text", "no list", "no task"],
)
def test_wrong_case_names_the_place(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        EvalTestCase(**arguments)


def test_wrong_configuration_is_refused() -> None:
    with pytest.raises(ValueError, match="the threshold of Tool Error is 5"):
        ToolErrorEvaluator(threshold=5)
    with pytest.raises(ValueError, match="NAMES_ONLY"):
        ToolCorrectnessEvaluator(match_mode="NAMES")
    with pytest.raises(ValueError, match="the threshold of Tool Error is '1'; write a number from 0 to 1"):
        ToolErrorEvaluator(threshold="1")  # type: ignore[arg-type]  # text
    with pytest.raises(ValueError, match=r"match_mode: it is 'in_order'; .*did you mean 'IN_ORDER'"):
        ToolTrajectoryEvaluator(match_mode="in_order")
    with pytest.raises(ValueError, match=r"mode: it is 'subset'; .*did you mean 'SUBSET'"):
        ArgumentMatcher.of("subset")
    with pytest.raises(TypeError, match="Task Completion needs a `judge`"):
        TaskCompletionEvaluator(judge=None)  # type: ignore[arg-type]  # no judge
    with pytest.raises(TypeError, match="`judge` is a function"):
        TaskCompletionEvaluator("gpt-4.1")  # type: ignore[arg-type]  # a name


# Elsewhere


def test_objects_are_evaluators_of_experiments_and_tests() -> None:
    run = TRACE.model_copy(update={"tool_definitions": tuple(TOOLS), "input": REQUEST})
    evaluators = [
        ToolCallValidityEvaluator(),
        ToolTrajectoryEvaluator(name="order", argument_matcher=ArgumentMatcher.of("IGNORE")),
        TaskCompletionEvaluator(completing("x.")),
    ]
    item = {"input": REQUEST, "expected_tool_calls": NAMES_ONLY, "tasks": ["search", "book"]}
    [result] = Experiment("Travel", [item], lambda _: run, evaluators).run(progress=False).runs
    assert {score.evaluator: (score.value, score.passed) for score in result.scores} == {
        "Tool Call Validity": (1.0, True),
        "order": (1.0, True),
        "Task Completion": (0.5, True),
    }
    assert_scores(run, *evaluators, expected_tool_calls=NAMES_ONLY, tasks=["search", "book"])
    with pytest.raises(AssertionError, match=r"Trajectory: 0\.50, below 1"):
        assert_scores(run, ToolTrajectoryEvaluator(), expected_tool_calls=[SEARCH])


def test_metric_of_deepeval_is_an_evaluator_too() -> None:
    tools = [{"name": "search_flights"}, {"name": "book_hotel"}]
    metric = DeepEvalToolCorrectnessMetric(model=lambda _: '{"reason": "", "score": 0.5}', available_tools=tools)
    run = TRACE.model_copy(update={"input": REQUEST})
    assert_scores(run, metric, expected_tool_calls=[SEARCH, BOOK])


def test_calls_and_objects_may_be_mixed_in_a_list() -> None:
    mixed: list[Any] = [SEARCH, {"name": "book_hotel", "arguments": {"city": "Paris", "nights": 5}}]
    case = EvalTestCase(actual_outputs={"toolCalls": mixed}, expected_outputs={"toolCalls": mixed})
    assert ToolTrajectoryEvaluator().evaluate(case).score == 1


@pytest.mark.parametrize(
    ("use", "says"),
    [
        (lambda: TRACE.toolCalls, "here it is 'tool_calls'"),  # type: ignore[attr-defined]  # names of Java
        (lambda: SEARCH.arguments, "here it is 'args'"),  # type: ignore[attr-defined]
        (lambda: SEARCH.argumentsAs(dict), "here it is 'args_as'"),  # type: ignore[attr-defined]
        (lambda: ConversationTrajectory(()).toolCallsByTurn(), "'tool_calls_by_turn'"),  # type: ignore[attr-defined]
        (ToolCall.builder, "ToolCall has no builder; give its fields by name"),
        (ToolErrorEvaluator.builder, "ToolErrorEvaluator has no builder"),
    ],
    ids=["calls", "arguments", "arguments as", "calls by turn", "builder", "builder of an evaluator"],
)
def test_names_of_java_are_answered_with_those_here(use: Callable[[], object], says: str) -> None:
    with pytest.raises((AttributeError, TypeError), match=says):
        use()


# The loop with OpenAI's client


class Completions:
    """An OpenAI client that gives these messages, one after the other."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self._messages = iter(messages)
        self.asked: list[Any] = []

    def create(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        self.asked.append(list(messages))
        return next(self._messages)


def request(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": name, "function": function}]}


def captured(client: Completions) -> AgentTrace:
    """The loop of the document: at most ten rounds, until the model answers with text."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": REQUEST}]
    calls: list[ToolCall] = []
    for _ in range(10):
        message = client.create(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            return AgentTrace(tool_calls=tuple(calls), final_response=message["content"])
        for call in message["tool_calls"]:
            function = call["function"]
            result = f"result of {function['name']}"
            arguments = json.loads(function["arguments"])
            calls.append(ToolCall(name=function["name"], arguments=arguments, result=result))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return AgentTrace(tool_calls=tuple(calls))


def test_loop_over_openai_calls_becomes_a_trace_that_is_evaluated() -> None:
    rounds = [request("search_flights", SEARCH.args or {}), request("book_hotel", BOOK.args or {})]
    trace = captured(Completions([*rounds, {"role": "assistant", "content": "Booked."}]))
    assert [call.result for call in trace.tool_calls] == ["result of search_flights", "result of book_hotel"]
    assert trace.final_response == "Booked."
    case = EvalTestCase(
        input=REQUEST,
        actual_outputs={"toolCalls": trace.tool_calls, "output": trace.final_response},
        metadata={"tools": TOOLS, "tasks": ["Search for flights", "Book a hotel"]},
    )
    assert ToolCallValidityEvaluator().evaluate(case).score == 1.0


def test_loop_over_openai_calls_stops_after_ten_rounds() -> None:
    trace = captured(Completions([request("search_flights", {"origin": "A", "destination": "B"})] * 11))
    assert (len(trace.tool_calls), trace.final_response) == (10, None)
