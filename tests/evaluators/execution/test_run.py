from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
import pytest
from tests.support.evaluators import make_evaluator
from tests.support.llm import llm

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import definition_of
from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.custom.per_turn import evaluate_conversation
from tracegrade.evaluators.definition.answer import WrongAnswer, as_score
from tracegrade.evaluators.definition.registry import Configured, Scope
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import InProcessWorkbench, evaluate
from tracegrade.evaluators.model import AgentTrace, Reference, ReferenceFault, Score, TestCase, ToolCall, ToolDefinition

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it
RUN = AgentTrace(
    agent_trace_id="t-1",
    trace_id="t",
    agent_span_id="1",
    agent_name="travel",
    session_id="s",
    tool_calls=(ToolCall(name="search", span_id="2"), ToolCall(name="book", span_id="3")),
    started_at=NOON,
    revision=4,
)


def configured(judge: Callable[[Any], object], **changed: Any) -> Configured:
    usual = {"name": "mine", "type": "mine", "threshold": 0.5, "config_hash": "c"}
    return make_evaluator(function=judge, **{**usual, **changed})


def evaluate_returned(returned: object, *, scope: Scope = "trace", run: AgentTrace = RUN) -> list[ScoreRecord]:
    return evaluate(configured(lambda _: returned, scope=scope), run, now=lambda: NOON)


def fails(_: AgentTrace) -> object:
    raise KeyError("lost")


@pytest.mark.parametrize(
    ("returned", "value", "passed", "label", "status"),
    [
        pytest.param(True, 1.0, True, None, "scored", id="true"),
        pytest.param(False, 0.0, False, None, "scored", id="false"),
        pytest.param(0.5, 0.5, True, None, "scored", id="number-at-the-threshold"),
        pytest.param(0.49, 0.49, False, None, "scored", id="number-below"),
        pytest.param(1, 1.0, True, None, "scored", id="whole-number"),
        pytest.param("polite", None, None, "polite", "scored", id="label"),
        pytest.param({"value": 0.9, "label": "good"}, 0.9, True, "good", "scored", id="dict"),
        pytest.param({"value": 0.9, "passed": False}, 0.9, False, None, "scored", id="dict-that-says-it-failed"),
        pytest.param(Score(value=0.1, passed=True), 0.1, True, None, "scored", id="score-that-says-it-passed"),
        pytest.param(None, None, None, None, "skipped", id="nothing"),
        pytest.param(Score.skip("no calls"), None, None, None, "skipped", id="skipped"),
        pytest.param(2, None, None, None, "error", id="number-above-1"),
        pytest.param(-0.1, None, None, None, "error", id="number-below-0"),
        pytest.param(float("nan"), None, None, None, "error", id="nan"),
        pytest.param({"score": 1}, None, None, None, "error", id="dict-of-unknown-fields"),
        pytest.param(["polite"], None, None, None, "error", id="list"),
        pytest.param(object(), None, None, None, "error", id="anything-else"),
        pytest.param("", None, None, None, "skipped", id="empty-text"),
        pytest.param({"label": " ", "explanation": "hm"}, None, None, None, "skipped", id="blank-label"),
        pytest.param({"details": {"a": 1}}, None, None, None, "skipped", id="dict-that-says-nothing"),
        pytest.param(10**400, None, None, None, "error", id="number-beyond-all"),
    ],
)
def test_what_an_evaluator_returns_becomes_a_score(
    returned: object,
    value: float | None,
    passed: bool | None,  # noqa: FBT001
    label: str | None,
    status: str,
) -> None:
    [score] = evaluate_returned(returned)
    assert (score.value, score.passed, score.label, score.status) == (value, passed, label, status)


def test_what_an_evaluator_raises_becomes_a_score() -> None:
    [score] = evaluate(configured(fails), RUN)
    assert (score.status, score.reason, score.value) == ("error", "KeyError: 'lost'", None)


def test_skipped_score_says_why_and_passes_nothing() -> None:
    [score] = evaluate_returned(None)
    assert (score.reason, score.threshold) == ("the evaluator returned nothing", None)


class Odd(Exception):
    """Its text is code that fails."""

    def __str__(self) -> str:
        raise RuntimeError("no str")


def raises(error: Exception) -> Callable[[AgentTrace], object]:
    def judge(_: AgentTrace) -> object:
        raise error

    return judge


def no_score(_: AgentTrace) -> object:
    return Score(value=7)


