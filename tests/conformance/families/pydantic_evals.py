"""Pydantic Evals' cases. The expected calls are the options there; null arguments were recorded as an empty object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracegrade.evaluators.model import AgentTrace

from ..ask import answer, ask, run_of
from ..cases import Answer, Case

__all__ = ["FAMILIES"]


def _assertion(case: Case, compat: bool) -> Answer:
    verdict = ask(case["evaluator"].replace(".", ":"), _run(case), case["options"], compat=compat)
    told = {"reason": verdict.details["reason"]} if "reason" in verdict.details else {}
    return answer(verdict, **told)


def _grade(case: Case, compat: bool) -> Answer:
    graded = _assertion(case, compat)
    graded.pop("passed", None)  # there is no threshold there
    return graded


def _run(case: Case) -> AgentTrace:
    """The run, in which calls with an error have failed."""
    lists = {
        key: [{**call, "args": call["args"] or {}} for call in case[key] or ()]
        for key in ("actual_tool_calls", "expected_tool_calls")
    }
    run = run_of({**case, **lists})
    calls = [
        made if told.get("error") is None else made.model_copy(update={"status": "error", "error": told["error"]})
        for made, told in zip(run.tool_calls, lists["actual_tool_calls"], strict=True)
    ]
    return run.model_copy(update={"tool_calls": tuple(calls)})


FAMILIES: Mapping[str, Any] = {
    "pydantic_evals.argument_correctness": _assertion,
    "pydantic_evals.max_tool_calls": _assertion,
    "pydantic_evals.tool_correctness": _assertion,
    "pydantic_evals.trajectory_match": _grade,
}
