"""The functions of LangChain's agentevals, with the examples of its README."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tracegrade.evaluators.compat.langchain.api import (
    TOOL_SELECTION_PROMPT,
    TRAJECTORY_ACCURACY_PROMPT,
    TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE,
    create_async_graph_trajectory_llm_as_judge,
    create_async_trajectory_llm_as_judge,
    create_async_trajectory_match_evaluator,
    create_graph_trajectory_llm_as_judge,
    create_trajectory_llm_as_judge,
    create_trajectory_match_evaluator,
    graph_trajectory_strict_match,
    graph_trajectory_strict_match_async,
)


def asks(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    functions = [{"function": {"name": name, "arguments": json.dumps(args)}} for name, args in calls]
    return {"role": "assistant", "content": "", "tool_calls": functions}


def spoken(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}


def trajectory(*calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A question about the weather, these calls at once, and an answer."""
    results = [spoken("tool", "It's 80 degrees") for _ in calls]
    return [spoken("user", "What is the weather in SF?"), asks(*calls), *results, spoken("assistant", "80 degrees.")]


WEATHER = ("get_weather", {"city": "San Francisco"})
LOWER = ("get_weather", {"city": "san francisco"})
ALERTS = ("get_alerts", {"state": "CA"})


def good(_: str) -> str:
    return json.dumps({"reasoning": "The trajectory makes sense.", "score": True})


@pytest.mark.parametrize(
    ("mode", "outputs", "expected", "score"),
    [
        ("strict", trajectory(WEATHER), trajectory(WEATHER), True),
        ("strict", trajectory(WEATHER), trajectory(WEATHER, ALERTS), False),
        ("unordered", trajectory(ALERTS, WEATHER), trajectory(WEATHER, ALERTS), True),
        ("superset", trajectory(WEATHER, ALERTS), trajectory(WEATHER), True),
        ("subset", trajectory(WEATHER), trajectory(WEATHER, ALERTS), True),
        ("subset", trajectory(WEATHER, ALERTS), trajectory(WEATHER), False),
    ],
    ids=["strict", "strict, one missing", "unordered", "superset", "subset", "no subset"],
)
def test_match_is_a_truth_value_under_the_key_of_its_mode(mode: Any, outputs: Any, expected: Any, score: bool) -> None:  # noqa: FBT001
    evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode)
    result = evaluator(outputs=outputs, reference_outputs=expected)
    assert result == {"key": f"trajectory_{mode}_match", "score": score, "comment": None}


def test_override_of_one_tool_may_be_a_function() -> None:
    same = create_trajectory_match_evaluator(
        trajectory_match_mode="strict",
        tool_args_match_mode="exact",
        tool_args_match_overrides={"get_weather": lambda x, y: x["city"].lower() == y["city"].lower()},
    )
    assert same(outputs=trajectory(WEATHER), reference_outputs=trajectory(LOWER))["score"] is True
    exact = create_trajectory_match_evaluator()
    assert exact(outputs=trajectory(WEATHER), reference_outputs=trajectory(LOWER))["score"] is False
    ignoring = create_trajectory_match_evaluator(tool_args_match_mode="ignore")
    assert ignoring(outputs=trajectory(WEATHER), reference_outputs=trajectory(LOWER))["score"] is True


def test_match_evaluator_can_be_awaited() -> None:
    evaluator = create_async_trajectory_match_evaluator(trajectory_match_mode="unordered")
    messages = trajectory(WEATHER)
    result = asyncio.run(evaluator(outputs={"messages": messages}, reference_outputs={"messages": messages}))
    assert result["score"] is True


@dataclass
class LangChainMessage:
    """The fields of LangChain's message classes that are read."""

    type: str
    content: str
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    tool_call_id: str | None = None


def test_messages_of_langchain_are_read() -> None:
    messages = [
        LangChainMessage("human", "What is the weather in SF?"),
        LangChainMessage("ai", "", tool_calls=[{"name": "get_weather", "args": WEATHER[1], "id": "c1"}]),
        LangChainMessage("tool", "It's 80 degrees", tool_call_id="c1"),
        LangChainMessage("ai", "80 degrees."),
    ]
    evaluator = create_trajectory_match_evaluator()
    assert evaluator(outputs=messages, reference_outputs=trajectory(WEATHER))["score"] is True


def test_judge_gives_a_truth_value_with_its_reasons() -> None:
    evaluator = create_trajectory_llm_as_judge(judge=good, prompt=TRAJECTORY_ACCURACY_PROMPT)
    assert evaluator(outputs=trajectory(WEATHER)) == {
        "key": "trajectory_accuracy",
        "score": True,
        "comment": "The trajectory makes sense.",
    }


def test_judge_is_shown_the_reference_if_there_is_one() -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return good(prompt)

    evaluator = create_trajectory_llm_as_judge(judge=judge, prompt=TRAJECTORY_ACCURACY_PROMPT_WITH_REFERENCE)
    evaluator(outputs=trajectory(WEATHER), reference_outputs=trajectory(WEATHER))
    evaluator(outputs=trajectory(WEATHER))
    assert ["reference trajectory" in prompt for prompt in asked] == [True, False]


