from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.evaluators import make_evaluator
from tests.support.modules import working_in

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.specification import Spec, WrongSpec
from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.custom.combine import Combination, How, WrongMembers, with_members
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall, ToolDefinition

RUN = AgentTrace(
    agent_trace_id="t-1",
    tool_calls=(
        ToolCall(name="a", args={"x": 1}, result="ok"),
        ToolCall(name="a", args={"x": 1}, error="broken", status="error"),
    ),
)
HALF, FULL, NONE = 0.5, 1.0, 0.0


def member(name: str, returned: object) -> Configured:
    return make_evaluator(name, lambda _: returned() if callable(returned) else returned, threshold=0.5)


def combined(how: How, *returned: object, weights: tuple[float, ...] = ()) -> Score:
    """The combination of evaluators a, b, c, … that return these."""
    named = [member(chr(97 + at), one) for at, one in enumerate(returned)]
    return Combination(how, tuple(zip(named, weights or [1.0] * len(named), strict=True)))(RUN)


def fails() -> object:
    raise OSError("gone")


SKIPPED = Score.skip("no calls")


@pytest.mark.parametrize(
    ("how", "returned", "value"),
    [
        pytest.param("mean", (HALF, FULL), 0.75, id="mean"),
        pytest.param("product", (HALF, HALF), 0.25, id="product"),
        pytest.param("min", (HALF, FULL, 0.25), 0.25, id="min"),
        pytest.param("all_pass", (HALF, FULL), 1.0, id="all-pass"),
        pytest.param("all_pass", (HALF, 0.4), 0.0, id="one-does-not-pass"),
        pytest.param("all_pass", (True, Score(value=0.1, passed=True)), 1.0, id="passes-by-its-own-word"),
        pytest.param("all_pass", (Score(label="ok", passed=True),), 1.0, id="passes-without-a-value"),
        pytest.param("mean", (HALF, SKIPPED), 0.5, id="mean-of-what-is-not-skipped"),
        pytest.param("product", (HALF, SKIPPED), 0.5, id="product-of-what-is-not-skipped"),
        pytest.param("min", (HALF, SKIPPED), 0.5, id="least-that-is-not-skipped"),
        pytest.param("all_pass", (False, SKIPPED), 0.0, id="all-pass-that-are-not-skipped"),
        pytest.param("mean", (HALF, "polite"), 0.5, id="label-is-left-out"),
        pytest.param("mean", (NONE, NONE), 0.0, id="nothing-good"),
    ],
)
def test_evaluators_are_combined(how: How, returned: tuple[object, ...], value: float) -> None:
    score = combined(how, *returned)
    assert (score.value, score.status) == (value, "scored")


def test_weights_of_a_mean_are_those_of_the_members_that_count() -> None:
    assert combined("mean", FULL, NONE, weights=(2, 1)).value == pytest.approx(2 / 3)
    assert combined("mean", FULL, NONE, SKIPPED, weights=(2, 1, 97)).value == pytest.approx(2 / 3)


def test_members_are_told_one_by_one() -> None:
    score = combined("mean", FULL, 0.25, SKIPPED, weights=(2, 1, 1))
    assert score.details["members"] == {
        "a": {"status": "scored", "weight": 2, "value": 1.0, "passed": True},
        "b": {"status": "scored", "weight": 1, "value": 0.25, "passed": False},
        "c": {"status": "skipped", "weight": 1, "reason": "no calls"},
    }
    assert score.explanation == "mean of a 1.00 (weight 2), b 0.25; left out: c"


def test_all_skipped_is_skipped_with_every_reason() -> None:
    score = combined("mean", SKIPPED, "polite")
    assert (score.status, score.value) == ("skipped", None)
    assert score.reason == "a: no calls; b: it gives neither a value nor whether the target passed"


def test_error_of_a_member_is_an_error_of_the_whole() -> None:
    score = combined("min", FULL, fails, SKIPPED)
    assert (score.status, score.value, score.reason) == ("error", None, "b: OSError: gone")
    assert score.details["members"]["a"]["value"] == 1.0


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(1e-6, 1e6)), min_size=1, max_size=8))
def test_value_stays_between_the_least_and_the_greatest(pairs: list[tuple[float, float]]) -> None:
    values = [value for value, _ in pairs]
    mean = combined("mean", *values, weights=tuple(weight for _, weight in pairs)).value
    product = combined("product", *values).value
    assert mean is not None
    assert product is not None
    assert min(values) <= mean + 1e-9
    assert mean <= max(values) + 1e-9
    assert 0 <= product <= min(values)


def specs(**entries: dict[str, Any]) -> dict[str, Spec]:
    return {name: {**entry, "name": name} for name, entry in entries.items()}


def build_combination(name: str, known: dict[str, Spec]) -> Configured:
    return build(with_members(name, known[name], known), resolve=import_function)


def evaluate_combination(name: str, known: dict[str, Spec], run: AgentTrace = RUN) -> ScoreRecord:
    [score] = evaluate(build_combination(name, known), run)
    return score