@pytest.mark.parametrize(
    ("judge", "reason"),
    [
        pytest.param(lambda _: 7.0, "it returned no score: 7.0 is not between 0 and 1", id="above-1"),
        pytest.param(lambda _: float("nan"), "it returned no score: nan is not between 0 and 1", id="nan"),
        pytest.param(
            lambda _: {"vlaue": 1},
            "it returned no score: a Score has no field 'vlaue' (did you mean 'value'?)",
            id="unknown-field",
        ),
        pytest.param(
            lambda _: {"value": "good"}, "it returned no score: value: it is 'good'; write a number", id="no-number"
        ),
        pytest.param(
            lambda _: {"value": 1, "details": {"\ud800": 1, 5: 1}},
            "it returned no score: details.5: its key is a number; write text, in quotes where it looks like "
            "something else",
            id="key-that-is-no-text",
        ),
        pytest.param(lambda _: {"\ud800": 1}, None, id="half-a-character-as-key"),
        pytest.param(no_score, "ValidationError: Score: 7 is not between 0 and 1", id="Score-made-wrongly"),
        pytest.param(raises(Odd()), "Odd: an error whose text cannot be read", id="error-without-text"),
        pytest.param(raises(ValueError("a\ud800b")), "ValueError: a\\ud800b", id="half-a-character"),
    ],
)
def test_what_goes_wrong_is_told_in_one_line_that_can_be_written_down(
    judge: Callable[[AgentTrace], object], reason: str | None
) -> None:
    [score] = evaluate(configured(judge), RUN)
    assert score.status == "error"
    assert reason is None or score.reason == reason
    assert (score.reason or "\n").encode().count(b"\n") == 0


def test_what_json_and_utf8_cannot_hold_is_told_as_text() -> None:
    details = {"it": object(), "big": 2**70, "set": {1}, "half": "\udfff", "time": NOON, "by": {5: None}}
    [score] = evaluate_returned({"label": "a\ud800", "details": details})
    assert score.label == "a\\ud800"
    assert score.details == {
        "it": "<object object>",
        "big": str(2**70),
        "set": [1],
        "half": "\\udfff",
        "time": str(NOON),
        "by": {"5": None},
    }


def test_details_without_end_are_an_error() -> None:
    ring: dict[str, Any] = {}
    ring["self"] = ring
    [score] = evaluate_returned({"value": 1, "details": ring})
    assert (score.status, score.value) == ("error", None)


def test_wrong_return_says_what_may_be_returned() -> None:
    with pytest.raises(WrongAnswer, match=r"returns a Score, bool, number, label, dict or None, not set"):
        as_score(set())


def test_score_names_what_it_judges() -> None:
    [score] = evaluate_returned(1.0)
    assert (score.target_id, score.scope, score.span_id) == ("t-1", "trace", "1")
    assert (score.agent_name, score.session_id, score.revision) == ("travel", "s", 4)
    assert (score.target_time, score.scored_at, score.threshold) == (NOON, NOON, 0.5)
    assert (score.evaluator, score.evaluator_kind, score.author) == ("mine", "code", "tracegrade")


def test_evaluator_of_calls_gives_a_score_a_call() -> None:
    scores = evaluate_returned([True, Score.failed("unclear")], scope="tool_call")
    assert [(one.target_id, one.tool_call_position, one.span_id, one.status) for one in scores] == [
        ("t-1#0", 0, "2", "scored"),
        ("t-1#1", 1, "3", "error"),
    ]


@pytest.mark.parametrize(
    ("returned", "run", "status", "reason"),
    [
        pytest.param(
            [], RUN.model_copy(update={"tool_calls": ()}), "skipped", "the run has no tool calls", id="no-calls"
        ),
        pytest.param(Score.skip("new"), RUN, "skipped", "new", id="skipped-as-a-whole"),
        pytest.param(None, RUN, "skipped", "returned nothing", id="nothing"),
        pytest.param(
            True, RUN.model_copy(update={"tool_calls": ()}), "skipped", "the run has no tool calls", id="one-for-none"
        ),
        pytest.param([True], RUN, "error", "returned 1 answers for 2 tool calls", id="too-few"),
        pytest.param([True] * 3, RUN, "error", "returned 3 answers for 2 tool calls", id="too-many"),
        pytest.param(True, RUN, "error", "return a list with one answer per call", id="one-for-all"),
        pytest.param("polite", RUN, "error", "return a list with one answer per call", id="label-for-all"),
        pytest.param([True, 7], RUN, "error", "7 is not between 0 and 1", id="one-is-wrong"),
    ],
)
def test_evaluator_of_calls_that_says_something_else_gives_one_score_on_the_run(
    returned: object, run: AgentTrace, status: str, reason: str
) -> None:
    [score] = evaluate_returned(returned, scope="tool_call", run=run)
    assert (score.target_id, score.tool_call_position, score.status) == ("t-1", None, status)
    assert reason in (score.reason or "")


