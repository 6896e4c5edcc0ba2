"""gllm-evals' composite: tools and answer together, each with its own reasons for having no score."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.judges import Judge, ask, make_answer

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.gl import (
    Agent,
    Completeness,
    Generation,
    Groundedness,
    MetricResult,
    Redundancy,
    aggregate,
    combined,
)
from tracegrade.evaluators.definition.dialogue import Asking, Question, run_dialogue
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.formats.gl import agent_data
from tracegrade.evaluators.model import AgentTrace

SCORES = st.floats(0, 1)


def half(trace: AgentTrace) -> float:
    assert trace.final_response == "14 days"
    return 0.5


def speechless(_: AgentTrace) -> None:
    return None


def run(called: str = "ab", expected: str | None = "ab") -> AgentTrace:
    record: dict[str, Any] = {"generated_response": "14 days", "tools_called": [{"name": name} for name in called]}
    if expected is not None:
        record["expected_tools"] = [{"name": name} for name in expected]
    return agent_data(record)


def test_score_is_the_product_or_the_mean_and_details_tell_both() -> None:
    product, mean = (Agent(how=how, generation=half)(run("a")) for how in ("multiply", "average"))
    assert (product.value, mean.value) == (0.25, 0.5)
    for score in (product, mean):
        assert (score.details["multiply_score"], score.details["avg_score"]) == (0.25, 0.5)
        assert (score.details["tool_correctness"], score.details["generation"]) == (0.5, 0.5)


def test_explanation_tells_what_each_part_found() -> None:
    explanation = Agent(generation=half)(run("a")).explanation
    assert explanation == "tools 0.5 (1 of 2 expected calls matched; not matched: b), answer 0.5"


def test_generation_is_named_in_the_configuration() -> None:
    one, other = (configure("gl:agent", options={"generation": each}) for each in (math.sqrt, math.sin))
    assert one.config_hash != other.config_hash
    with pytest.raises(WrongOptions, match="option 'generation' of gl:agent"):
        configure("gl:agent", options={"generation": "no.such:thing"})


def test_without_a_judge_or_a_function_it_says_what_to_configure() -> None:
    assert "name one under `judge`" in (Agent()(run()).reason or "")


def test_tools_that_cannot_be_judged_leave_the_score_open() -> None:
    score = Agent(generation=half)(run(expected=None))
    assert score.reason == "tool correctness: no expected tool calls"


def test_an_answer_that_cannot_be_graded_leaves_the_score_open() -> None:
    assert Agent(generation=speechless)(run()).reason == "the generation evaluator could not grade the answer"


@pytest.mark.parametrize("value", [1.5, -0.1, float("nan"), float("inf"), "0.5", [1]], ids=repr)
def test_a_grade_that_is_none_is_an_error_and_no_score(value: Any) -> None:
    evaluator = configure("gl:agent", options={"generation": lambda _: value})
    [verdict] = evaluate(evaluator, run())
    assert (verdict.status, verdict.value) == ("error", None)
    assert "must return a number in [0, 1]" in str(verdict.reason)


def test_options_of_tool_correctness_are_passed_on() -> None:
    strict = Agent(generation=half, how="average", tool_correctness={"strict_mode": True})
    assert strict(run("a")).value == 0.25
    with pytest.raises(WrongOptions, match=r"strict_moed"):
        configure("gl:agent", options={"tool_correctness": {"strict_moed": True}})


def test_random_endings_of_names_are_cut_only_when_asked_for() -> None:
    trace = agent_data({"tools_called": [{"name": "sql_agent_xg7c"}], "expected_tools": [{"name": "sql_agent_zor2"}]})
    grade = lambda _: 1.0  # noqa: E731 - a function of a line
    assert Agent(generation=grade)(trace).value == 0
    assert Agent(generation=grade, tool_names="mixed4")(trace).value == 1
    assert trace.tool_calls[0].name == "sql_agent_xg7c"


@given(SCORES, SCORES)
def test_the_product_never_exceeds_the_mean(tools: float, generation: float) -> None:
    both = combined(tools, generation)
    assert both["multiply_score"] <= both["avg_score"]


def test_newer_releases_turn_over_what_is_better_when_lower() -> None:
    results = {
        "completeness": MetricResult(1.0, success=True),
        "redundancy": MetricResult(0.25, success=True, higher_is_better=False),
    }
    assert aggregate(results) == (0.875, True)


def test_one_failure_fails_all_whatever_the_mean() -> None:
    assert aggregate({"a": MetricResult(1.0, success=True), "b": MetricResult(1.0, success=False)}) == (1.0, False)
    assert not aggregate({"a": MetricResult(1.0, success=None)}).success


def test_no_metrics_are_no_success() -> None:
    assert aggregate({}) == (0, False)


# The single metrics, and what else can be injected

RECORD = {
    "query": "Refund?",
    "generated_response": "14 days",
    "expected_response": "Within 14 days",
    "tools_called": [{"name": "a", "args": {}, "output": "14 days"}],
    "expected_tools": [{"name": "a", "args": {}}],
    "agent_trajectory": [{"role": "user", "content": "Refund?"}],
    "expected_agent_trajectory": [{"role": "user", "content": "Refund?"}],
}
METRICS = [Completeness(), Groundedness(), Redundancy()]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)
@pytest.mark.parametrize(("grade", "score"), [(1, 0.0), (2, 0.5), (3, 1.0)])
def test_metric_of_an_answer_is_a_score_of_its_own(metric: Asking, grade: int, score: float) -> None:
    result = ask(metric.ask(agent_data(RECORD)), make_answer(grade))
    assert result.value == (1 - score if isinstance(metric, Redundancy) else score)
    assert (result.details["score"], result.explanation) == (score, "so it is")


@pytest.mark.parametrize(
    ("metric", "missing"),
    [
        (Completeness(), "reference.expected_response"),
        (Groundedness(), "tool_calls"),
        (Redundancy(), "final_response"),
        (Generation(), "final_response"),
    ],
    ids=["completeness", "groundedness", "redundancy", "generation"],
)
def test_metric_without_what_it_needs_is_skipped(metric: Asking, missing: str) -> None:
    keys = {"tool_calls": {"tools_called", "agent_trajectory"}, "final_response": {"generated_response"}}
    gone = keys.get(missing, {"expected_response"})
    run_without = agent_data({key: value for key, value in RECORD.items() if key not in gone})
    assert ask(metric.ask(run_without)).reason == f"not recorded: {missing}"


def test_generation_is_the_mean_with_redundancy_turned_over() -> None:
    score = ask(Generation().ask(agent_data(RECORD)), make_answer(3), make_answer(2), make_answer(1))
    assert score.value == pytest.approx((1 + 0.5 + 1) / 3)
    assert score.details["metrics"]["redundancy"]["score"] == 0.0


def test_single_metrics_ask_the_questions_of_the_agent_so_that_answers_are_used_again() -> None:
    agent = Judge(*[make_answer(2)] * 3)
    run_dialogue(Agent().ask(agent_data(RECORD)), agent)
    alone = [next(metric.ask(agent_data(RECORD)))[0] for metric in METRICS]
    assert list(map(_content, alone)) == list(map(_content, agent.asked))


def _content(question: Question) -> tuple[Any, ...]:
    return question.instructions, question.evidence, question.form, question.weighs


def test_threshold_of_the_tools_decides_the_success_of_the_aggregate() -> None:
    lenient, strict = (
        Agent(generation=half, tool_correctness={"threshold": threshold})(run("a")) for threshold in (0.5, 0.6)
    )
    assert (lenient.details["aggregate_success"], strict.details["aggregate_success"]) == (True, False)


def test_answer_may_be_graded_by_a_criterion() -> None:
    agent = Agent(geval={"criteria": "It is polite.", "steps": ["Look at the words."]})
    score = ask(agent.ask(agent_data(RECORD)), make_answer(5))
    assert (score.value, score.details["geval"]["score"]) == (0.5, 0.5)
    with pytest.raises(WrongOptions, match="leave one of the two out"):
        configure("gl:agent", options={"geval": {"criteria": "x"}, "generation": half})


def test_trajectory_is_graded_if_asked_for_and_never_counts() -> None:
    trace = agent_data(RECORD)
    without = ask(Agent().ask(trace), *[make_answer(2)] * 3)
    answer = {"reasoning": "so it is", "score": False}
    score = ask(Agent(trajectory_accuracy={}).ask(trace), *[make_answer(2)] * 3, answer)
    assert score.details["trajectory_accuracy"] == {"score": 0.0, "reason": "so it is"}
    assert score.value == without.value
    assert "trajectory_accuracy" not in without.details


def test_unusable_grade_of_the_trajectory_does_not_cost_the_score() -> None:
    score = ask(Agent(generation=half, trajectory_accuracy={}).ask(agent_data(RECORD)), "no idea")
    assert score.value == 0.5
    assert score.details["trajectory_accuracy"]["score"] is None
    assert "could not be used" in score.details["trajectory_accuracy"]["reason"]


def test_endings_of_names_are_said_once() -> None:
    options = {"tool_names": "mixed4", "tool_correctness": {"tool_names": "mixed4"}}
    with pytest.raises(WrongOptions, match="write it once"):
        configure("gl:agent", options=options)
