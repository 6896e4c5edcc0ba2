"""Our evaluators that ask: what they ask, and what they make of the answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.judges import Judge, ask

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.specification import WrongSpec
from tracegrade.evaluators.checks.tool_description_reliability import ToolDescriptionReliability
from tracegrade.evaluators.checks.tool_name_reliability import ToolNameReliability
from tracegrade.evaluators.definition.dialogue import BadAnswer, run_dialogue
from tracegrade.evaluators.llm.goal_achievement import GoalAchievement
from tracegrade.evaluators.llm.response_coherence import ResponseCoherence
from tracegrade.evaluators.llm.task_completion import TaskCompletion
from tracegrade.evaluators.llm.tool_argument_hallucination import ToolArgumentHallucination
from tracegrade.evaluators.llm.trajectory_faithfulness import TrajectoryFaithfulness
from tracegrade.evaluators.model import AgentTrace, Message, Reference, TextPart, ToolCall, ToolDefinition

TRIP = AgentTrace(
    input="Book a table for two in Paris and send me the address",
    tool_calls=(
        ToolCall(name="search", args={"city": "Paris"}, result='{"id": 7}'),
        ToolCall(name="book", args={"id": 7, "people": 2}, result="booked"),
    ),
    final_response="Your table is booked.",
)
SAID = TRIP.model_copy(update={"messages": (Message(role="user", parts=(TextPart(content="hi"),)),) * 2})
GOOD = {"reasoning": " It did. ", "score": 0.75}


def with_reference(**fields: Any) -> AgentTrace:
    return TRIP.model_copy(update={"reference": Reference(**fields)})


def done(completed: str) -> dict[str, Any]:
    """A verdict on each task: x where it was completed."""
    return {
        "tasks": [{"task": at, "reason": "so it is", "completed": each == "x"} for at, each in enumerate(completed, 1)],
    }


@pytest.mark.parametrize("evaluator", [GoalAchievement(), ResponseCoherence()], ids=["goal", "coherence"])
def test_grade_is_the_judges_number_with_its_reasons_and_what_it_saw(evaluator: Any) -> None:
    score = ask(evaluator.ask(TRIP), GOOD)
    assert (score.value, score.explanation) == (0.75, "It did.")
    assert "final_response" in score.details["evidence"]["parts"]


def test_conversation_is_judged_as_a_whole() -> None:
    judge = Judge(GOOD)
    run_dialogue(GoalAchievement().ask((TRIP, TRIP)), judge)
    assert "turn 2: final_response" in judge.asked[0].evidence


@pytest.mark.parametrize(
    ("evaluator", "trace", "reason"),
    [
        (GoalAchievement(), AgentTrace(final_response="done"), "what the user asked for was not recorded"),
        (GoalAchievement(), AgentTrace(input="do"), "neither an answer nor tool calls were recorded"),
        (GoalAchievement(), (), "what the user asked for was not recorded"),
        (ResponseCoherence(), AgentTrace(input="do"), "the final response was not recorded"),
        (ResponseCoherence(), AgentTrace(final_response="done"), "nothing before the final response"),
        (TrajectoryFaithfulness(), AgentTrace(input="do"), "fewer than two steps were recorded"),
        (TaskCompletion(), TRIP, "no reference says which tasks there were"),
        (TaskCompletion(), with_reference(tasks=()), "there are no tasks to complete"),
        (TaskCompletion(extract_tasks=True), AgentTrace(final_response="x"), "what the user asked for was not"),
        (ToolArgumentHallucination(), AgentTrace(input="do"), "the agent called no tools"),
        (ToolArgumentHallucination(), AgentTrace(tool_calls=(ToolCall.of("a", b=1),)), "what the user asked for"),
        (
            ToolArgumentHallucination(),
            AgentTrace(input="do", tool_calls=(ToolCall(name="a"),)),
            "no arguments of tool calls were recorded",
        ),
    ],
    ids=[
        "goal without a request",
        "goal without an outcome",
        "goal of an empty conversation",
        "coherence without an answer",
        "coherence with nothing before",
        "one step only",
        "no tasks said",
        "no task at all",
        "nothing to find tasks in",
        "no calls",
        "calls without a request",
        "calls without arguments",
    ],
)
def test_what_was_not_recorded_is_skipped_and_nobody_is_asked(evaluator: Any, trace: Any, reason: str) -> None:
    score = ask(evaluator.ask(trace))
    assert score.status == "skipped"
    assert (score.reason or "").startswith(reason)


def test_issues_of_a_trajectory_stand_in_the_details() -> None:
    score = ask(TrajectoryFaithfulness().ask(SAID), {**GOOD, "issues": ["it went in a circle"]})
    assert score.details["issues"] == ["it went in a circle"]


def test_tasks_of_the_reference_are_matched_by_their_number() -> None:
    trace = with_reference(tasks=("book a table", "send the address"), constraints=("for two",))
    judge = Judge({"tasks": list(reversed(done("x-")["tasks"]))})
    score: Any = run_dialogue(TaskCompletion().ask(trace), judge)
    assert score.value == 0.5
    assert score.explanation == '1 of 2 tasks completed; not completed: "send the address"'
    assert [task["completed"] for task in score.details["tasks"]] == [True, False]
    assert score.details["tasks_from"] == "reference"
    assert "for two" in judge.asked[0].evidence
    assert "book a table" not in judge.asked[0].instructions


def test_tasks_that_were_not_completed_are_named_shortened_and_three_at_most() -> None:
    tasks = ("book\n  a table", "x" * 61, "c", "d")
    score = ask(TaskCompletion().ask(with_reference(tasks=tasks)), done("----"))
    named = f'"book a table", "{"x" * 60}…", "c" and 1 more'
    assert score.explanation == f"0 of 4 tasks completed; not completed: {named}"


@pytest.mark.parametrize("told", [done("x"), done("xxx"), {"tasks": done("x")["tasks"] * 2}])
def test_verdicts_that_belong_to_no_task_make_no_score(told: Any) -> None:
    with pytest.raises(BadAnswer, match="asked for 1, 2"):
        ask(TaskCompletion().ask(with_reference(tasks=("a", "b"))), told)


def test_tasks_that_nobody_said_are_found_by_the_judge_and_marked_so() -> None:
    found = {"tasks": ["Book a table for two in Paris", "Send the address"]}
    judge = Judge(found, done("x-"))
    score: Any = run_dialogue(TaskCompletion(extract_tasks=True).ask(TRIP), judge)
    assert (score.value, score.details["tasks_from"]) == (0.5, "judge")
    assert "booked" not in judge.asked[0].evidence
    assert "Send the address" in judge.asked[1].evidence


def test_request_that_asks_for_nothing_is_skipped() -> None:
    score = ask(TaskCompletion(extract_tasks=True).ask(TRIP), {"tasks": []})
    assert (score.status, score.details["tasks_from"]) == ("skipped", "judge")


def checks(*names: str, failed: str = "") -> dict[str, Any]:
    return {name: {"reason": "so it is", "passed": name != failed} for name in names}


NAME_CHECKS = ("clarity", "name_order", "intent_over_implementation")
DESCRIPTION_CHECKS = (
    "general_structure",
    "has_examples",
    "has_usage_notes",
    "intent_over_implementation",
    "clarity",
    "redundancy",
    "return_statement_quality",
)
PARAMETER_CHECKS = ("input_arguments_enum", "input_arguments_format")


def test_judge_adds_its_checks_to_those_of_a_name() -> None:
    score = ask(ToolNameReliability().ask(ToolDefinition(name="find_hotel")), checks(*NAME_CHECKS, failed="clarity"))
    assert score.value == 0.8
    assert score.details["faults"] == {"clarity": "so it is"}


def test_what_the_rule_finds_no_judge_takes_back() -> None:
    tool = ToolDefinition(name="summarize_with_llm")
    score = ask(ToolNameReliability().ask(tool), checks(*NAME_CHECKS))
    assert score.details["checks"]["intent_over_implementation"] == "failed"
    assert score.value == 0.8


def test_judge_is_asked_of_a_tool_only_what_was_recorded() -> None:
    tool = ToolDefinition(name="find_hotel", description="Finds hotels.")
    score = ask(ToolDescriptionReliability().ask(tool), checks(*DESCRIPTION_CHECKS, failed="has_examples"))
    assert score.value == 7 / 8
    assert {score.details["checks"][name] for name in PARAMETER_CHECKS} == {"skipped"}


def test_tool_of_which_everything_is_known_has_fourteen_checks() -> None:
    schema = {"properties": {"city": {"type": "string", "description": "where"}}, "required": ["city"]}
    tool = ToolDefinition(name="find_hotel", description="Finds hotels.", input_schema=schema)
    score = ask(ToolDescriptionReliability().ask(tool), checks(*DESCRIPTION_CHECKS, *PARAMETER_CHECKS))
    assert (score.value, len(score.details["checks"])) == (1.0, 14)


def test_tool_of_which_nothing_was_recorded_is_not_asked_about() -> None:
    assert ask(ToolDescriptionReliability().ask(ToolDefinition(name="t"))).status == "skipped"


def test_same_run_asks_the_same_questions() -> None:
    one, other = Judge(GOOD), Judge(GOOD)
    run_dialogue(GoalAchievement().ask(TRIP), one)
    run_dialogue(GoalAchievement().ask(AgentTrace.model_validate_json(TRIP.model_dump_json())), other)
    assert one.list_questions() == other.list_questions()
    assert json.dumps(one.asked[0].form) == json.dumps(other.asked[0].form)


@pytest.mark.parametrize("name", ["goal_achievement", "tool_error", "deepeval:tool_correctness"])
def test_evaluator_of_runs_judges_sessions_too(name: str) -> None:
    assert build({"use": name, "scope": "session"}).scope == "session"


def test_evaluator_that_sees_runs_alone_cannot_be_given_a_session() -> None:
    with pytest.raises(WrongSpec, match="evaluates in scope trace; leave `scope` out"):
        build({"use": "gl:generation", "scope": "session"})
