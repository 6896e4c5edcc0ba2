"""The examples of gllm-evals' page on DeepEvalToolCorrectnessMetric, with the numbers that it states or implies."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import pytest

from tracegrade.evaluators.compat.deepeval.api import (
    DeepEvalToolCorrectnessMetric,
    Measurement,
    ToolCall,
    ToolCallParams,
    ToolCallParser,
    TrajectoryParser,
)

QUERY = "SELECT AVG(amount) as avg_sales FROM orders LIMIT 1"
TRAJECTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "What is the average sales amount..."},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "data_checker", "arguments": json.dumps({"query": QUERY})},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '[{"avg_sales": 250.50}]'},
    {"role": "assistant", "content": "Based on the data, the average sales amount is $250.50."},
]
TOOLS = [{"name": "data_checker", "description": "Queries the data", "parameters": {"type": "object"}}]
CALCULATOR = {"name": "calculator", "args": {"expression": "15 + 27"}, "output": "42"}
SALES: dict[str, Any] = {
    "query": "What is the average sales amount in the orders table?",
    "agent_trajectory": TRAJECTORY,
    "expected_agent_trajectory": TRAJECTORY,
    "generated_response": "Based on the data, the average sales amount is $250.50.",
    "expected_response": "The average sales amount in the orders table is $250.50.",
}
SUM: dict[str, Any] = {
    "query": "What is 15 plus 27?",
    "tools_called": [CALCULATOR],
    "expected_tools": [CALCULATOR],
    "generated_response": "15 plus 27 equals 42.",
    "expected_response": "15 plus 27 equals 42.",
}


def grading(score: float) -> Any:
    return lambda _: json.dumps({"reason": "it fits", "score": score})


def never(_: str) -> str:
    raise AssertionError("no judge is asked")


def measure(metric: DeepEvalToolCorrectnessMetric, **fields: Any) -> Measurement:
    return asyncio.run(metric.measure(**fields))


def called(call: dict[str, Any], **options: Any) -> Measurement:
    """The sum with this call in place of the expected one."""
    return measure(DeepEvalToolCorrectnessMetric(model=never, **options), **{**SUM, "tools_called": [call]})


def test_constructor_has_the_parameters_and_defaults_of_the_document() -> None:
    parameters = inspect.signature(DeepEvalToolCorrectnessMetric).parameters
    assert {name: parameter.default for name, parameter in parameters.items()} == {
        "threshold": 0.5,
        "model": "openai/gpt-4.1",
        "model_credentials": None,
        "model_config": None,
        "include_reason": True,
        "strict_mode": False,
        "should_exact_match": False,
        "should_consider_ordering": False,
        "available_tools": None,
        "evaluation_params": None,
        "batch_status_check_interval": 30.0,
        "batch_max_iterations": 120,
        "tool_names": "random4",
    }
    assert DeepEvalToolCorrectnessMetric().options.evaluation_params == ("input", "output")


@pytest.mark.parametrize("grade", [1.0, 0.4])
def test_measure_with_trajectories_and_available_tools_is_the_lower_of_both_scores(grade: float) -> None:
    metric = DeepEvalToolCorrectnessMetric(model=grading(grade), available_tools=TOOLS)
    result = measure(metric, **SALES)
    assert (result.score, result.success) == (grade, grade >= 0.5)
    assert "it fits" in str(result.reason)
    assert measure(metric, **SUM).score == grade


def test_measure_with_trajectories_alone_asks_no_judge() -> None:
    assert measure(DeepEvalToolCorrectnessMetric(model=never), **SALES).score == 1.0


def test_measure_with_tools_called() -> None:
    result = measure(DeepEvalToolCorrectnessMetric(), **SUM)
    assert (result.score, result.success, result.threshold) == (1.0, True, 0.5)
    assert result.reason == "the expected tools were called as expected"


def test_measure_takes_a_record_too() -> None:
    assert asyncio.run(DeepEvalToolCorrectnessMetric().measure(SUM)).score == 1.0


@pytest.mark.parametrize(
    ("call", "score"),
    [
        ({**CALCULATOR, "args": {"expression": "27 + 15"}}, 0.0),
        ({**CALCULATOR, "output": "41"}, 0.0),
        ({"name": "calculator", "args": {"expression": "15 + 27"}}, 1.0),
        ({"name": "calculator", "output": "42"}, 1.0),
        ({"name": "calculator"}, 1.0),
        ({"name": "calculator", "args": {}, "output": "42"}, 0.0),
    ],
    ids=["other input", "other output", "no output", "no input", "the name alone", "empty input"],
)
def test_part_of_a_call_is_compared_only_if_it_is_there(call: dict[str, Any], score: float) -> None:
    assert called(call).score == score
    assert called(call, should_exact_match=True).score == score


@pytest.mark.parametrize(
    ("params", "score"),
    [
        ([ToolCallParams.INPUT_PARAMETERS], 1.0),
        ([ToolCallParams.OUTPUT], 0.0),
        ([ToolCallParams.INPUT_PARAMETERS, ToolCallParams.OUTPUT], 0.0),
    ],
    ids=["input", "output", "both"],
)
def test_params_say_which_parts_count(params: list[ToolCallParams], score: float) -> None:
    assert called({**CALCULATOR, "output": "41"}, evaluation_params=params).score == score


def test_strict_mode_turns_what_is_not_perfect_to_0() -> None:
    half = {**SUM, "expected_tools": [CALCULATOR, {"name": "search"}]}
    assert measure(DeepEvalToolCorrectnessMetric(), **half).score == 0.5
    strict = measure(DeepEvalToolCorrectnessMetric(strict_mode=True), **half)
    assert (strict.score, strict.success, strict.threshold) == (0.0, False, 1.0)
    graded = DeepEvalToolCorrectnessMetric(model=grading(0.99), available_tools=TOOLS, strict_mode=True)
    assert measure(graded, **SUM).score == 0.0


def test_order_counts_if_asked_for() -> None:
    tools = [{"name": "a"}, {"name": "b"}]
    record = {"tools_called": tools[::-1], "expected_tools": tools}
    ordered = DeepEvalToolCorrectnessMetric(should_consider_ordering=True)
    exact = DeepEvalToolCorrectnessMetric(should_exact_match=True)
    metrics = (DeepEvalToolCorrectnessMetric(), ordered, exact)
    assert [measure(metric, **record).score for metric in metrics] == [1.0, 0.5, 0.0]


def test_reason_is_none_if_it_is_not_asked_for() -> None:
    assert measure(DeepEvalToolCorrectnessMetric(include_reason=False), **SUM).reason is None


def test_threshold_decides_the_success() -> None:
    half = {**SUM, "expected_tools": [CALCULATOR, {"name": "search"}]}
    assert measure(DeepEvalToolCorrectnessMetric(), **half).success
    assert not measure(DeepEvalToolCorrectnessMetric(threshold=0.6), **half).success


def test_tools_of_a_record_are_shown_to_the_judge() -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return str(grading(0.4)(prompt))

    record = {**SUM, "available_tools": TOOLS}
    assert measure(DeepEvalToolCorrectnessMetric(model=judge), **record).score == 0.4
    assert "Queries the data" in asked[0]


def test_random_endings_of_names_are_cut_on_both_sides() -> None:
    record = {"tools_called": [{"name": "sql_agent_xg7c"}], "expected_tools": [{"name": "sql_agent_zor2"}]}
    assert measure(DeepEvalToolCorrectnessMetric(), **record).score == 1.0


def test_endings_of_names_are_kept_where_they_belong_to_them() -> None:
    tools = {"tools_called": [{"name": "agent_nxle"}], "expected_tools": [{"name": "agent"}]}
    assert measure(DeepEvalToolCorrectnessMetric(), **tools).score == 1
    assert measure(DeepEvalToolCorrectnessMetric(tool_names=None), **tools).score == 0


def test_record_without_expected_tools_has_no_score() -> None:
    result = measure(DeepEvalToolCorrectnessMetric(), tools_called=[CALCULATOR])
    assert (result.score, result.success, result.reason) == (None, None, "no expected tool calls")


def test_model_by_name_needs_credentials_if_a_judge_will_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    DeepEvalToolCorrectnessMetric()
    with pytest.raises(ValueError, match="a model that is named by a text needs credentials"):
        DeepEvalToolCorrectnessMetric(available_tools=TOOLS)
    DeepEvalToolCorrectnessMetric(model_credentials="your-api-key", available_tools=TOOLS)


def test_unusable_answer_loses_nothing_that_was_computed() -> None:
    metric = DeepEvalToolCorrectnessMetric(model=lambda _: "no idea", available_tools=TOOLS)
    measurement = measure(metric, **SUM)
    assert (measurement.score, measurement.success) == (None, None)
    assert "no JSON object" in (measurement.reason or "")
    assert (measurement.metadata["tool_calling_score"], measurement.metadata["answer"]) == (1.0, "no idea")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"threshold": 5}, "the threshold of deepeval_tool_correctness is 5; write a number from 0 to 1"),
        ({"threshold": "x"}, "is 'x'; write a number"),
        ({"evaluation_params": ["args"]}, "evaluation_params: 'args' is not a part of a call"),
        ({"available_tools": [{"description": "x"}]}, r"available_tools\[?.?0.*name"),
    ],
    ids=["too large", "no number", "unknown part", "tool without name"],
)
def test_wrong_argument_is_refused_in_plain_words(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refusal:
        DeepEvalToolCorrectnessMetric(**arguments)
    assert "pydantic" not in str(refusal.value)


def test_misspelt_field_of_a_record_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown key 'quer'"):
        asyncio.run(DeepEvalToolCorrectnessMetric().measure({"quer": "x"}))
    with pytest.raises(ValueError, match="the record has none of the fields query"):
        asyncio.run(DeepEvalToolCorrectnessMetric().measure({"question": "x"}))


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"tools_called": "calculator"}, "tools_called is text; write a list"),
        ({"tools_called": [{"args": {}}]}, r"tools_called\[0\] has no name"),
        ({"agent_trajectory": [5]}, r"agent_trajectory\[0\] is a number"),
    ],
    ids=["no list", "no name", "no message"],
)
def test_field_that_cannot_be_read_is_named(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        measure(DeepEvalToolCorrectnessMetric(), **{**SUM, **fields})


# Parsers


def test_steps_become_calls_with_or_without_outputs_and_endings() -> None:
    steps = [{"name": "sql_agent_xg7c", "args": {"q": "x"}, "output": "ok"}, {"name": "search", "args": {}}]
    parser = ToolCallParser()
    assert parser.create_tool_call_object(steps) == [
        ToolCall("sql_agent", {"q": "x"}, "ok"),
        ToolCall("search", {}, None),
    ]
    whole = parser.create_tool_call_object(steps, normalize_names=False, include_output=False)
    assert whole == [ToolCall("sql_agent_xg7c", {"q": "x"}, None), ToolCall("search", {}, None)]


@pytest.mark.parametrize(
    ("name", "normalized"),
    [
        ("delegate_to_sql_query_agent_xg7c", "delegate_to_sql_query_agent"),
        ("agent_zor2", "agent"),
        ("load_data", "load_data"),
        ("user_name", "user_name"),
        ("agent_nxle", "agent"),
        ("send_http", "send_http"),
        ("list_urls", "list_urls"),
    ],
)
def test_name_is_cut_by_a_random_ending(name: str, normalized: str) -> None:
    assert ToolCallParser().normalize_tool_name(name) == normalized


def test_trajectory_becomes_steps() -> None:
    [step] = TrajectoryParser().convert_trajectory_to_steps(TRAJECTORY)
    assert (step["name"], step["args"]) == ("data_checker", {"query": QUERY})
    assert step["output"] == '[{"avg_sales": 250.50}]'
    assert TrajectoryParser().parse(TRAJECTORY) == [step]


def test_steps_of_one_call_without_and_with_an_output_share_an_id() -> None:
    first = {**TRAJECTORY[1], "tool_calls": [{**TRAJECTORY[1]["tool_calls"][0], "id": "call_0"}]}
    without, with_output = TrajectoryParser().convert_trajectory_to_steps([first, *TRAJECTORY])
    assert without["tool_call_id"] == with_output["tool_call_id"] == "call_0"
    assert ("output" in without, "output" in with_output) == (False, True)


def test_tools_become_steps() -> None:
    [step] = ToolCallParser().parse([CALCULATOR])
    assert (step["name"], step["args"], step["output"]) == ("calculator", {"expression": "15 + 27"}, "42")
    assert ToolCallParser().create_tool_call_object([step]) == [ToolCall("calculator", {"expression": "15 + 27"}, "42")]
    with pytest.raises(ValueError, match=r"tool_calls\[0\] is text"):
        ToolCallParser().parse(["calculator"])