def test_every_score_of_one_evaluation_has_an_id_of_its_own() -> None:
    scores = evaluate_returned([Score.failed("a"), Score.failed("b")], scope="tool_call")
    assert len({one.score_id for one in scores}) == 2


@pytest.mark.parametrize(
    "changed",
    [{"name": "other"}, {"version": 2}, {"config_hash": "d"}, {"kind": "sql"}],
    ids=lambda one: next(iter(one)),
)
def test_score_id_tells_evaluators_apart(changed: dict[str, Any]) -> None:
    one, other = configured(lambda _: True), configured(lambda _: True, **changed)
    assert evaluate(one, RUN)[0].score_id != evaluate(other, RUN)[0].score_id


@pytest.mark.parametrize(
    ("changed", "is_same"),
    [
        ({"revision": 5}, False),
        ({"agent_trace_id": "t-9"}, False),
        ({"reference": Reference(hash="r")}, False),
        ({"final_response": "x"}, True),
    ],
    ids=["revision", "run", "reference", "content"],
)
def test_score_id_tells_what_was_judged_apart(changed: dict[str, Any], is_same: bool) -> None:  # noqa: FBT001
    evaluator = configured(lambda _: True)
    other = RUN.model_copy(update=changed)
    assert (evaluate(evaluator, RUN)[0].score_id == evaluate(evaluator, other)[0].score_id) is is_same


def test_here_every_evaluator_judges_every_run_and_one_that_fails_stops_no_other() -> None:
    runs = [RUN, RUN.model_copy(update={"agent_trace_id": "t-2"})]
    scores = InProcessWorkbench(lambda: NOON).evaluate(
        runs, [configured(fails, name="fails"), configured(lambda _: 1, name="sound")]
    )
    assert [(one.target_id, one.evaluator, one.status) for one in scores] == [
        ("t-1", "fails", "error"),
        ("t-1", "sound", "scored"),
        ("t-2", "fails", "error"),
        ("t-2", "sound", "scored"),
    ]


def test_evaluator_that_wants_a_reference_passes_runs_without_one_over() -> None:
    evaluator = configured(lambda _: True, only_with_reference=True)
    expected = RUN.model_copy(update={"reference": Reference(expected_tool_calls=(), source="dataset", hash="r")})
    [score] = InProcessWorkbench().evaluate([RUN, expected], [evaluator])
    assert (score.reference_source, score.reference_hash) == ("dataset", "r")


OF_CALLS = ReferenceFault(text="calls cannot be read", field="expected_tool_calls")
FAULTY = RUN.model_copy(update={"reference": Reference(faults=(OF_CALLS, ReferenceFault(text="a rule failed")))})


@pytest.mark.parametrize(
    ("reads", "told"),
    [
        pytest.param(
            ("reference.expected_tool_calls",), ["calls cannot be read", "a rule failed"], id="reads the field"
        ),
        pytest.param(("reference.tasks",), ["a rule failed"], id="reads another field"),
        pytest.param(("tool_calls",), None, id="reads no reference"),
        pytest.param((), ["calls cannot be read", "a rule failed"], id="does not say what it reads"),
    ],
)
def test_score_tells_what_of_the_expectations_it_reads_could_not_be_read(
    reads: tuple[str, ...], told: list[str] | None
) -> None:
    [scored] = evaluate(configured(lambda _: Score(value=1, details={"a": 1}), reads=reads), FAULTY)
    [skipped] = evaluate(configured(lambda _: Score.skip("nothing expected"), reads=reads), FAULTY)
    assert scored.details == {"a": 1, **({"reference_faults": told} if told else {})}
    assert skipped.details.get("reference_faults") == told
    assert skipped.reason == "; ".join(["nothing expected", *(told or [])])


