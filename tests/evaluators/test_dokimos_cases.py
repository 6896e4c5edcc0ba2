"""Dokimos' cases, run against our evaluators with the options that ask for the same thing.

What is left out is left out by rule, and each rule says what is different here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.matching import ArgumentMatcher
from tracegrade.evaluators.model import AgentTrace, Reference, Score

Case: TypeAlias = dict[str, Any]
CASES = Path(__file__).parents[1] / "conformance" / "data"
WORDS = {"match_mode": "mode", "strict_mode": "strict"}
TO_THE_LETTER = {"coercion": "none"} | dict.fromkeys(
    ("null_is_absent", "encoded_twice", "name_variants", "silent_schemas"), False
)
"""`tool_call_validity` without its rules on what is plainly meant."""


def is_raised(case: Case) -> bool:
    """Missing or malformed input: an exception there, a skipped score or no model here."""
    return case["expected"]["score"] is None


def is_without_calls(case: Case) -> bool:
    """Nothing was called: 1.0 there; here there is nothing to judge."""
    return case.get("actual_tool_calls") == []


def is_folded_beyond_ascii(case: Case) -> bool:
    """`trim` and `ignore_case` follow Unicode here and Java's String there."""
    matcher = case["options"]["argument_matcher"]
    folds = isinstance(matcher, dict) and (matcher["trim_strings"] or matcher["case_insensitive"])
    return folds and not json.dumps([case["actual_args"], case["expected_args"]], ensure_ascii=False).isascii()


def is_paired_greedily(case: Case) -> bool:
    """First fit there, maximum matching here: they may differ once a matcher is not symmetric."""
    return case["options"].get("argument_matcher") in {"SUBSET", "SUPERSET"}


def is_without_schema(case: Case) -> bool:
    """A tool whose schema was not recorded accepts everything there; here its calls are left out."""
    return any(tool.get("input_schema") is None for tool in case["tools"])


def is_strict(case: Case) -> bool:
    """`jsonschema` has no strict mode to compare with."""
    return bool(case["options"].get("strict_mode"))


def is_no_json_schema(case: Case) -> bool:
    """A schema that JSON Schema itself refuses: its calls are left out here."""
    return any(isinstance(answer, str) for answer in case["alternative"]["jsonschema_draft2020_12_valid_per_call"])


def cases(evaluator: str, *rules: Callable[[Case], bool]) -> list[Any]:
    lines = (CASES / f"dokimos_{evaluator}.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [case for case in map(json.loads, lines) if not any(rule(case) for rule in rules)]
    return [pytest.param(case, id=case["id"]) for case in kept]


@pytest.mark.parametrize("case", cases("argument_matcher", is_folded_beyond_ascii))
def test_argument_matcher(case: Case) -> None:
    accepted = matcher(case["options"]["argument_matcher"]).accepts(
        case.get("expected_args") or {}, case.get("actual_args") or {}
    )
    assert float(accepted) == case["expected"]["score"]


@pytest.mark.parametrize("case", cases("tool_correctness", is_raised, is_paired_greedily))
def test_tool_correctness(case: Case) -> None:
    score = score_case("tool_correctness", case)
    assert score.value == pytest.approx(case["expected"]["score"])
    assert_details(score, case, "matched", "lcs_length")
    if case["options"]["match_mode"] == "NAMES_ONLY":
        assert_details(score, case, "correct", "redundant", "missing")


@pytest.mark.parametrize("case", cases("tool_trajectory", is_raised))
def test_tool_trajectory(case: Case) -> None:
    score = score_case("tool_trajectory", case)
    assert score.value == pytest.approx(case["expected"]["score"])
    if case["options"].get("match_mode") != "STRICT":
        assert_details(score, case, "matched")


@pytest.mark.parametrize("case", cases("tool_call_validity", is_raised, is_without_calls, is_without_schema))
def test_tool_call_validity_one_level_deep(case: Case) -> None:
    score = score_case("tool_call_validity", case, depth="top", **TO_THE_LETTER)
    assert score.value == pytest.approx(case["expected"]["score"])


@pytest.mark.parametrize(
    "case",
    cases("tool_call_validity", is_raised, is_without_calls, is_without_schema, is_strict, is_no_json_schema),
)
def test_tool_call_validity_agrees_with_jsonschema(case: Case) -> None:
    statuses = [call["status"] for call in score_case("tool_call_validity", case, **TO_THE_LETTER).details["calls"]]
    truth = case["alternative"]["jsonschema_draft2020_12_valid_per_call"]
    assert [status == "valid" for status in statuses] == truth


def test_the_rules_leave_most_cases_in() -> None:
    rules: dict[str, tuple[Callable[[Case], bool], ...]] = {
        "argument_matcher": (is_folded_beyond_ascii,),
        "tool_correctness": (is_raised, is_paired_greedily),
        "tool_trajectory": (is_raised,),
        "tool_call_validity": (is_raised, is_without_calls, is_without_schema),
    }
    assert all(len(cases(name, *left_out)) > 0.7 * len(cases(name)) for name, left_out in rules.items())


def score_case(evaluator: str, case: Case, **options: object) -> Score:
    options |= {ours: case["options"][theirs] for theirs, ours in WORDS.items() if theirs in case["options"]}
    if isinstance(options.get("mode"), str):
        options["mode"] = str(options["mode"]).lower()
    if isinstance(given := case["options"].get("argument_matcher"), (str, dict)):
        options["argument_matcher"] = matcher(given)
    if by_tool := case["options"].get("per_tool_matchers"):
        options["argument_matchers"] = {tool: matcher(one) for tool, one in by_tool.items()}
    score = configure(evaluator, options=options).function(trace(case))
    assert isinstance(score, Score)
    return score


def trace(case: Case) -> AgentTrace:
    expected = case.get("expected_tool_calls")
    return AgentTrace.model_validate(
        {
            "tool_calls": [recorded(call) for call in case.get("actual_tool_calls") or ()],
            "tool_definitions": case.get("tools"),
            "reference": None
            if expected is None
            else Reference(expected_tool_calls=[wanted(call) for call in expected]),
        }
    )


def recorded(call: Case) -> Case:
    result = call.get("result")
    as_text = result if result is None or isinstance(result, str) else json.dumps(result)
    return {"name": call["name"], "args": call.get("args") or {}, "result": as_text}


def wanted(call: Case) -> Case:
    return {"name": call["name"], "args": call.get("args") or {}}


def matcher(given: str | Case) -> ArgumentMatcher:
    if isinstance(given, str):
        return ArgumentMatcher.model_validate(given.lower())
    return ArgumentMatcher(
        mode=given["mode"].lower(), trim=given["trim_strings"], ignore_case=given["case_insensitive"]
    )


def assert_details(score: Score, case: Case, *keys: str) -> None:
    theirs = case["expected"]["details"]
    assert {key: score.details[key] for key in keys if key in theirs} == {
        key: theirs[key] for key in keys if key in theirs
    }
