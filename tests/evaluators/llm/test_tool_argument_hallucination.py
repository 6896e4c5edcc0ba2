"""Were the arguments of calls made up? What is asked of a judge, what it is shown, and what comes of its answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.agent_runs import make_message
from tests.support.judges import Judge, ask

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.definition.dialogue import Answer, BadAnswer, run_dialogue
from tracegrade.evaluators.llm.tool_argument_hallucination import ToolArgumentHallucination
from tracegrade.evaluators.model import (
    AgentTrace,
    Message,
    ReasoningPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)

TRIP = AgentTrace(
    input="Book a table for two in Paris and send me the address",
    tool_calls=(
        ToolCall(name="search", args={"city": "Paris"}, result='{"id": 7}'),
        ToolCall(name="book", args={"id": 7, "people": 2}, result="booked"),
    ),
    final_response="Your table is booked.",
)


def grounded(*calls: tuple[int, list[str]]) -> dict[str, Any]:
    return {
        "calls": [
            {"call": number, "made_up": made_up, "reason": "so it is", "grounded": not made_up}
            for number, made_up in calls
        ]
    }


HALVES = tuple(grounded((at, []), (at + 1, [])) for at in (1, 3, 5))


def found(call_id: str, name: str, result: str) -> tuple[Message, Message]:
    """A call and its result, as messages."""
    asked = make_message("assistant", ToolCallPart(id=call_id, name=name, arguments={"asked": call_id}))
    return asked, make_message("tool", ToolCallResponsePart(id=call_id, response=result))


def refund(*messages: Message, **fields: Any) -> AgentTrace:
    """A turn in which the order was paid back."""
    call = ToolCall(id="own", name="refund", args={"order": "ORDER-7"}, result="paid back to IBAN-1")
    return AgentTrace(input="refund it", messages=messages, tool_calls=(call,), final_response="Done.", **fields)


def shown(*turns: AgentTrace) -> list[str]:
    """The evidence of each question."""
    judge = Judge(*[grounded((1, []))] * len(turns))
    run_dialogue(ToolArgumentHallucination().ask(turns if len(turns) > 1 else turns[0]), judge)
    return [question.evidence for question in judge.asked]


def test_each_call_is_judged_and_made_up_arguments_are_named() -> None:
    score = ask(ToolArgumentHallucination().ask(TRIP), grounded((1, []), (2, ["people"])))
    assert score.value == 0.5
    assert score.explanation == "1 of 2 calls with ungrounded arguments: book (people)"
    assert [call["grounded"] for call in score.details["calls"]] == [True, False]


def test_call_without_arguments_makes_nothing_up_and_one_not_recorded_is_left_out() -> None:
    calls = (ToolCall.of("now"), ToolCall(name="secret"), ToolCall.of("search", city="Rome"))
    trace = TRIP.model_copy(update={"tool_calls": calls})
    score = ask(ToolArgumentHallucination().ask(trace), grounded((3, ["city"])))
    assert (score.value, score.details["not_judged"]) == (0.5, 1)


def test_many_calls_are_judged_in_several_questions_each_with_what_went_before() -> None:
    calls = tuple(ToolCall.of(f"t{number}", at=number) for number in range(1, 6))
    judge = Judge(grounded((1, []), (2, [])), grounded((3, []), (4, [])), grounded((5, ["at"])))
    trace = TRIP.model_copy(update={"tool_calls": calls})
    score: Any = run_dialogue(ToolArgumentHallucination(calls_a_question=2).ask(trace), judge)
    assert score.value == 0.8
    assert ["t5" in question.evidence for question in judge.asked] == [False, False, True]
    assert all("t1" in question.evidence for question in judge.asked)


def test_calls_that_come_later_ask_no_earlier_question_anew() -> None:
    calls = tuple(ToolCall(name="t", args={"at": at}, result=f"{at} " * 9_000) for at in range(1, 7))
    first, later = Judge(*HALVES[:2]), Judge(*HALVES)
    evaluator = ToolArgumentHallucination(calls_a_question=2)
    run_dialogue(evaluator.ask(TRIP.model_copy(update={"tool_calls": calls[:4]})), first)
    run_dialogue(evaluator.ask(TRIP.model_copy(update={"tool_calls": calls})), later)
    assert len(later.asked) == 3
    assert later.list_questions()[:2] == first.list_questions()


def test_many_calls_are_written_down_once_and_no_question_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    written = 0

    def counting(value: object, **options: Any) -> str:
        nonlocal written
        written += "result" in value if isinstance(value, dict) else 0
        return dumps(value, **options)

    dumps = json.dumps
    calls = tuple(ToolCall(name="t", args={"at": at}, result="x" * 3_000) for at in range(400))
    dialogue = ToolArgumentHallucination().ask(TRIP.model_copy(update={"tool_calls": calls}))
    monkeypatch.setattr(json, "dumps", counting)
    questions = next(dialogue)
    first = written
    while True:
        assert len(questions) == 1
        numbers = questions[0].instructions.partition("numbers: ")[2].partition(".")[0]
        told = grounded(*((int(number), []) for number in numbers.split(", ")))
        try:
            questions = dialogue.send([Answer(text="", value=told)])
        except StopIteration as end:
            assert end.value.value == 1.0
            break
    assert first <= 20 * 3
    assert written <= 400 * 3


def test_more_calls_than_can_be_judged_are_skipped_with_the_reason() -> None:
    trace = TRIP.model_copy(update={"tool_calls": (ToolCall.of("t", x=1),) * 1_001})
    score = ask(ToolArgumentHallucination().ask(trace))
    assert score.reason == "1,001 calls are too many to put to a judge (the limit is 1,000)"


CONTRADICTION = {
    "calls": [
        {"call": 1, "made_up": [], "reason": "", "grounded": True},
        {"call": 2, "made_up": ["id"], "reason": "", "grounded": True},
    ]
}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (grounded((1, [])), "asked for 1, 2"),
        (grounded((1, []), (3, [])), "asked for 1, 2"),
        (CONTRADICTION, "says both"),
        (
            grounded((1, []), (2, ["x"])),
            "call 2 it names 'x', which is not an argument of it; its arguments are id, people",
        ),
        (grounded((1, []), (2, ["peoples"])), "'peoples', which is not an argument of it"),
        (grounded((1, []), (2, [" "])), "' ', which is not an argument of it"),
    ],
    ids=[
        "one is missing",
        "one does not exist",
        "it contradicts itself",
        "no argument of the call",
        "begins like an argument",
        "a blank name",
    ],
)
def test_verdicts_on_other_calls_make_no_score(told: Any, why: str) -> None:
    with pytest.raises(BadAnswer, match=why):
        ask(ToolArgumentHallucination().ask(TRIP), told)


def test_what_is_inside_an_argument_may_be_named_and_what_no_arguments_were_read_of_by_any_name() -> None:
    calls = (ToolCall.of("book", guests=[{"name": "x"}], at={"day": 1}), ToolCall(name="ask", args_text="{broken"))
    told = grounded((1, ["guests[0].name", "at.day"]), (2, ["q"]))
    score = ask(ToolArgumentHallucination().ask(TRIP.model_copy(update={"tool_calls": calls})), told)
    assert score.explanation == "2 of 2 calls with ungrounded arguments: book (guests[0].name, at.day), ask (q)"


def test_answers_and_results_of_earlier_turns_are_shown_and_marked_as_earlier() -> None:
    history = (
        make_message("user", "which is my order?"),
        *found("1", "find", "ORDER-7"),
        make_message("assistant", "Your last one."),
    )
    [evidence] = shown(refund(*history, make_message("user", "refund it")))
    earlier = evidence.partition("begin earlier messages]")[2].partition("end earlier messages]")[0]
    assert '{"result_of": "find", "result": "ORDER-7", "is_error": false}' in earlier
    assert "Your last one." in earlier
    assert "which is my order?" not in earlier


@pytest.mark.parametrize(
    "messages",
    [
        (make_message("user", "refund it"), *found("own", "refund", "IBAN-1")),
        (make_message("system", "be kind"), make_message("user", "refund it"), make_message("assistant", "for IBAN-1")),
        (make_message("user", "refund it"), *found("own", "refund", "IBAN-1"), make_message("user", "hurry")),
        (
            make_message("user", "refund it"),
            make_message("assistant", "IBAN-1"),
            make_message("user", "x", ToolCallResponsePart(id="own", response="x")),
        ),
        (
            make_message("user", "hi"),
            make_message("assistant", ReasoningPart(content="IBAN-1")),
            make_message("user", "refund it"),
        ),
        (make_message("user", "hi"), found("IBAN-1", "find", "")[0], make_message("user", "refund it")),
        (),
    ],
    ids=[
        "a first turn",
        "an answer after the request",
        "a request in between",
        "results in words of the user",
        "what was thought",
        "what was called",
        "no messages",
    ],
)
def test_what_was_not_known_before_the_request_grounds_nothing(messages: tuple[Message, ...]) -> None:
    [evidence] = shown(refund(*messages))
    assert "earlier messages" not in evidence


def test_earlier_turn_whose_calls_have_the_same_ids_is_earlier_nevertheless() -> None:
    [evidence] = shown(
        refund(make_message("user", "find it"), *found("own", "find", "ORDER-8"), make_message("user", "refund it"))
    )
    assert "ORDER-8" in evidence


def test_session_grounds_the_calls_of_each_turn_in_the_turns_before() -> None:
    first, second = shown(TRIP.model_copy(update={"tool_calls": TRIP.tool_calls[:1]}), refund())
    assert "earlier turns" not in first
    earlier = second.partition("begin earlier turns]")[2].partition("end earlier turns]")[0]
    assert [json.loads(line) for line in earlier.splitlines()[1:-1]] == [
        {"turn": 1, "input": TRIP.input},
        {"turn": 1, "result_of": "search", "result": '{"id": 7}'},
        {"turn": 1, "answer": TRIP.final_response},
    ]
    assert "IBAN-1" not in second.partition("begin tool_calls]")[0]


def test_calls_of_all_turns_of_a_session_share_one_score() -> None:
    judge: Any = build({"use": "tool_argument_hallucination", "scope": "session"}).function
    score = ask(judge.ask((TRIP, AgentTrace(), refund())), grounded((1, []), (2, ["id"])), grounded((1, ["order"])))
    assert score.value == pytest.approx(1 / 3)
    assert [(call["position"], call["made_up"]) for call in score.details["calls"]] == [
        (0, []),
        (1, ["id"]),
        (2, ["order"]),
    ]
