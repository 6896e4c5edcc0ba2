"""What gllm-evals' page on AgentEvaluator states, with examples made from the structures that it describes."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest

from tracegrade.evaluators.compat.gl.api import (
    AgentEvaluator,
    DeepEvalToolCorrectnessMetric,
    GEvalGenerationEvaluator,
    LangChainAgentTrajectoryAccuracyMetric,
)

SEARCH = {"name": "search", "args": {"q": "refund"}, "output": "14 days"}
TRAJECTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "Refund?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "function": {"name": "search", "arguments": '{"q": "refund"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "14 days"},
    {"role": "assistant", "content": "Within 14 days."},
]
RECORD: dict[str, Any] = {
    "query": "Refund?",
    "generated_response": "Within 14 days.",
    "expected_response": "Refunds take 14 days.",
    "tools_called": [SEARCH],
    "expected_tools": [SEARCH],
    "agent_trajectory": TRAJECTORY,
    "expected_agent_trajectory": TRAJECTORY,
}
HALF = {**RECORD, "expected_tools": [SEARCH, {"name": "book"}]}
ONE_TO_THREE = {"completeness": 2, "groundedness": 2, "redundancy": 2}


class Model:
    """A judge that gives each metric of an answer its grade from 1 to 3, and trajectories theirs."""

    def __init__(self, trajectory: Any = True, **grades: int) -> None:  # noqa: FBT002 - what it answers
        self._grades = {**ONE_TO_THREE, **grades}
        self._trajectory = trajectory
        self.asked: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        if "You grade the trajectory" in prompt:
            return json.dumps({"reasoning": "so it is", "score": self._trajectory})
        name = next(name for name in _TITLES if _TITLES[name] in prompt)
        return json.dumps({"reason": f"its {name}", "score": self._grades[name]})


_TITLES = {
    "completeness": "contains what the expected answer contains",
    "groundedness": "supported by what the agent found out",
    "redundancy": "repeats itself",
}


def evaluate(record: dict[str, Any] = RECORD, model: Callable[[str], str] | None = None, **metrics: Any) -> Any:
    generation = GEvalGenerationEvaluator(model=model or Model())
    return asyncio.run(AgentEvaluator(generation_evaluator=generation, **metrics).evaluate(record))


@pytest.mark.parametrize(
    ("record", "multiplied", "averaged"),
    [(RECORD, 0.5, 0.75), (HALF, 0.25, 0.5)],
    ids=["tools 1.0, answer 0.5", "tools 0.5, answer 0.5"],
)
def test_multiply_score_and_avg_score_are_made_of_tools_and_answer(
    record: dict[str, Any], multiplied: float, averaged: float
) -> None:
    result = evaluate(record)
    assert (result["multiply_score"], result["avg_score"]) == (multiplied, averaged)


def test_every_metric_has_a_score_of_its_own() -> None:
    result = evaluate(model=Model(completeness=3, groundedness=2, redundancy=1))
    assert result["deepeval_tool_correctness"]["score"] == 1.0
    generation = result["generation"]
    assert {name: generation[name]["score"] for name in ONE_TO_THREE} == {
        "completeness": 1.0,
        "groundedness": 0.5,
        "redundancy": 0.0,
    }
    assert generation["score"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert result["aggregate_score"] == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert not result["aggregate_success"]


def test_trajectory_is_not_judged_unless_its_metric_is_given() -> None:
    model = Model()
    assert "langchain_agent_trajectory_accuracy" not in evaluate(model=model)
    assert len(model.asked) == 3


def test_trajectory_never_counts_in_the_scores() -> None:
    without = evaluate()
    metric = LangChainAgentTrajectoryAccuracyMetric(model=Model(trajectory=False))
    result = evaluate(trajectory_accuracy_metric=metric)
    assert result["langchain_agent_trajectory_accuracy"]["score"] == 0.0
    scores = ("multiply_score", "avg_score", "aggregate_score", "aggregate_success")
    assert [result[name] for name in scores] == [without[name] for name in scores]


def test_injected_tool_correctness_decides_with_its_own_options() -> None:
    strict = DeepEvalToolCorrectnessMetric(strict_mode=True)
    assert evaluate(HALF, tool_correctness_metric=strict)["multiply_score"] == 0.0
    demanding = evaluate(HALF, tool_correctness_metric=DeepEvalToolCorrectnessMetric(threshold=0.6))
    assert not demanding["deepeval_tool_correctness"]["success"]


@pytest.mark.parametrize(("comparison", "judged", "score"), [(1.0, 0.4, 0.4), (0.5, 1.0, 0.5)])
def test_available_tools_make_the_lower_of_both_scores(comparison: float, judged: float, score: float) -> None:
    tools = [{"name": "search", "description": "Finds", "parameters": {"type": "object"}}]
    metric = DeepEvalToolCorrectnessMetric(
        model=lambda _: json.dumps({"reason": "it fits", "score": judged}), available_tools=tools
    )
    result = evaluate(RECORD if comparison == 1 else HALF, tool_correctness_metric=metric)
    assert result["deepeval_tool_correctness"]["score"] == score


def test_tools_come_from_the_trajectories_unless_they_are_given() -> None:
    derived = {key: value for key, value in RECORD.items() if key not in {"tools_called", "expected_tools"}}
    assert evaluate(derived)["deepeval_tool_correctness"]["score"] == 1.0
    none_called = evaluate({**RECORD, "tools_called": []})
    assert none_called["deepeval_tool_correctness"]["score"] == 0.0


def test_tool_may_have_a_name_alone() -> None:
    record = {**RECORD, "tools_called": [{"name": "search"}], "expected_tools": [{"name": "search"}]}
    assert evaluate(record)["deepeval_tool_correctness"]["score"] == 1.0


def test_combined_scores_are_open_if_a_part_has_none() -> None:
    unanswered = {key: value for key, value in RECORD.items() if key != "generated_response"}
    result = evaluate(unanswered)
    assert (result["multiply_score"], result["avg_score"]) == (None, None)
    assert result["generation"]["explanation"] == "not recorded: final_response"
    assert result["deepeval_tool_correctness"]["score"] == 1.0


def test_record_without_any_score_has_no_aggregate() -> None:
    result = evaluate({"query": "x"})
    combined = ("multiply_score", "avg_score", "aggregate_score", "aggregate_success")
    assert [result[key] for key in combined] == [None] * 4
    with pytest.raises(ValueError, match="did you mean 'query'"):
        evaluate({"quer": "x"})


def test_metric_without_what_it_needs_is_left_out_of_the_answer() -> None:
    record = {key: value for key, value in RECORD.items() if key != "expected_response"}
    assert "completeness" not in evaluate(record)["generation"]


def test_default_generation_evaluator_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ValueError, match="needs credentials"):
        AgentEvaluator()
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    assert AgentEvaluator().trajectory_accuracy_metric is None


# The metric of the trajectory


def test_trajectory_metric_has_the_defaults_of_the_document() -> None:
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(LangChainAgentTrajectoryAccuracyMetric).parameters.items()
    }
    assert defaults | {"model": "gpt-4.1", "use_reference": True, "continuous": False} == defaults


@pytest.mark.parametrize(
    ("answer", "options", "score"),
    [(True, {}, 1.0), (False, {}, 0.0), (0.7, {"continuous": True}, 0.7), (0.5, {"choices": [0, 0.5, 1]}, 0.5)],
    ids=["true", "false", "continuous", "choices"],
)
def test_trajectory_is_a_truth_value_or_a_number(answer: Any, options: dict[str, Any], score: float) -> None:
    metric = LangChainAgentTrajectoryAccuracyMetric(model=Model(trajectory=answer), **options)
    result = asyncio.run(metric.measure(**RECORD))
    assert (result.score, result.reason) == (score, "so it is")


@pytest.mark.parametrize("missing", ["agent_trajectory", "expected_agent_trajectory"])
def test_trajectory_metric_needs_both_trajectories(missing: str) -> None:
    metric = LangChainAgentTrajectoryAccuracyMetric(model=Model())
    record = {key: value for key, value in RECORD.items() if key != missing}
    result = asyncio.run(metric.measure(**record))
    assert (result.score, result.reason) == (None, f"{missing} is not given")


def test_trajectory_is_judged_alone_without_use_reference() -> None:
    model = Model()
    metric = LangChainAgentTrajectoryAccuracyMetric(model=model, use_reference=False)
    alone = {key: value for key, value in RECORD.items() if not key.startswith("expected")}
    assert asyncio.run(metric.measure(**alone)).score == 1.0
    assert "reference trajectory" not in model.asked[0]


def test_examples_are_shown_to_the_judge() -> None:
    model = Model()
    examples = [{"inputs": "Cancel it", "outputs": "cancelled", "score": True, "reasoning": "as asked"}]
    metric = LangChainAgentTrajectoryAccuracyMetric(model=model, few_shot_examples=examples)
    asyncio.run(metric.measure(**RECORD))
    assert "Cancel it" in model.asked[0]
