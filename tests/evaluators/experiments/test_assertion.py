"""assert_scores passes only if every evaluator does, and its message says why one does not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_runs import make_call, make_run
from tests.support.evaluators import make_evaluator

from tracegrade.evaluators import AgentTrace, assert_scores, named
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.assertion import observing_assertions
from tracegrade.evaluators.model import ToolDefinition
from tracegrade.evaluators.named import tool_correctness, tool_error, tool_trajectory

CALLS = [("search", {"to": "Paris"}, "AF007"), ("book", {"n": 1}, "booked")]
RUN = make_run(CALLS, input="Fly to  Paris", agent_name="travel")


def failure(*evaluators: Any, run: AgentTrace = RUN, **options: Any) -> list[str]:
    with pytest.raises(AssertionError) as caught:
        assert_scores(run, *evaluators, **options)
    return str(caught.value).splitlines()


def test_run_that_passes_raises_nothing() -> None:
    calls = [{"name": "search", "args": {"to": "Paris"}}, "book"]
    assert_scores(RUN, tool_trajectory(mode="strict"), "tool_error", expected_tool_calls=calls)


def test_message_has_the_scores_and_the_calls_side_by_side() -> None:
    lines = failure(tool_trajectory(), tool_correctness(), "tool_error", expected_tool_calls=["search", "refund"])
    assert lines[0] == "2 scores of 3 evaluators did not pass on travel: Fly to Paris"
    assert lines[1].startswith("  tool_trajectory: 0.50, below 1: ")
    assert lines[2].startswith("  tool_correctness: 0.50, below ")
    assert lines[3:] == [
        "  calls (= as expected, ↕ in another order, ≠ other arguments, + not expected, - not made):",
        '    = search(to="Paris")  search(…)',
        "    + book(n=1)",
        "    -                     refund(…)",
    ]


def test_message_is_the_one_that_the_page_on_pytest_shows() -> None:
    page = (Path(__file__).parents[3] / "collector/docs/pytest.md").read_text(encoding="utf-8")
    (sample,) = re.findall(r"^```\n(2 scores.*?)^```", page, re.DOTALL | re.MULTILINE)
    call = make_call(("refund", {"order": 71}), status="error", error="no such order")
    run = make_run([call], input="I want my money back for order 17", agent_name="shop")
    expected = [{"name": "refund", "args": {"order": 17}}]
    lines = failure(tool_trajectory(mode="strict"), "tool_error", run=run, expected_tool_calls=expected)
    assert lines == sample.splitlines()


def test_calls_stand_alone_if_none_are_expected_of_the_run() -> None:
    failed = RUN.tool_calls[0].model_copy(update={"error": "no", "status": "error"})
    lines = failure(tool_error(), run=RUN.model_copy(update={"tool_calls": (failed,)}))
    assert lines[2:] == ["  calls:", '    search(to="Paris") failed']


def test_evaluation_without_a_score_fails_unless_that_is_allowed() -> None:
    assert failure("tool_trajectory")[1].startswith("  tool_trajectory: it was skipped: ")
    assert_scores(RUN, "tool_trajectory", allows_skipped=True)


def test_evaluator_that_raises_fails_with_its_error() -> None:
    def broken(_: AgentTrace) -> float:
        raise RuntimeError("no such file")

    assert failure(make_evaluator("own", broken))[1].startswith("  own: it failed: ")


def test_label_asserts_nothing() -> None:
    lines = failure(make_evaluator("mood", lambda _: "calm"))
    assert lines[1] == "  mood: calm neither passes nor fails: give it a threshold"


def test_evaluator_of_tool_definitions_names_the_tool_or_says_why_there_is_none() -> None:
    described = make_evaluator("described", lambda tool: float(bool(tool.description)), scope="tool", threshold=1.0)
    tools = (ToolDefinition(name="search", description="Finds flights"), ToolDefinition(name="book"))
    offered = RUN.model_copy(update={"tool_definitions": tools})
    assert failure(described, run=offered)[1] == "  described, tool book: 0.00, below 1: no explanation"
    assert failure(described)[1].endswith("and those that the agent was offered were not recorded")
    none = RUN.model_copy(update={"tool_definitions": ()})
    assert failure(described, run=none)[1].endswith("the agent was offered none")


def test_judge_may_be_async_within_a_running_loop_too() -> None:
    async def judge(_: str) -> str:
        return '{"reasoning": "fine", "score": 1.0}'

    async def main() -> None:
        assert_scores(make_run([], input="?", final_response="!"), "goal_achievement", judge=judge)

    asyncio.run(main())


def test_judge_is_asked() -> None:
    run = make_run([], input="?", final_response="!")
    assert_scores(run, "goal_achievement", judge=lambda _: '{"reasoning": "fine", "score": 1.0}')
    lines = failure("goal_achievement", run=run, judge=lambda _: '{"reasoning": "no", "score": 0.1}')
    assert lines[1].startswith("  goal_achievement: 0.10, below 0.5: no")


def test_expectations_replace_those_of_the_reference() -> None:
    run = make_run(["search"], expected=["refund"])
    assert_scores(run, "tool_trajectory", expected_tool_calls=["search"])
    trajectory = [{"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": "{}"}}]}]
    assert_scores(run, "tool_trajectory", expected_trajectory=trajectory)


@pytest.mark.parametrize(
    ("evaluators", "expected", "message"),
    [
        ([], {}, "assert_scores needs an evaluator"),
        (["tool_error"], {"expected_calls": []}, r"did you mean 'expected_tool_calls'\?"),
        (["tool_error"], {"expected_tool_calls": [{"nam": "x"}]}, "has no name"),
    ],
    ids=["no evaluator", "misspelt", "no name"],
)
def test_wrong_use_is_a_type_error(evaluators: list[str], expected: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        assert_scores(RUN, *evaluators, **expected)


def test_named_evaluators_take_their_options_and_a_threshold() -> None:
    made = tool_trajectory(mode="strict", threshold=0.5)
    assert (made.name, made.threshold) == ("tool_trajectory", 0.5)
    assert {"tool_trajectory", "tool_error", "geval"} <= set(dir(named))
    with pytest.raises(AttributeError, match=r"there is no evaluator 'tool_eror' \(did you mean 'tool_error'\?\)"):
        _ = named.tool_eror


def test_observer_sees_the_run_with_its_expectations_and_all_scores_even_of_a_failure() -> None:
    seen: list[tuple[AgentTrace, Sequence[ScoreRecord]]] = []
    with observing_assertions(lambda run, scores: seen.append((run, scores))):
        failure(tool_trajectory(), "tool_error", expected_tool_calls=["refund"])
        assert_scores(RUN, "tool_error")
    assert_scores(RUN, "tool_error")
    (failed, scores), (passed, _) = seen
    assert [(score.evaluator, score.passed) for score in scores] == [("tool_trajectory", False), ("tool_error", True)]
    assert [call.name for call in failed.expected_tool_calls or ()] == ["refund"]
    assert passed is RUN
