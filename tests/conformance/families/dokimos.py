"""Dokimos. It takes arguments, results and schemas that nobody gave for empty ones; here they are given as empty."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.peers.dokimos.arguments import TolerantArgumentMatcher
from tracegrade.evaluators.registry import configure

from ..ask import answer, ask, run_of
from ..cases import Answer, Case

__all__ = ["FAMILIES"]


def _argument_matcher(case: Case, compat: bool) -> Answer:
    matcher = TolerantArgumentMatcher.model_validate(case["options"]["argument_matcher"])
    matches = matcher.matches(case["expected_args"], case["actual_args"])
    return {"score": float(matches), "passed": matches, "details": {}}


def _counted(use: str, **words: str) -> Callable[[Case, bool], Answer]:
    """Asks `use`, and tells its details under the cases' `words`."""

    def way(case: Case, compat: bool) -> Answer:
        verdict = ask(use, _run(case), case["options"], compat=compat)
        details = {theirs: verdict.details[ours] for theirs, ours in words.items() if ours in verdict.details}
        return answer(verdict, **details)

    return way


def _error(case: Case, compat: bool) -> Answer:
    options = dict(case["options"])
    needle = options.pop("error_detector_contains", None)
    if needle is not None:

        def contains(result: str) -> bool:
            return needle in result

        options["error_detector"] = contains
    verdict = ask("dokimos:tool_error", _run(case), options, compat=compat)
    results: Any = verdict.details.get("results", ())
    told = [{"tool": each["tool_name"], "errored": each["errored"], "why": each["reason"]} for each in results]
    return answer(verdict, results=told)


def _validity(case: Case, compat: bool) -> Answer:
    verdict = ask("dokimos:tool_call_validity", _run(case), case["options"], compat=compat)
    results: Any = verdict.details.get("validation_results", ())
    told = [
        {"tool": each["tool_name"], "valid": each["valid"]}
        | ({"errors": sorted(map(_code, each["errors"]))} if compat else {})
        for each in results
    ]
    return answer(verdict, results=told)


def _code(error: str) -> str:
    """A fault as the cases write it, such as `missing:city`."""
    if error == "no such tool was offered":
        return "unknown_tool"
    for word, pattern in _FAULTS.items():
        if found := re.fullmatch(pattern, error, re.DOTALL):
            return f"{word}:{ast.literal_eval(found[1]) if word in {'missing', 'unexpected'} else found[1]}"
    raise ValueError(f"no case says {error!r}")


_FAULTS = {
    "missing": "(.+) is missing",
    "unexpected": "unexpected (.+)",
    "type": "(.*): the value is not of type .+",
    "enum": "(.*): the value is not one of its enum",
}


def _reliability(use: str) -> Callable[[Case, bool], Answer]:
    """Asks `use` about the tools, with the answer that a judge gave on each of them."""

    def way(case: Case, compat: bool) -> Answer:
        options = dict(case["options"])
        response, threshold = options.pop("judge_response", None), options.pop("threshold", None)
        evaluator = configure(use, options=options, threshold=threshold)
        tools = run_of(_as_given(case)).tool_definitions
        judge: Any = evaluator.judge
        score = judge.score(tools, None if tools is None or response is None else [response] * len(tools))
        if score.value is None:
            return {"error": score.reason}
        per_tool = [
            {"tool": each["tool_name"], "checks": each["checks"]} for each in score.details.get("per_tool_results", ())
        ]
        return {"score": score.value, "passed": score.value >= evaluator.threshold, "details": {"per_tool": per_tool}}

    return way


def _run(case: Case) -> AgentTrace:
    if case["actual_tool_calls"] is None:
        raise ValueError("a run always tells its calls, and be there none")
    return run_of(_as_given(case))


def _as_given(case: Case) -> Case:
    """The case as Dokimos reads it: what is not given is empty."""
    call: Case = {"args": {}, "result": ""}
    empty = {"actual_tool_calls": call, "expected_tool_calls": call, "tools": {"input_schema": {}}}
    given = {
        key: None if case[key] is None else [_filled(thing, blanks) for thing in case[key]]
        for key, blanks in empty.items()
    }
    return {**case, **given}


def _filled(thing: Case, blanks: Case) -> Case:
    return {**thing, **{key: value for key, value in blanks.items() if thing.get(key) is None}}


FAMILIES: Mapping[str, Callable[[Case, bool], Answer]] = {
    "dokimos.argument_matcher": _argument_matcher,
    "dokimos.tool_call_validity": _validity,
    "dokimos.tool_correctness": _counted(
        "dokimos:tool_correctness",
        correct="correct_tools",
        redundant="redundant_tools",
        missing="missing_tools",
        lcs_length="lcs_length",
        matched="matched_count",
    ),
    "dokimos.tool_trajectory": _counted(
        "dokimos:tool_trajectory",
        matched="matched_count",
        actual_count="actual_count",
        expected_count="expected_count",
    ),
    "dokimos.tool_error": _error,
    "dokimos.tool_efficiency": _counted(
        "dokimos:tool_efficiency",
        total="total_calls",
        distinct="distinct_calls",
        redundant_calls="redundant_calls",
        consecutive_duplicates="consecutive_duplicates",
    ),
    "dokimos.tool_name_reliability": _reliability("dokimos:tool_name_reliability"),
    "dokimos.tool_description_reliability": _reliability("dokimos:tool_description_reliability"),
}
"""A case about a conversation names the calls of the turn, or of all turns, that it asks about."""