def test_judge_of_the_choice_of_tools_sees_no_reference() -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return good(prompt)

    evaluator = create_trajectory_llm_as_judge(judge=judge, prompt=TOOL_SELECTION_PROMPT, feedback_key="tools")
    result = evaluator(outputs=trajectory(WEATHER), reference_outputs=trajectory(ALERTS))
    assert (result["key"], result["score"]) == ("tools", True)
    assert "You grade which tools" in asked[0]
    assert "get_alerts" not in asked[0]


class ChatModel:
    """A chat model of LangChain's kind."""

    def invoke(self, prompt: str) -> LangChainMessage:
        assert "What is the weather in SF?" in prompt
        return LangChainMessage("ai", json.dumps({"reasoning": "fine", "score": 0.7}))


def test_judge_may_be_a_chat_model_and_the_score_a_number() -> None:
    evaluator = create_trajectory_llm_as_judge(judge=ChatModel(), continuous=True, feedback_key="accuracy")
    result = evaluator(outputs=trajectory(WEATHER), reference_outputs=trajectory(WEATHER))
    assert result == {"key": "accuracy", "score": 0.7, "comment": "fine"}


def test_judge_can_be_awaited_and_shown_examples() -> None:
    asked: list[str] = []

    async def judge(prompt: str) -> str:
        asked.append(prompt)
        return good(prompt)

    evaluator = create_async_trajectory_llm_as_judge(
        judge=judge, few_shot_examples=[{"inputs": {"q": "Cancel it"}, "outputs": [spoken("user", "x")], "score": 1}]
    )
    result = asyncio.run(evaluator(outputs=trajectory(WEATHER), reference_outputs=trajectory(WEATHER)))
    assert result["score"] is True
    assert "Cancel it" in asked[0]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "name a `model`, or give a `judge`"),
        ({"judge": good, "prompt": "Is it good?"}, "use the evaluator geval with your criteria"),
    ],
    ids=["no judge", "another prompt"],
)
def test_wrong_arguments_of_a_judge_are_refused(arguments: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        create_trajectory_llm_as_judge(**arguments)


def test_wrong_mode_or_message_is_refused() -> None:
    with pytest.raises(ValueError, match="trajectory_match_mode"):
        create_trajectory_match_evaluator(trajectory_match_mode="loose")  # type: ignore[arg-type]  # a misspelt mode
    with pytest.raises(ValueError, match=r"outputs\[0\] is text"):
        create_trajectory_match_evaluator()(outputs=["hi"], reference_outputs=[])


# Graphs


INPUTS = [{"__start__": {"messages": ["what's the weather in sf?"]}}, "__resuming__"]
GRAPH = {
    "results": [{}, {"messages": [spoken("assistant", "It is rainy and 70 degrees!")]}],
    "steps": [["__start__", "agent", "tools", "__interrupt__"], ["agent"]],
}


@pytest.mark.parametrize(
    ("steps", "score"),
    [
        (GRAPH["steps"], True),
        ([["__start__", "agent", "tools", "__interrupt__"]], False),
        ([["__start__", "tools", "agent", "__interrupt__"], ["agent"]], False),
        ([], False),
    ],
    ids=["same", "a turn less", "another order", "none"],
)
def test_graphs_match_if_the_same_nodes_ran(steps: Any, score: bool) -> None:  # noqa: FBT001
    expected = {"results": [], "steps": steps}
    result = graph_trajectory_strict_match(outputs=GRAPH, reference_outputs=expected)
    assert result == {"key": "graph_trajectory_strict_match", "score": score, "comment": None}
    assert asyncio.run(graph_trajectory_strict_match_async(outputs=GRAPH, reference_outputs=expected)) == result


def test_judge_of_a_graph_sees_inputs_nodes_and_results() -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        return good(prompt)

    evaluator = create_graph_trajectory_llm_as_judge(judge=judge)
    result = evaluator(inputs={"inputs": INPUTS}, outputs=GRAPH)
    evaluator(inputs=INPUTS, outputs=GRAPH, reference_outputs={**GRAPH, "inputs": INPUTS})
    assert (result["key"], result["score"]) == ("graph_trajectory_accuracy", True)
    places = [asked[0].index(text) for text in ("weather in sf", "(the graph waits", "__resuming__", "70 degrees")]
    assert places == sorted(places)
    assert ["reference trajectory" in prompt for prompt in asked] == [False, True]


def test_judge_of_a_graph_can_be_awaited() -> None:
    evaluator = create_async_graph_trajectory_llm_as_judge(judge=good, feedback_key="graph")
    assert asyncio.run(evaluator(outputs=GRAPH))["key"] == "graph"


@pytest.mark.parametrize(
    ("outputs", "complaint"),
    [
        (None, "outputs is no trajectory of a graph: `steps`"),
        ([spoken("user", "hi")], "outputs is no trajectory of a graph: `steps`"),
        ({"steps": [["agent"], ["agent"]]}, "outputs is no trajectory of a graph: `results`"),
        ({"steps": [["agent"]], "results": [{}]}, "the lists have 2, 1 and 1 entries"),
    ],
    ids=["nothing", "messages", "no results", "an input too many"],
)
def test_graph_that_is_not_whole_is_refused(outputs: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        create_graph_trajectory_llm_as_judge(judge=good)(inputs=INPUTS, outputs=outputs)
