"""Floeval's guide "Agent Evaluation", example by example, with the figures that it states or implies."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.llm import Asked, llm

from tracegrade.collector.sources.floeval import (
    AgentDataset,
    AgentEvaluation,
    AgentSample,
    OpenAIProviderConfig,
    PartialAgentSample,
    capture_trace,
    create_flotorch_runner,
    log_tool_result,
    log_turn,
)

PARIS: dict[str, Any] = {
    "user_input": "Summarize today's weather for Paris.",
    "reference_outcome": "A short weather summary for Paris.",
    "trace": {
        "messages": [
            {"role": "human", "content": "Summarize today's weather for Paris."},
            {
                "role": "ai",
                "content": "I'll check the weather first.",
                "tool_calls": [{"name": "weather_lookup", "args": {"city": "Paris"}}],
            },
            {"role": "tool", "tool_name": "weather_lookup", "content": "Paris: 18C, light rain"},
            {"role": "ai", "content": "Paris is 18C with light rain today."},
        ],
        "final_response": "Paris is 18C with light rain today.",
    },
}
RESERVATION: dict[str, Any] = {
    "user_input": "Book a table for two at 7pm tomorrow.",
    "reference_outcome": "A confirmed reservation for two at 7pm tomorrow.",
    "reference_tool_calls": [{"name": "create_reservation", "args": {"party_size": 2, "time": "7pm tomorrow"}}],
}


def grade(score: float) -> str:
    return json.dumps({"score": score, "reasoning": "because"})


def expecting(city: str | None) -> dict[str, Any]:
    """The sample of Paris with an expected call."""
    calls = None if city is None else [{"name": "weather_lookup", "args": {"city": city}}]
    return {**PARIS, **({} if calls is None else {"reference_tool_calls": calls})}


def test_recorded_traces_are_evaluated_by_the_model_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "agent_dataset.json").write_text(json.dumps({"samples": [PARIS]}), encoding="utf-8")

    grades = iter([0.8, 0.9])
    with llm(lambda _: grade(next(grades))) as model:
        config = OpenAIProviderConfig(base_url=model.url, api_key="your-api-key", chat_model="gpt-4o-mini")
        dataset = AgentDataset.from_file(tmp_path / "agent_dataset.json")
        metrics = ["goal_achievement", "response_coherence"]
        results = AgentEvaluation(dataset=dataset, llm_config=config, metrics=metrics).run()
        assert [(asked.body["model"], asked.api_key) for asked in model.asked] == [("gpt-4o-mini", "your-api-key")] * 2
    assert results.summary == {"goal_achievement": 0.8, "response_coherence": 0.9}
    (row,) = results.sample_results
    assert (row["user_input"], row["final_response"], row["reference_outcome"]) == (
        PARIS["user_input"],
        "Paris is 18C with light rain today.",
        PARIS["reference_outcome"],
    )
    assert row["metrics"]["goal_achievement"]["score"] == 0.8


@pytest.mark.parametrize(("judged", "passed"), [(0.7, True), (0.69, False)], ids=["reaches", "below"])
def test_threshold_of_a_metric_decides_what_passes(*, judged: float, passed: bool) -> None:
    results = AgentEvaluation(
        dataset=AgentDataset([PARIS]),
        metrics=["goal_achievement"],
        metric_params={"goal_achievement": {"threshold": 0.7}},
        judge=lambda _: grade(judged),
    ).run()
    assert results.sample_results[0]["metrics"]["goal_achievement"]["metadata"]["passed"] is passed


@pytest.mark.parametrize(
    ("city", "score"), [("Paris", 1.0), ("Rome", 0.0), (None, None)], ids=["as expected", "other", "no reference"]
)
def test_tool_call_accuracy_needs_the_expected_calls(city: str | None, score: float | None) -> None:
    dataset = AgentDataset([AgentSample(**expecting(city))])
    results = AgentEvaluation(dataset=dataset, metrics=["ragas:tool_call_accuracy"]).run()
    assert results.sample_results[0]["metrics"]["tool_call_accuracy"]["score"] == score
    assert results.summary == ({} if score is None else {"tool_call_accuracy": score})


@pytest.mark.parametrize(
    ("name", "args", "score"),
    [
        ("create_reservation", {"party_size": 2, "time": "7pm tomorrow"}, 1.0),
        ("create_reservation", {"party_size": 2, "time": "8pm"}, 0.5),
        ("cancel", {"party_size": 2}, 0.0),
    ],
    ids=["exactly", "half of the arguments", "another tool"],
)
def test_function_is_run_where_a_trace_is_missing(name: str, args: dict[str, Any], score: float) -> None:
    @capture_trace
    def agent(user_input: str) -> str:
        log_turn("I book it.", [{"name": name, "args": args}])
        log_tool_result(name, {"ok": True})
        return "It is booked."

    dataset = AgentDataset([RESERVATION])
    results = AgentEvaluation(dataset=dataset, agent=agent, metrics=["ragas:tool_call_accuracy"]).run()
    (row,) = results.sample_results
    assert (row["final_response"], row["metrics"]["tool_call_accuracy"]["score"]) == ("It is booked.", score)


def test_captured_function_logs_its_turns() -> None:
    @capture_trace
    def support_agent(user_input: str) -> str:
        response = f"Handled request: {user_input}"
        log_turn(response)
        return response

    sample = PartialAgentSample(
        user_input="Reset my password", reference_outcome="Password reset instructions were provided."
    )
    prompts: list[str] = []

    def judge(prompt: str) -> str:
        prompts.append(prompt)
        return grade(0.75)

    evaluation = AgentEvaluation(
        dataset=AgentDataset([sample]), agent=support_agent, metrics=["goal_achievement"], judge=judge
    )
    results = evaluation.run()
    assert results.summary == {"goal_achievement": 0.75}
    assert results.sample_results[0]["final_response"] == "Handled request: Reset my password"
    assert "Reset my password" in prompts[0]
    assert support_agent("x") == "Handled request: x"


def test_captured_text_has_its_response_and_turns() -> None:
    @capture_trace
    def support_agent(user_input: str) -> str:
        log_turn("", tool_calls=[{"name": "search", "args": {}}])
        return f"Handled: {user_input}"

    answer: Any = support_agent("x")
    assert (answer, answer.final_response) == ("Handled: x", "Handled: x")
    assert [message["role"] for message in answer.messages] == ["assistant", "assistant"]


@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
def test_function_is_given_an_object_as_one_argument(*, is_async: bool) -> None:
    def answer(user_input: Any) -> str:
        return f"got {user_input['a']}"

    async def answer_later(user_input: Any) -> str:
        return answer(user_input)

    dataset = AgentDataset(samples=[PartialAgentSample(user_input={"a": 1})])
    agent = answer_later if is_async else answer
    results = AgentEvaluation(dataset, ["tool_call_success_rate"], agent=agent).run()
    assert results.sample_results[0]["final_response"] == "got 1"


def test_async_function_and_a_nested_one_are_one_run() -> None:
    @capture_trace
    def look_up(order: str) -> str:
        log_turn(None, [{"name": "look_up", "args": {"order": order}}])
        log_tool_result("look_up", "paid")
        return "paid"

    @capture_trace(name="support")
    async def agent(user_input: str) -> str:
        await asyncio.sleep(0)
        return f"It is {look_up('17')}."

    sample = {"user_input": "What of order 17?", "reference_tool_calls": [{"name": "look_up", "args": {"order": "17"}}]}
    evaluation = AgentEvaluation(AgentDataset([sample]), ["ragas:tool_call_accuracy"], agent=agent)
    results = asyncio.run(evaluation.arun())
    assert results.sample_results[0]["final_response"] == "It is paid."
    assert results.summary == {"tool_call_accuracy": 1.0}


def test_turn_outside_of_a_captured_function_warns() -> None:
    with pytest.warns(UserWarning, match="log_turn has no effect outside of a function with @capture_trace"):
        log_turn("lost")


def test_runner_asks_the_agent_of_its_name_and_runs_what_lacks_a_trace() -> None:
    def script(asked: Asked) -> str:
        return "It is booked." if asked.body["model"] == "support-agent" else grade(1.0)

    with llm(script) as model:
        config = OpenAIProviderConfig(base_url=model.url, api_key="your-gateway-key", chat_model="gpt-4o-mini")
        evaluation = AgentEvaluation(
            dataset=AgentDataset([RESERVATION]),
            agent_runner=create_flotorch_runner("support-agent", llm_config=config),
            llm_config=config,
            metrics=["goal_achievement", "ragas:tool_call_accuracy"],
        )
        results = evaluation.run()
    assert results.sample_results[0]["final_response"] == "It is booked."
    assert results.summary == {"goal_achievement": 1.0, "tool_call_accuracy": 0.0}


@pytest.mark.parametrize(
    ("arguments", "has_config", "expected"),
    [
        ({"base_url": "http://args/", "api_key": "a"}, True, ("http://args/", "a")),
        ({"api_key": "a"}, True, ("http://config/", "a")),
        ({}, True, ("http://config/", "c")),
        ({"base_url": "http://args/"}, False, ("http://args/", "e")),
        ({}, False, ("http://environment/", "e")),
    ],
    ids=["arguments", "each by itself", "configuration", "argument and environment", "environment"],
)
def test_credentials_are_those_of_arguments_then_configuration_then_environment(
    *, arguments: dict[str, Any], has_config: bool, expected: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOTORCH_BASE_URL", "http://environment/")
    monkeypatch.setenv("FLOTORCH_API_KEY", "e")
    config = OpenAIProviderConfig(base_url="http://config/", api_key="c") if has_config else None
    runner = create_flotorch_runner("a", llm_config=config, **arguments)
    assert (runner.base_url, runner.api_key) == expected


def test_missing_credentials_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FLOTORCH_API_KEY", raising=False)
    with pytest.raises(ValueError, match="lacks api_key: give it as an argument"):
        create_flotorch_runner("a", base_url="http://x/")


def test_file_with_both_kinds_keeps_both_and_their_metadata() -> None:
    samples = [{**expecting("Paris"), "metadata": {"ticket": 7}}, {"question": "Say hello.", "answer": "hello"}]
    results = AgentEvaluation(
        AgentDataset(samples), ["ragas:tool_call_accuracy"], agent=lambda question: f"hello: {question}"
    ).run()
    first, second = results.sample_results
    assert (first["metadata"], first["metrics"]["tool_call_accuracy"]["score"]) == ({"ticket": 7}, 1.0)
    assert (second["final_response"], second["reference_outcome"]) == ("hello: Say hello.", "hello")
    assert second["metrics"]["tool_call_accuracy"]["score"] is None


def test_summary_is_the_mean_over_the_samples_with_a_score() -> None:
    dataset = AgentDataset([expecting("Paris"), expecting(None), expecting("Rome")])
    results = AgentEvaluation(dataset, ["ragas:tool_call_accuracy"]).run()
    assert results.summary == {"tool_call_accuracy": 0.5}


def test_agent_that_fails_leaves_a_cause_and_the_others_go_on() -> None:
    def agent(question: str) -> str:
        if question == "fail":
            raise LookupError("there is no order")
        return "done"

    dataset = AgentDataset([{"user_input": "fail"}, {"user_input": "go"}])
    results = AgentEvaluation(dataset, ["goal_achievement"], agent=agent, judge=lambda _: grade(1.0)).run()
    failed, other = results.sample_results
    assert failed["metrics"]["goal_achievement"] == {
        "score": None,
        "metadata": {"error": "LookupError: there is no order"},
    }
    assert other["metrics"]["goal_achievement"]["score"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"dataset": AgentDataset([RESERVATION]), "metrics": ["goal_achievement"]}, ValueError, "no agent to run"),
        ({"dataset": AgentDataset([PARIS]), "metrics": ["goal_achievement"]}, ValueError, "give `llm_config`"),
        ({"dataset": AgentDataset([PARIS]), "metrics": []}, ValueError, "there are no metrics"),
        ({"dataset": AgentDataset([PARIS]), "metrics": ["goal_achievment"]}, ValueError, "mean 'goal_achievement'"),
        (
            {"dataset": AgentDataset([PARIS]), "metrics": ["ragas:tool_call_f1"], "metric_params": {"tool_call": {}}},
            ValueError,
            "metric_params names 'tool_call'",
        ),
        (
            {"dataset": AgentDataset([RESERVATION]), "metrics": ["ragas:tool_call_f1"], "agent_runner": object()},
            TypeError,
            "neither",
        ),
    ],
    ids=["no agent", "no model", "no metrics", "misspelt", "parameters of another", "no runner"],
)
def test_what_cannot_be_evaluated_is_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        AgentEvaluation(**arguments)