ENTRIES = specs(
    errors={"use": "tool_error"},
    repeats={"use": "tool_efficiency"},
    health={"combine": {"how": "mean", "of": {"errors": 3, "repeats": 1}}},
    worst={"combine": {"how": "min", "of": ["health", "repeats"]}},
    tools={"use": "tool_name_reliability"},
    slow={"sql": "select 1 as value"},
    goal={"use": "goal_achievement"},
    calls={"python": "rules:judge", "scope": "tool_call"},
    faulty={"use": "tool_error", "options": {"blnak": True}},
)


def test_members_judge_the_same_run() -> None:
    score = evaluate_combination("health", ENTRIES)
    assert (score.value, score.passed, score.evaluator_type) == (0.625, False, "combine")
    assert set(score.details["members"]) == {"errors", "repeats"}  # type: ignore[call-overload]


def test_combination_may_combine_combinations() -> None:
    assert evaluate_combination("worst", ENTRIES).value == 0.625


def test_member_judges_what_it_is_configured_to_judge() -> None:
    handed_over = RUN.model_copy(
        update={"tool_calls": (RUN.tool_calls[0], RUN.tool_calls[1].model_copy(update={"child_agent_trace_id": "t-2"}))}
    )
    entries = specs(
        errors={"use": "tool_error", "include_sub_agents": False}, all={"combine": {"how": "mean", "of": ["errors"]}}
    )
    assert evaluate_combination("all", entries, handed_over).value == 1.0


def test_tools_are_combined_in_their_scope() -> None:
    entries = {**ENTRIES, **specs(both={"scope": "tool", "combine": {"how": "mean", "of": ["tools"]}})}
    assert build_combination("both", entries).scope == "tool"


@pytest.mark.parametrize(
    ("of", "member", "why"),
    [
        pytest.param(
            {"erors": 1}, "erors", "no evaluator here is called 'erors' (did you mean 'errors'?)", id="unknown"
        ),
        pytest.param({"it": 1}, "it", "it combines it: that is a cycle", id="itself"),
        pytest.param({"ring": 1}, "it", "it combines ring combines it: that is a cycle", id="ring"),
    ],
)
def test_members_that_cannot_be_found_are_refused(of: dict[str, float], member: str, why: str) -> None:
    entries = specs(it={"combine": {"how": "mean", "of": of}}, ring={"combine": {"how": "min", "of": ["it"]}})
    with pytest.raises(WrongMembers) as refusal:
        build_combination("it", {**ENTRIES, **entries})
    assert (refusal.value.member, str(refusal.value)) == (member, why)


@pytest.mark.parametrize(
    ("combine", "keys", "why"),
    [
        pytest.param({"how": "mean", "of": ["tools"]}, ("of", "tools"), "in scope tool, and this", id="other-scope"),
        pytest.param(
            {"how": "mean", "of": ["slow"]},
            ("of", "slow"),
            "by `sql`, `after` them: evaluators/docs/custom.md",
            id="sql",
        ),
        pytest.param(
            {"how": "mean", "of": ["goal"]}, ("of", "goal"), "asks a judge, apart from the others; put", id="judge"
        ),
        pytest.param({"how": "mean", "of": ["calls"]}, ("of", "calls"), "evaluates each tool call", id="call-by-call"),
        pytest.param({"how": "min", "of": ["faulty"]}, ("of", "faulty"), "has no option 'blnak'", id="faulty"),
        pytest.param({"how": "sum", "of": ["errors"]}, ("how",), "one of mean, product, min, all_pass", id="how"),
        pytest.param({"how": "mean", "of": {}}, ("of",), "it combines nothing", id="nothing"),
        pytest.param({"how": "mean", "of": {"errors": 0}}, ("of", "errors"), "a weight is above 0", id="no-weight"),
        pytest.param({"how": "mean", "of": {"errors": math.inf}}, ("of", "errors"), "above 0", id="infinite"),
        pytest.param({"how": "min", "of": {"errors": 2}}, ("of", "errors"), "only in a mean", id="weight-in-min"),
    ],
)
def test_members_that_cannot_be_combined_are_refused(
    tmp_path: Path, combine: dict[str, Any], keys: tuple[str, ...], why: str
) -> None:
    entries = {**ENTRIES, **specs(it={"combine": combine})}
    with working_in(tmp_path, rules="def judge(trace): ..."), pytest.raises(WrongSpec) as refusal:
        build_combination("it", entries)
    [(place, text)] = refusal.value.faults
    assert place == ("combine", *keys)
    assert why in text


def test_combination_over_a_session_judges_the_calls_that_its_member_does() -> None:
    offered = (ToolDefinition(name="search", input_schema={"required": ["q"]}),)
    calls = (ToolCall.of("search", q="x"), ToolCall(name="search", args={}, child_agent_trace_id="t-2"))
    session = ConversationTrajectory((AgentTrace(tool_calls=calls, tool_definitions=offered),))
    member: Spec = {"use": "tool_call_validity", "scope": "session"}
    spec: Spec = {
        "name": "both",
        "scope": "session",
        "combine": {"how": "mean", "of": ["tool_call_validity"], "members": {"tool_call_validity": member}},
    }
    alone, whole = (evaluate(build(one, resolve=import_function), session)[0].value for one in (member, spec))
    assert alone == whole == 1.0