def test_run_of_which_something_unreadable_was_expected_is_not_passed_over_by_those_that_read_it() -> None:
    own, other = (
        configured(lambda _: None, reads=(f"reference.{field}",), only_with_reference=True)
        for field in ("expected_tool_calls", "tasks")
    )
    calls = FAULTY.model_copy(update={"reference": Reference(faults=(OF_CALLS,))})
    assert len(InProcessWorkbench().evaluate([calls], [own])) == 1
    assert InProcessWorkbench().evaluate([calls], [other]) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param(TestCase(input="x", run=RUN), "not TestCase: give of a TestCase its .trace", id="test case"),
        pytest.param([RUN], "not list: give each of the list by itself, or .*ConversationTrajectory.of", id="runs"),
        pytest.param({"tool_calls": []}, r"not dict: give of JSON AgentTrace.model_validate\(it\)", id="JSON"),
        pytest.param(None, "not NoneType: give of a TestCase its .trace, of the runs of a session", id="nothing"),
    ],
)
def test_what_can_not_be_evaluated_is_refused_with_what_to_give(given: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        evaluate(configured(lambda _: 1), given)


CONVERSATION = ConversationTrajectory.of([RUN, RUN])
TOOL = ToolDefinition(name="search")
OF_RUNS = build({"use": "tool_error"})
OF_SESSIONS = build({"use": "tool_error", "scope": "session"})
OF_TOOLS = build({"use": "tool_name_reliability"})


@pytest.mark.parametrize(
    ("evaluator", "target", "said"),
    [
        pytest.param(
            OF_RUNS,
            CONVERSATION,
            "tool_error evaluates runs (scope trace), not a ConversationTrajectory: evaluate each of its .turns, "
            "or build the evaluator with `scope: session`",
            id="conversation by one of runs",
        ),
        pytest.param(
            build({"use": "langchain:trajectory_accuracy"}),
            CONVERSATION,
            "langchain:trajectory_accuracy evaluates runs (scope trace), not a ConversationTrajectory: "
            "evaluate each of its .turns",
            id="conversation by one of runs that cannot be one of sessions",
        ),
        pytest.param(
            configured(lambda _: [1], scope="tool_call"),
            CONVERSATION,
            "mine evaluates the tool calls of runs (scope tool_call), not a ConversationTrajectory: "
            "evaluate each of its .turns",
            id="conversation by one of calls",
        ),
        pytest.param(
            OF_TOOLS,
            CONVERSATION,
            "tool_name_reliability evaluates tool definitions (scope tool), not a ConversationTrajectory: "
            "give each of its .whole.tool_definitions",
            id="conversation by one of tools",
        ),
        pytest.param(
            OF_SESSIONS,
            RUN,
            "tool_error evaluates conversations (scope session), not an AgentTrace: "
            "give of the runs of a session ConversationTrajectory.of(runs), or leave `scope: session` out",
            id="run by one of sessions",
        ),
        pytest.param(
            OF_SESSIONS,
            TOOL,
            "tool_error evaluates conversations (scope session), not a ToolDefinition: "
            "give of the runs of a session ConversationTrajectory.of(runs)",
            id="tool by one of sessions",
        ),
        pytest.param(
            OF_RUNS,
            TOOL,
            "tool_error evaluates runs (scope trace), not a ToolDefinition: give the run that offers it, "
            "or use an evaluator of scope tool, such as tool_description_reliability",
            id="tool by one of runs",
        ),
    ],
)
def test_target_of_another_scope_is_refused_with_what_to_do(evaluator: Configured, target: Any, said: str) -> None:
    with pytest.raises(TypeError) as refusal:
        evaluate(evaluator, target, judge=answers)
    assert str(refusal.value) == said


def test_evaluator_of_sessions_is_refused_where_turns_are_evaluated() -> None:
    with pytest.raises(TypeError, match=r"tool_error evaluates conversations .*: give both to `evaluate`, or leave"):
        evaluate_conversation(OF_SESSIONS, CONVERSATION)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param("tool_error", r"the name of one: give configure\('tool_error'\)", id="its name"),
        pytest.param(
            definition_of("tool_error"), r"the definition of one: give configure\('tool_error'\)", id="definition"
        ),
        pytest.param(fails, r"a function: give build\({'python': 'module:function'}\)", id="a function"),
        pytest.param(RUN, "an AgentTrace: give the evaluator first, then what it evaluates", id="the run"),
        pytest.param({"use": "tool_error"}, "of type dict: give what `configure` or `build` returns", id="its spec"),
    ],
)
def test_what_is_not_an_evaluator_is_refused_with_what_to_give(given: Any, said: str) -> None:
    with pytest.raises(TypeError, match=f"^the first argument is an evaluator, not {said}"):
        evaluate(given, RUN)


