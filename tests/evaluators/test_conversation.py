from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.support.agent_runs import make_message

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.custom.per_turn import evaluate_conversation
from tracegrade.evaluators.model import AgentTrace, ToolCall, ToolDefinition

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it
SEARCH, BOOK = ToolDefinition(name="search"), ToolDefinition(name="book")


def turn(number: int, *calls: ToolCall, **fields: Any) -> AgentTrace:
    return AgentTrace(
        **{
            "agent_trace_id": f"run-{number}",
            "input": f"question {number}",
            "final_response": f"answer {number}",
            "started_at": NOON + timedelta(minutes=number),
            "tool_calls": calls,
            **fields,
        }
    )


LOST, FOUND = (
    ToolCall(name="search", args={"to": "Paris"}, result=result) for result in ('{"error": "lost"}', '{"id": "AF1"}')
)
RETRIED = ConversationTrajectory((turn(1, LOST), turn(2, FOUND, ToolCall.of("book", id="AF1"))))
TRANSCRIPT = """\
user: question 1
tool: search({"to":"Paris"}) -> {"error": "lost"}
assistant: answer 1
user: question 2
tool: search({"to":"Paris"}) -> {"id": "AF1"}
tool: book({"id":"AF1"})
assistant: answer 2"""
STRICTLY = configure("dokimos:tool_efficiency")


def test_runs_of_a_session_are_turns_in_the_order_they_began() -> None:
    later, sub_agent = turn(2), turn(3, parent_agent_trace_id="run-1")
    assert ConversationTrajectory.of([later, sub_agent, turn(1)]).turns == (turn(1), later)


def test_turns_that_began_at_the_same_time_are_ordered_by_their_ids() -> None:
    runs = [turn(number, started_at=NOON) for number in (3, 1, 2)]
    assert [run.input for run in ConversationTrajectory.of(runs).turns] == ["question 1", "question 2", "question 3"]


def test_runs_of_which_not_all_say_when_they_began_stay_as_they_are_given() -> None:
    assert ConversationTrajectory.of([turn(2), turn(1, started_at=None)]).turns[0] == turn(2)


def test_calls_are_told_by_turn_and_all_together() -> None:
    by_turn = RETRIED.tool_calls_by_turn()
    assert [[call.name for call in calls] for calls in by_turn] == [["search"], ["search", "book"]]
    assert [call.name for call in RETRIED.tool_calls] == ["search", "search", "book"]


def test_what_one_call_gave_can_be_compared_with_what_another_was_given() -> None:
    *_, found = RETRIED.results_as("search", dict[str, str])
    assert RETRIED.args_as("book", dict[str, str]) == (found,)


def test_whole_conversation_is_one_run_from_the_first_question_to_the_last_answer() -> None:
    whole = RETRIED.whole
    assert (whole.input, whole.final_response) == ("question 1", "answer 2")
    assert [message.text for message in whole.messages] == ["question 1", "answer 1", "question 2", "answer 2"]


def test_history_that_a_turn_repeats_is_told_once() -> None:
    first = (make_message("user", "a"), make_message("assistant", "b"))
    second = (*first, make_message("user", "c"))
    whole = ConversationTrajectory((turn(1, messages=first), turn(2, messages=second))).whole
    assert whole.messages == second


def test_tool_that_is_offered_again_counts_as_it_was_offered_last() -> None:
    better = ToolDefinition(name="search", description="Searches flights.")
    turns = turn(1, tool_definitions=(SEARCH, BOOK)), turn(2), turn(3, tool_definitions=(better,))
    assert ConversationTrajectory(turns).whole.tool_definitions == (better, BOOK)
    assert ConversationTrajectory((turn(1),)).whole.tool_definitions is None


def test_conversation_without_turns_is_an_empty_run() -> None:
    assert ConversationTrajectory(()).whole == AgentTrace()
    assert ConversationTrajectory(()).to_test_case().input == ""


@pytest.mark.parametrize(
    ("tasks", "asked"),
    [
        pytest.param(None, "question 2", id="last question, where only tools are judged"),
        pytest.param(
            ["book"],
            TRANSCRIPT,
            id="transcript, where tasks are judged",
        ),
    ],
)
def test_conversation_becomes_a_case(tasks: list[str] | None, asked: str) -> None:
    case = RETRIED.to_test_case([SEARCH, BOOK], tasks)
    assert case.input == asked
    assert case.trace.tool_definitions == (SEARCH, BOOK)
    assert case.run.tool_calls == RETRIED.tool_calls
    assert case.run.final_response == (None if tasks else "answer 2")


def test_each_turn_and_the_whole_are_judged_and_need_not_agree() -> None:
    scores = evaluate_conversation(STRICTLY, RETRIED)
    assert [score.value for (score,) in scores.turns] == [1.0, 1.0]
    assert scores.mean == 1.0
    assert scores.whole[0].value == pytest.approx(2 / 3)


def test_turn_that_is_skipped_is_left_out_of_the_mean() -> None:
    errors = configure("tool_error")
    scores = evaluate_conversation(errors, ConversationTrajectory((turn(1), turn(2, LOST))))
    assert [score.status for (score,) in scores.turns] == ["skipped", "scored"]
    assert scores.mean == 0.0
    assert evaluate_conversation(errors, ConversationTrajectory((turn(1),))).mean is None
