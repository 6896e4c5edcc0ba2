"""ADK's hallucinations: what the judge is shown and asked, and what is made of its labels."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.agent_runs import make_call, make_message
from tests.support.judges import Judge, ask

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.compat.adk import Hallucinations
from tracegrade.evaluators.definition.dialogue import BadAnswer, run_dialogue
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import (
    AgentTrace,
    ReasoningPart,
    Score,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

REQUEST, RESPONSE = "Is it sunny in Paris?", "It is sunny. Enjoy the day!"
SEARCH = make_call(("weather", {"city": "Paris"}, "sunny, 24 C"))
ASKED = make_message("assistant", "Let me look.", ToolCallPart(name="weather", arguments={"city": "Paris"}))
FOUND = make_message("tool", ToolCallResponsePart(name="weather", response="sunny, 24 C"))
ANSWER = ToolCallPart(name="final_answer", arguments={"answer": RESPONSE})
RUN = AgentTrace(
    input=REQUEST,
    messages=(
        make_message("system", "Answer in one line."),
        make_message("user", "Who are you?"),
        make_message("assistant", "I am the oracle of Delphi."),
        make_message("user", REQUEST),
        ASKED,
        FOUND,
        make_message("assistant", RESPONSE),
    ),
    tool_calls=(SEARCH,),
    tool_definitions=(ToolDefinition(name="weather", description="Tells the weather."),),
    final_response=RESPONSE,
)
SENTENCES = {"sentences": ["It is sunny.", "Enjoy the day!"]}


def label(*labels: str | None, **fields: Any) -> dict[str, Any]:
    """An answer with these labels of the first sentences, None for an entry without one."""
    entries = [
        {"sentence": at, **({} if one is None else {"label": one}), **fields} for at, one in enumerate(labels, 1)
    ]
    return {"labels": entries}


def find_context(run: AgentTrace, **options: Any) -> str:
    """What the judge is shown for the labels of the final response."""
    judge = Judge(SENTENCES, label("supported", "supported"))
    run_dialogue(Hallucinations(**options).ask(run), judge)
    return judge.asked[-1].evidence


def change(**fields: Any) -> AgentTrace:
    return RUN.model_copy(update=fields)


def test_share_of_sentences_with_support_is_the_value() -> None:
    score = ask(Hallucinations().ask(RUN), SENTENCES, label("contradictory", "not_applicable", rationale="it rained"))
    assert score.value == 0.5
    assert score.explanation == "1 of 2 sentences supported or in no need of it; 1 contradictory"
    assert score.details["responses"] == [
        {
            "value": 0.5,
            "sentences": [
                {"sentence": "It is sunny.", "label": "contradictory", "rationale": "it rained"},
                {"sentence": "Enjoy the day!", "label": "not_applicable", "rationale": "it rained"},
            ],
        }
    ]


def test_sentence_without_a_label_is_left_out() -> None:
    score = ask(Hallucinations().ask(RUN), SENTENCES, label("supported", None))
    assert score.value == 1
    assert score.explanation == "1 of 1 sentence supported or in no need of it; 1 without a label"
    assert [told["label"] for told in score.details["responses"][0]["sentences"]] == ["supported", None]


@pytest.mark.parametrize("entry", [None, "supported", 7, [], {"label": 3}, {"label": ["supported"]}], ids=repr)
def test_entry_that_is_no_label_spoils_no_other(entry: Any) -> None:
    answer = {"labels": [entry, {"sentence": "2", "label": "unsupported"}]}
    assert ask(Hallucinations().ask(RUN), SENTENCES, answer).value == 0


def test_first_question_shows_the_response_alone() -> None:
    judge = Judge(SENTENCES, label("supported", "supported"))
    run_dialogue(Hallucinations().ask(RUN), judge)
    assert RESPONSE in judge.asked[0].evidence
    assert "sunny, 24 C" not in judge.asked[0].evidence
    assert all(question.form is not None for question in judge.asked)


def test_context_has_instructions_request_tools_and_results() -> None:
    shown = find_context(RUN)
    places = [shown.index(text) for text in ("one line", REQUEST, "Tells the", "Let me look", "24 C", "Enjoy the day!")]
    assert places == sorted(places)


def test_context_lacks_the_response_itself_and_earlier_turns() -> None:
    shown = find_context(RUN)
    assert RESPONSE not in shown
    assert "Delphi" not in shown


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(
            (make_message("assistant", "It is sunny."), make_message("assistant", "Enjoy the day!")), id="pieces"
        ),
        pytest.param((make_message("assistant", "[[answer]] " + RESPONSE),), id="with marks around"),
        pytest.param((make_message("assistant", RESPONSE, ASKED.parts[1]), FOUND), id="before its last call"),
        pytest.param((make_message("assistant", ReasoningPart(content=RESPONSE)), FOUND), id="as a thought"),
        pytest.param((make_message("assistant", ANSWER), FOUND), id="as an argument"),
    ],
)
def test_response_does_not_support_itself(said: tuple[Any, ...]) -> None:
    run = change(messages=(*RUN.messages[:6], *said))
    steps = find_context(run).partition("begin sentences")[0]
    assert "24 C" in steps
    assert "Enjoy" not in steps


def test_calls_outside_of_messages_are_context() -> None:
    child = make_call(("hotels", {}, "three hotels"), child_agent_trace_id="t-2")
    assert "three hotels" in find_context(change(tool_calls=(SEARCH, child)))
    assert "24 C" in find_context(change(messages=()))


@pytest.mark.parametrize(
    ("response", "args"),
    [(RESPONSE, {"answer": RESPONSE}), ('{"sky": "blue"}', {"sky": "blue"})],
    ids=["text", "structured"],
)
def test_call_that_gives_the_response_is_no_context(response: str, args: dict[str, str]) -> None:
    calls = (SEARCH, ToolCall.of("final_answer", args))
    steps = find_context(change(messages=(), tool_calls=calls, final_response=response)).partition("begin sentences")[0]
    assert "24 C" in steps
    assert "final_answer" not in steps


def test_long_response_is_split_whole() -> None:
    judge = Judge(SENTENCES, label("supported", "supported"))
    run_dialogue(Hallucinations().ask(change(final_response=RESPONSE * 1_000)), judge)
    assert RESPONSE * 1_000 in judge.asked[0].evidence


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        pytest.param(change(input=None), "what the user asked for was not recorded", id="request"),
        pytest.param(change(final_response=None), "the final response was not recorded", id="response"),
        pytest.param(change(final_response=" "), "there is no text in the response", id="no text"),
        pytest.param(
            change(tool_calls=(ToolCall.of("weather"), ToolCall.of("weather"))),
            "results of tool calls were not recorded: weather",
            id="results",
        ),
    ],
)
def test_what_was_not_recorded_is_never_scored(run: AgentTrace, reason: str) -> None:
    score = ask(Hallucinations().ask(run))
    assert (score.status, score.reason) == ("skipped", reason)


def test_run_without_recorded_calls_is_skipped() -> None:
    configured = build({"use": "adk:hallucinations_v1", "judge": "default"})
    run = change(tool_calls=(), messages=(), gaps=("tool_calls_not_recorded",))
    (record,) = evaluate(configured, run, judge=pytest.fail)
    assert record.status == "skipped"
    assert record.reason == "tool calls were not recorded (tool_calls_not_recorded)"


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolCall.of("transfer_to_agent"), id="hand-off"),
        pytest.param(ToolCall(name="weather", error="timeout", status="error"), id="error"),
        pytest.param(ToolCall(name="weather", status="not_executed"), id="not executed"),
    ],
)
def test_call_that_found_nothing_out_needs_no_result(call: ToolCall) -> None:
    score = ask(Hallucinations().ask(change(tool_calls=(SEARCH, call))), SENTENCES, label("supported", "supported"))
    assert score.value == 1


@pytest.mark.parametrize("written", ["```json\n{}\n```", "<think>{{}}</think>{}", "Here they are: {} Anything else?"])
def test_answers_may_have_fences_thought_and_prose(written: str) -> None:
    answers = [written.replace("{}", json.dumps(answer)) for answer in (SENTENCES, label("supported", "disputed"))]
    assert ask(Hallucinations().ask(RUN), *answers).value == 0.5


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        pytest.param([""], "there is no JSON object in it", id="empty"),
        pytest.param(["It is sunny."], "there is no JSON object in it", id="prose"),
        pytest.param([{"sentences": [" "]}], "there are no sentences in it", id="blank sentences"),
        pytest.param([SENTENCES, ""], "there is no JSON object in it", id="empty labels"),
        pytest.param([SENTENCES, {"labels": []}], "there is no label in it", id="no labels"),
        pytest.param([SENTENCES, label("fine", "good")], "there is no label in it", id="other labels"),
        pytest.param([SENTENCES, '{"labels": [{"sentence": 1'], "its JSON cannot be read", id="cut off"),
    ],
)
def test_answers_without_any_label_give_no_score(answers: list[Any], fault: str) -> None:
    with pytest.raises(BadAnswer, match=fault):
        ask(Hallucinations().ask(RUN), *answers)


# Intermediate responses


BETWEEN = Hallucinations(evaluate_intermediate_nl_responses=True)


def test_intermediate_response_sees_only_what_came_before() -> None:
    judge = Judge(
        {"sentences": ["Let me look."]}, SENTENCES, label("not_applicable"), label("supported", "unsupported")
    )
    score = run_dialogue(BETWEEN.ask(RUN), judge)
    assert isinstance(score, Score)
    assert score.value == 0.75
    assert [response["value"] for response in score.details["responses"]] == [1.0, 0.5]
    assert ["24 C" in question.evidence for question in judge.asked] == [False, False, False, True]


def test_unreadable_intermediate_response_is_left_out() -> None:
    score = ask(BETWEEN.ask(RUN), "no idea", SENTENCES, label("supported", "unsupported"))
    assert score.value == 0.5


def test_intermediate_responses_count_without_a_final_one() -> None:
    score = ask(BETWEEN.ask(change(final_response="")), {"sentences": ["Let me look."]}, label("unsupported"))
    assert score.value == 0


def test_order_of_calls_outside_of_messages_is_unknown() -> None:
    score = ask(BETWEEN.ask(change(tool_calls=(SEARCH, SEARCH))))
    assert score.reason == "the messages do not show every tool call, so what preceded a response is not known"


def test_more_responses_than_can_be_asked_about_are_skipped() -> None:
    score = ask(BETWEEN.ask(change(messages=(ASKED, FOUND) * 200, tool_calls=(SEARCH,) * 200)))
    assert score.reason == "it has 201 responses; at most 200 are evaluated"