async def answers_later(prompt: str) -> str:
    await asyncio.sleep(0)
    return answers(prompt)


def answers(prompt: str) -> str:
    """A judge that has read what it is asked."""
    assert "Refund A1" in prompt
    assert '"score"' in prompt
    return json.dumps({"reasoning": "It was refunded.", "score": 1.0})


class Client:
    """A judge that is an object, as clients of models are."""

    async def __call__(self, prompt: str) -> str:
        return answers(prompt)


@pytest.mark.parametrize("judge", [answers, answers_later, Client()], ids=["plain", "async", "an object"])
def test_evaluator_that_asks_is_answered_by_a_function_from_text_to_text(judge: Any) -> None:
    asked = build({"use": "goal_achievement"}), AgentTrace(input="Refund A1", final_response="Refunded.")

    async def in_a_notebook() -> list[ScoreRecord]:
        return evaluate(*asked, judge=judge)

    [score] = evaluate(*asked, judge=judge)
    assert (score.value, score.explanation) == (1.0, "It was refunded.")
    [score] = asyncio.run(in_a_notebook())
    assert score.value == 1.0


def test_client_that_an_async_judge_keeps_works_for_every_question_of_every_evaluation() -> None:
    asked = build({"use": "goal_achievement"}), AgentTrace(input="Refund A1", final_response="Refunded.")
    with llm(lambda _: json.dumps({"reasoning": "It was refunded.", "score": 1})) as server:
        client = httpx.AsyncClient()

        async def judge(prompt: str) -> str:
            body = {"model": "judge-1", "messages": [{"role": "user", "content": prompt}]}
            response = await client.post(f"{server.url}/chat/completions", json=body)
            text: str = response.json()["choices"][0]["message"]["content"]
            return text

        async def judges_last(prompt: str) -> str:
            text = await judge(prompt)
            await client.aclose()
            return text

        async def in_a_notebook() -> list[ScoreRecord]:
            return evaluate(*asked, judge=judges_last)

        scores = [*evaluate(*asked, judge=judge), *evaluate(*asked, judge=judge), *asyncio.run(in_a_notebook())]
        assert [(score.value, score.reason) for score in scores] == [(1.0, None)] * 3
        assert server.opened == 1


def test_async_judge_may_evaluate_with_an_async_judge_itself() -> None:
    asked = build({"use": "goal_achievement"}), AgentTrace(input="Refund A1", final_response="Refunded.")

    async def asks_another(prompt: str) -> str:
        [score] = evaluate(*asked, judge=answers_later)
        return json.dumps({"reasoning": "As the other one.", "score": score.value})

    [score] = evaluate(*asked, judge=asks_another)
    assert (score.value, score.explanation) == (1.0, "As the other one.")


def test_async_judge_that_is_cancelled_is_an_error_of_the_evaluation() -> None:
    async def gives_up(_: str) -> str:
        raise asyncio.CancelledError

    asked = build({"use": "goal_achievement"}), AgentTrace(input="Refund A1", final_response="Refunded.")
    [score] = evaluate(*asked, judge=gives_up)
    assert (score.status, score.reason) == ("error", "RuntimeError: the judge was cancelled before it answered")


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        pytest.param("default", "'default' is a name; the judges that a configuration names answer in", id="a name"),
        pytest.param({"model": "x"}, "it is of type dict", id="a configuration"),
    ],
)
def test_judge_that_is_not_a_function_is_refused(judge: Any, said: str) -> None:
    with pytest.raises(TypeError, match=f"`judge` is a function that takes a text and returns one, and {said}"):
        evaluate(build({"use": "goal_achievement"}), RUN, judge=judge)


def test_judge_that_returns_no_text_is_an_error_that_says_so() -> None:
    asked = build({"use": "goal_achievement"}), AgentTrace(input="Refund A1", final_response="Refunded.")
    [score] = evaluate(*asked, judge=lambda _: None)  # type: ignore[arg-type,return-value]  # that is the point
    assert score.status == "error"
    assert "the judge returned NoneType; it returns its answer as text" in (score.reason or "")
