"""Other systems' metrics that ask a judge: how each reads the answer, and what it makes of it."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.judges import Judge, ask, make_answer

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.deepeval import (
    ArgumentCorrectness,
    PlanAdherence,
    PlanQuality,
    StepEfficiency,
    ToolCorrectness,
)
from tracegrade.evaluators.compat.dokimos.reply import Unreadable, parsed
from tracegrade.evaluators.compat.dokimos.task_completion import TaskCompletion
from tracegrade.evaluators.compat.dokimos.tool_argument_hallucination import ToolArgumentHallucination
from tracegrade.evaluators.compat.dokimos.tool_description_reliability import ToolDescriptionReliability
from tracegrade.evaluators.compat.dokimos.tool_name_reliability import ToolNameReliability
from tracegrade.evaluators.compat.floeval import GoalAchievement, ResponseCoherence, TrajectoryFaithfulness
from tracegrade.evaluators.compat.gl import Agent
from tracegrade.evaluators.compat.langchain import TrajectoryAccuracy
from tracegrade.evaluators.compat.ragas import AgentGoalAccuracy
from tracegrade.evaluators.definition.dialogue import Answer, BadAnswer, Token, run_dialogue
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.model import (
    AgentTrace,
    ExpectedCall,
    Message,
    Reference,
    Score,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolDefinition,
)

TOOLS = (ToolDefinition(name="search", description="Finds things."), ToolDefinition(name="book"))
MESSAGES = (
    Message(role="user", parts=(TextPart(content="book it"),)),
    Message(role="assistant", parts=(ToolCallPart(name="book", arguments={"id": 7}),)),
)
RUN = AgentTrace(
    input="book it",
    messages=MESSAGES,
    tool_calls=(ToolCall(name="book", args={"id": 7}, result="done"),),
    tool_definitions=TOOLS,
    final_response="booked",
    reference=Reference(
        expected_tool_calls=(ExpectedCall(name="book", args={"id": 7}),), expected_response="it is booked", tasks=("a",)
    ),
)
FLOEVAL = ("goal_achievement", "response_coherence", "task_completion", "trajectory_faithfulness")
ENOUGH = {"reason": "so it is", "score": 3}


# Dokimos


def tasks(completed: list[Any]) -> str:
    return json.dumps({"tasks": [{"task": "a", "completed": each} for each in completed]})


def with_tasks(*names: str) -> AgentTrace:
    return RUN.model_copy(update={"reference": Reference(tasks=names)})


@pytest.mark.parametrize(
    ("completed", "value"),
    [([True], 0.5), ([True, True, True], 1.0), ([1, "true", None], 0.0), ([], 0.0)],
    ids=["one of two", "more verdicts than tasks", "truths of other kinds", "no verdicts"],
)
def test_dokimos_counts_the_tasks_that_are_true(completed: list[Any], value: float) -> None:
    assert ask(TaskCompletion().ask(with_tasks("a", "b")), tasks(completed)).value == value


@pytest.mark.parametrize("answer", ["", "no idea", '{"tasks": null}', '{"tasks": ["a"]}', "[]"])
def test_answer_that_dokimos_cannot_read_is_no_score_but_for_compat(answer: str) -> None:
    with pytest.raises(BadAnswer):
        ask(TaskCompletion().ask(RUN), answer)
    assert ask(TaskCompletion(compat=True).ask(RUN), answer).value == 0


def test_dokimos_shows_no_tool_calls_for_tasks() -> None:
    judge = Judge(tasks([True]))
    run_dialogue(TaskCompletion().ask(RUN), judge)
    assert "done" not in judge.asked[0].evidence
    assert "booked" in judge.asked[0].evidence


def test_without_tasks_dokimos_asks_nobody() -> None:
    assert ask(TaskCompletion().ask(with_tasks())).value == 1
    assert ask(TaskCompletion().ask(AgentTrace(input="x"))).status == "skipped"


def test_dokimos_counts_verdicts_on_calls_whatever_call_they_name() -> None:
    answer = 'Sure: [{toolName: "x", grounded: true,}, {"grounded": false}] // as asked'
    two = RUN.model_copy(update={"tool_calls": RUN.tool_calls * 2})
    assert ask(ToolArgumentHallucination().ask(two), answer).value == 0.5
    assert ask(ToolArgumentHallucination().ask(AgentTrace(input="x"))).value == 1


def test_verdicts_on_calls_may_stand_in_an_object() -> None:
    answer = json.dumps({"verdicts": [{"toolName": "book", "grounded": True, "reason": ""}]})
    judge = Judge(f"<think>[1]</think>{answer}")
    score = run_dialogue(ToolArgumentHallucination().ask(RUN), judge)
    assert isinstance(score, Score)
    assert score.value == 1
    assert judge.asked[0].form is not None


@pytest.mark.parametrize("metric", [TaskCompletion, ToolArgumentHallucination])
def test_dokimos_metrics_with_a_judge_see_the_turns_of_a_session(metric: type[Any]) -> None:
    turns = tuple(RUN.model_copy(update={"input": question}) for question in ("book it", "once more"))
    answer = tasks([True]) if metric is TaskCompletion else json.dumps([{"grounded": True}, {"grounded": False}])
    judge = Judge(answer)
    score = run_dialogue(metric().ask(turns), judge)
    assert isinstance(score, Score)
    assert score.value == (1 if metric is TaskCompletion else 0.5)
    assert "once more" in judge.asked[0].evidence
    build(
        {
            "use": f"dokimos:{'task_completion' if metric is TaskCompletion else 'tool_argument_hallucination'}",
            "scope": "session",
            "judge": "default",
        }
    )


@pytest.mark.parametrize(("compat", "value"), [(False, 1.0), (True, 0.4)], ids=["ours", "compat"])
def test_booleans_are_answers_of_reliability(*, compat: bool, value: float) -> None:
    answer = json.dumps({"clarity": True, "name_order": True, "intent_over_implementation": True})
    judge = Judge(answer, answer)
    score = run_dialogue(ToolNameReliability(compat=compat).ask(RUN), judge)
    assert isinstance(score, Score)
    assert score.value == pytest.approx(value)
    assert all(question.form is not None for question in judge.asked)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'it\\'s', b: [1, 2,], /* so */ c: null,} done", {"a": "it's", "b": [1, 2], "c": None}),
        ("```json\n[1.5e1, -0, true]\n```", [15.0, 0, True]),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": "\\u00e9\n"} {"b": 1}', {"a": "é\n"}),
    ],
    ids=["what models get wrong", "numbers in a fence", "a key twice", "what follows"],
)
def test_lenient_json_is_read_as_jackson_reads_it(text: str, value: Any) -> None:
    assert parsed(text) == value


@pytest.mark.parametrize(
    "text", ["", "{", "[1,,2]", "[01]", "{a b: 1}", '{"a": "\\q"}', "[NaN]", "[truer]", "[" * 9_999]
)
def test_what_jackson_refuses_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        parsed(text)


@given(st.text(alphabet="{}[]\"':,/*\\ntrue01.e-#x \n") | st.text())
def test_nothing_else_comes_of_reading_any_text(text: str) -> None:
    with suppress(Unreadable):
        parsed(text)


def test_dokimos_asks_about_each_tool_by_itself() -> None:
    judge = Judge('{"clarity": 1, "name_order": 0, "intent_over_implementation": 1}', '{"clarity": 1}')
    score: Any = run_dialogue(ToolNameReliability().ask(RUN), judge)
    assert len(judge.asked) == 2
    assert score.value == pytest.approx((4 / 5 + 3 / 5) / 2)


def test_answer_without_any_check_is_no_score_but_for_compat() -> None:
    one = AgentTrace(tool_definitions=(ToolDefinition(name="t", input_schema={}),))
    with pytest.raises(BadAnswer):
        ask(ToolDescriptionReliability().ask(one), "no json")
    assert ask(ToolDescriptionReliability(compat=True).ask(one), "no json").value == 4 / 13


# Floeval


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('{"score": 7}', 1.0),
        ('{"score": -1}', 0.0),
        ('{"score": true}', 1.0),
        ('{"reasoning": "no score"}', 0.0),
        ('[{"score": 0.4}]', 0.4),
        ('{"score": 0.5, "reasoning": "C:\\dir"}', 0.5),
    ],
    ids=["above", "below", "a truth", "none", "in a list", "an illegal escape"],
)
def test_floeval_cuts_and_mends(answer: str, value: float) -> None:
    assert ask(GoalAchievement().ask(RUN), answer).value == value


@pytest.mark.parametrize("answer", ['{"score": "0.9"}', '{"score": null}', '{"score": 1} {"score": 1}', "no", '{"a":}'])
def test_floeval_refuses_what_is_no_number(answer: str) -> None:
    with pytest.raises(BadAnswer):
        ask(GoalAchievement(compat=True).ask(RUN), answer)


def test_floeval_says_which_kind_of_value_the_score_is() -> None:
    with pytest.raises(BadAnswer, match=r"^the score is text; expected a number$"):
        ask(GoalAchievement().ask(RUN), '{"score": "0.9"}')


def test_not_a_number_is_the_best_score_for_compat_alone() -> None:
    with pytest.raises(BadAnswer, match="not a number"):
        ask(GoalAchievement().ask(RUN), '{"score": NaN}')
    assert ask(GoalAchievement(compat=True).ask(RUN), '{"score": NaN}').value == 1


def test_floeval_shows_texts_for_coherence_and_calls_for_faithfulness() -> None:
    coherence, faithfulness = Judge('{"score": 1}'), Judge('{"score": 1, "issues": ["a"]}')
    run_dialogue(ResponseCoherence().ask(RUN), coherence)
    score: Any = run_dialogue(TrajectoryFaithfulness().ask(RUN), faithfulness)
    assert '"calls"' not in coherence.asked[0].evidence
    assert '"calls"' in faithfulness.asked[0].evidence
    assert score.details["issues"] == ["a"]


def test_floeval_wants_two_messages_of_a_trajectory() -> None:
    assert ask(TrajectoryFaithfulness().ask(AgentTrace(input="x"))).reason == "fewer than two messages were recorded"


# Ragas

INFERRED = {"user_goal": "a table", "end_state": "a table is booked"}


@pytest.mark.parametrize(("use_reference", "desired"), [(True, "it is booked"), (False, "a table")])
def test_ragas_compares_the_end_with_the_reference_or_the_goal(use_reference: bool, desired: str) -> None:  # noqa: FBT001
    judge = Judge(INFERRED, {"reason": "so it is", "verdict": "0"})
    score: Any = run_dialogue(AgentGoalAccuracy(use_reference=use_reference).ask(RUN), judge)
    assert (score.value, score.details["desired_outcome"]) == (0.0, desired)
    assert desired in judge.asked[1].evidence
    assert "done" not in judge.asked[1].evidence


@pytest.mark.parametrize("answer", [1, True, "yes", "2", None])
def test_ragas_knows_two_verdicts(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        ask(AgentGoalAccuracy().ask(RUN), INFERRED, {"reason": "", "verdict": answer})


def test_ragas_needs_a_reference_unless_told_otherwise() -> None:
    assert ask(AgentGoalAccuracy().ask(with_tasks())).reason == "no reference says which outcome was expected"


# DeepEval


@pytest.mark.parametrize(("selection", "value"), [(0.25, 0.25), (1, 1.0)], ids=["the choice", "the calls"])
def test_lower_of_calls_and_choice_is_the_score(selection: float, value: float) -> None:
    judge = Judge(make_answer(selection))
    score: Any = run_dialogue(ToolCorrectness(available_tools="recorded").ask(RUN), judge)
    assert (score.value, score.details["tool_calling_score"]) == (value, 1.0)
    assert score.details["tool_selection_score"] == selection
    assert "Finds things." in judge.asked[0].evidence
    assert "done" not in judge.asked[0].evidence


def test_choice_without_a_reason_is_explained_as_such() -> None:
    score = ask(ToolCorrectness(available_tools=TOOLS).ask(RUN), make_answer(1, ""))
    assert (score.explanation or "").endswith("; choice of tools: no reason given")


@pytest.mark.parametrize(
    "tool",
    [
        {"name": "find", "description": "Finds.", "parameters": {"type": "object"}},
        {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": {"type": "object"}}},
        {"name": "find", "description": "Finds.", "input_schema": {"type": "object"}},
    ],
    ids=["its own", "OpenAI's", "ours"],
)
def test_available_tools_are_read_in_every_usual_spelling(tool: dict[str, Any]) -> None:
    made: Any = configure("deepeval:tool_correctness", options={"available_tools": [tool]}).function
    assert made.available_tools == (ToolDefinition(name="find", description="Finds.", input_schema={"type": "object"}),)


def test_available_tool_that_cannot_be_read_is_named() -> None:
    with pytest.raises(WrongOptions, match=r"available_tools\[1\] has no name; write one, as text"):
        configure("deepeval:tool_correctness", options={"available_tools": [{"name": "find"}, {"nam": "x"}]})


def test_strict_mode_takes_all_or_nothing_of_the_choice() -> None:
    score = ask(ToolCorrectness(available_tools=TOOLS, strict_mode=True).ask(RUN), make_answer(0.75))
    assert (score.value, score.passed) == (0.0, False)


def test_choice_is_graded_by_a_judge_or_not_at_all() -> None:
    assert "needs a judge" in (ToolCorrectness(available_tools=TOOLS)(RUN).reason or "")
    assert ask(ToolCorrectness().ask(RUN)).value == 1


@pytest.mark.parametrize("missing", ["input", "tool_definitions"])
def test_choice_of_which_too_little_was_recorded_is_skipped(missing: str) -> None:
    trace = RUN.model_copy(update={missing: None})
    assert ask(ToolCorrectness(available_tools="recorded").ask(trace)).status == "skipped"


# LangChain


@pytest.mark.parametrize(
    ("options", "told", "value"),
    [
        ({}, True, 1.0),
        ({"continuous": True}, 0.3, 0.3),
        ({"choices": (0, 0.5, 1)}, 0.5, 0.5),
        ({"use_reasoning": False}, False, 0.0),
    ],
    ids=["true or false", "continuous", "one of some", "without reasons"],
)
def test_trajectory_is_graded_in_the_way_that_was_asked_for(options: Any, told: Any, value: float) -> None:
    answer = {"score": told} if "use_reasoning" in options else {"reasoning": "so it is", "score": told}
    assert ask(TrajectoryAccuracy(**options).ask(RUN), answer).value == value


@pytest.mark.parametrize(
    ("options", "told"), [({}, 1), ({"continuous": True}, True), ({"choices": (0, 1)}, 0.5)], ids=["1", "true", "0.5"]
)
def test_grade_of_another_kind_is_none(options: Any, told: Any) -> None:
    with pytest.raises(BadAnswer):
        ask(TrajectoryAccuracy(**options).ask(RUN), {"reasoning": "", "score": told})


def test_reference_and_examples_change_what_is_asked() -> None:
    examples = [{"inputs": "book", "outputs": "booked", "score": True}]
    configured: Any = configure("langchain:trajectory_accuracy", options={"few_shot_examples": examples}).function
    with_one, without = Judge({"reasoning": "", "score": True}), Judge({"reasoning": "", "score": True})
    run_dialogue(configured.ask(RUN), with_one)
    run_dialogue(TrajectoryAccuracy(use_reference=False).ask(RUN), without)
    assert "the reference trajectory" in with_one.asked[0].instructions
    assert '"outputs":"booked"' in with_one.asked[0].instructions
    assert "the reference trajectory" not in without.asked[0].instructions
    assert "reference.expected" not in without.asked[0].evidence


def test_choice_of_tools_is_asked_about_instead() -> None:
    judge = Judge({"reasoning": "two would do", "score": False})
    score = run_dialogue(TrajectoryAccuracy(prompt="tool_selection").ask(RUN), judge)
    assert isinstance(score, Score)
    assert score.value == 0
    assert "You grade which tools" in judge.asked[0].instructions
    assert "the reference trajectory" in judge.asked[0].instructions


def test_choice_of_tools_is_open_without_recorded_calls() -> None:
    hidden = RUN.model_copy(update={"tool_calls": (), "gaps": ("tool_calls_not_recorded",)})
    score = ask(TrajectoryAccuracy(prompt="tool_selection").ask(hidden))
    assert score.reason == "tool calls were not recorded (tool_calls_not_recorded)"


def test_trajectory_without_a_reference_is_skipped_where_one_is_compared() -> None:
    assert ask(TrajectoryAccuracy().ask(with_tasks())).reason == "no reference says which trajectory was expected"


def test_example_whose_grade_is_no_number_is_refused() -> None:
    example = {"inputs": "book", "outputs": "booked", "score": float("nan")}
    with pytest.raises(WrongOptions, match="write a number that is finite"):
        configure("langchain:trajectory_accuracy", options={"few_shot_examples": [example]})


def test_one_choice_is_none() -> None:
    with pytest.raises(WrongOptions, match="at least two"):
        configure("langchain:trajectory_accuracy", options={"choices": [1]})


# gllm-evals


def test_judge_grades_the_answer_in_three_ways_and_less_redundancy_is_better() -> None:
    score = ask(Agent().ask(RUN), make_answer(3), make_answer(2), make_answer(1))
    assert score.details["generation"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert score.value == pytest.approx(2.5 / 3)
    assert score.details["aggregate_score"] == pytest.approx(3.5 / 4)
    assert score.details["metrics"]["redundancy"]["success"] is True
    assert score.details["aggregate_success"] is False  # groundedness is below 1


def test_aggregate_passes_when_every_metric_does() -> None:
    score = ask(Agent(how="aggregate").ask(RUN), make_answer(3), make_answer(3), make_answer(2))
    assert score.value == pytest.approx(3.5 / 4)
    assert score.passed


def test_metrics_of_which_too_little_was_recorded_are_left_out_and_named() -> None:
    reference = Reference(expected_tool_calls=())
    trace = AgentTrace(input="hi", final_response="hello", reference=reference)
    score = ask(Agent().ask(trace), make_answer(1))
    assert (score.value, score.details["not_judged"]) == (1.0, ["completeness", "groundedness"])


def test_probabilities_weigh_the_grades() -> None:
    dialogue = Agent().ask(RUN)
    questions = next(dialogue)
    text = json.dumps(ENOUGH)
    tokens = (Token("3", {"3": 0.5, "2": 0.5}),)
    with pytest.raises(StopIteration) as end:
        dialogue.send([Answer(text=text, value=question.read(text), tokens=tokens) for question in questions])
    assert end.value.value.details["metrics"]["completeness"]["score"] == 0.75


def test_answer_that_was_not_recorded_cannot_be_graded() -> None:
    score = ask(Agent().ask(RUN.model_copy(update={"final_response": None})))
    assert score.reason == "the generation evaluator could not grade the answer"


@pytest.mark.parametrize(
    ("use", "options", "kind"),
    [
        ("gl:agent", {}, "llm"),
        ("gl:agent", {"generation": math.sqrt}, "code"),
        ("deepeval:tool_correctness", {"available_tools": "recorded"}, "llm"),
        ("deepeval:tool_correctness", {}, "code"),
        ("dokimos:tool_name_reliability", {}, "code"),
    ],
    ids=["answer by a judge", "answer by a function", "choice by a judge", "calls alone", "rules alone"],
)
def test_judge_is_asked_without_being_named_where_there_is_no_verdict_without(
    use: str, options: dict[str, Any], kind: str
) -> None:
    assert configure(use, options=options).kind == kind


def test_choice_of_tools_and_quality_of_the_answer_are_asked_one_after_the_other() -> None:
    agent = Agent(tool_correctness={"available_tools": "recorded"})
    score = ask(agent.ask(RUN), make_answer(0.5), make_answer(3), make_answer(3), make_answer(1))
    assert score.value == 0.5


@pytest.mark.parametrize(
    "name",
    ["gl:agent", "deepeval:tool_correctness", *(f"floeval:{name}" for name in FLOEVAL)],
)
def test_what_a_judge_of_a_peer_is_shown_stays_within_the_limit(name: str) -> None:
    long = TextPart(content="x" * 300)
    run = RUN.model_copy(
        update={
            "messages": (Message(role="user", parts=(long,)),) * 100,
            "tool_calls": RUN.tool_calls + (ToolCall.of("search", q="y" * 300),) * 100,
            "input": "i" * 9_000,
            "final_response": "f" * 9_000,
        }
    )
    options: dict[str, Any] = {"max_evidence_characters": 4_000}
    options |= {"available_tools": "recorded"} if name == "deepeval:tool_correctness" else {}
    judge: Any = configure(name, options=options).function
    asked = next(judge.ask(run))
    assert all(len(question.evidence) <= 4_000 for question in asked)


# DeepEval


def verdicts(*correct: bool) -> str:
    return json.dumps(
        {"verdicts": [{"call": at, "reason": "r", "correct": each} for at, each in enumerate(correct, 1)]}
    )


@pytest.mark.parametrize(
    ("correct", "strict", "value"),
    [((True, True), False, 1.0), ((True, False), False, 0.5), ((True, False), True, 0.0)],
    ids=["right", "one wrong", "strict"],
)
def test_deepeval_counts_the_calls_with_right_arguments(correct: Any, *, strict: bool, value: float) -> None:
    two = RUN.model_copy(update={"tool_calls": RUN.tool_calls * 2})
    score = ask(ArgumentCorrectness(strict_mode=strict).ask(two), verdicts(*correct))
    assert score.value == value
    assert ("wrong arguments: book" in (score.explanation or "")) is (False in correct)


def test_deepeval_judges_each_call_once_and_none_without_arguments() -> None:
    with pytest.raises(BadAnswer):
        ask(ArgumentCorrectness().ask(RUN), verdicts(*[True, True]))
    assert ask(ArgumentCorrectness().ask(AgentTrace(input="x"))).value == 1
    assert ask(ArgumentCorrectness().ask(AgentTrace(input="x", gaps=("content_not_captured",)))).status == "skipped"
    assert ask(ArgumentCorrectness().ask(AgentTrace(tool_calls=(ToolCall(name="a"),)))).status == "skipped"


def test_needless_steps_are_graded_by_the_judge() -> None:
    judge = Judge(json.dumps({"reason": "it searched twice", "score": 0.75}))
    score = run_dialogue(StepEfficiency().ask(RUN), judge)
    assert isinstance(score, Score)
    assert (score.value, score.explanation) == (0.75, "it searched twice")
    assert "book it" in judge.asked[0].evidence
    assert ask(StepEfficiency().ask(AgentTrace(input="x"))).status == "skipped"
    assert ask(StepEfficiency().ask(AgentTrace(final_response="x"))).status == "skipped"


@pytest.mark.parametrize(("metric", "sees_work"), [(PlanAdherence, True), (PlanQuality, False)])
def test_plan_is_found_first_and_then_graded(metric: type[Any], *, sees_work: bool) -> None:
    judge = Judge(json.dumps({"plan": ["search", "book"]}), json.dumps({"reason": "it did not search", "score": 0.5}))
    score = run_dialogue(metric().ask(RUN), judge)
    assert isinstance(score, Score)
    assert (score.value, score.details["plan"]) == (0.5, ["search", "book"])
    assert ("done" in judge.asked[1].evidence) is sees_work
    assert ask(metric().ask(RUN), json.dumps({"plan": []})).value == 1
