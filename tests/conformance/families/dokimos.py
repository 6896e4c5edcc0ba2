"""Dokimos. It takes arguments, results and schemas that nobody gave for empty ones; here they are given as empty."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from tracegrade.evaluators.compat.dokimos.arguments import TolerantArgumentMatcher
from tracegrade.evaluators.model import AgentTrace, Reference

from ..ask import answer, ask, ask_judge, run_of, said
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
        response = options.pop("judge_response", None)
        run = AgentTrace(tool_definitions=run_of(_as_given(case)).tool_definitions)
        if response is None:
            verdict = ask(use, run, options, compat=compat)
        else:
            verdict = ask_judge(use, run, options, lambda _: said(response), compat=compat)
        results: Any = verdict.details.get("per_tool_results", ())
        return answer(verdict, per_tool=[{"tool": each["tool_name"], "checks": each["checks"]} for each in results])

    return way


def _task_completion(case: Case, compat: bool) -> Answer:
    told = case.get("metadata") or {}
    tasks, constraints = told.get("tasks"), told.get("constraints")
    if not isinstance(tasks, list | None):
        raise ValueError("tasks are a list")  # noqa: TRY004 - a refusal, as theirs
    reference = Reference(
        tasks=None if tasks is None else tuple(map(str, tasks)),
        constraints=None if constraints is None else (str(constraints),),
    )
    run = AgentTrace(input=told.get("input"), final_response=told.get("output"), reference=reference)
    return _judged("dokimos:task_completion", case, run, compat=compat)


def _argument_hallucination(case: Case, compat: bool) -> Answer:
    run = _run(case).model_copy(update={"input": (case.get("metadata") or {}).get("input")})
    return _judged("dokimos:tool_argument_hallucination", case, run, compat=compat)


def _judged(use: str, case: Case, run: AgentTrace, *, compat: bool) -> Answer:
    return answer(ask_judge(use, run, case["options"], lambda _: said(case["judge_response"]), compat=compat))


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
    "dokimos.task_completion": _task_completion,
    "dokimos.tool_argument_hallucination": _argument_hallucination,
    "dokimos.tool_name_reliability": _reliability("dokimos:tool_name_reliability"),
    "dokimos.tool_description_reliability": _reliability("dokimos:tool_description_reliability"),
}
"""A case about a conversation names the calls of the turn, or of all turns, that it asks about."""
