"""Google's Agent Development Kit. Its cases hold one invocation, or a list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tracegrade.evaluators.compat.adk import ToolTrajectory, average
from tracegrade.evaluators.model import AgentTrace, Reference

from ..ask import answer, ask, fill_arguments, made, wanted
from ..cases import Answer, Case


def _tool_trajectory(case: Case, compat: bool) -> Answer:
    if (case.get("metadata") or {}).get("multi_invocation"):
        return _average(case)
    verdict = ask("adk:tool_trajectory", _invocation(case), case["options"], compat=compat)
    return answer(verdict, status=_STATUS[verdict.passed], per_invocation=[verdict.value])


def _average(case: Case) -> Answer:
    options = {name: value for name, value in case["options"].items() if name != "threshold"}
    runs = [AgentTrace(tool_calls=made(fill_arguments(calls))) for calls in case["actual_tool_calls"]]
    references = [Reference(expected_tool_calls=wanted(fill_arguments(calls))) for calls in case["expected_tool_calls"]]
    score = average(ToolTrajectory(**options), runs, references=references, threshold=case["options"]["threshold"])
    details = {"status": _STATUS[score.passed], "per_invocation": score.details["per_invocation"]}
    return {"score": score.value, "passed": score.passed, "details": details}


def _invocation(case: Case) -> AgentTrace:
    return AgentTrace(
        tool_calls=made(fill_arguments(case["actual_tool_calls"])),
        reference=Reference(expected_tool_calls=wanted(fill_arguments(case["expected_tool_calls"]))),
    )


def _response_match(case: Case, compat: bool) -> Answer:
    told = case["metadata"]
    run = AgentTrace(final_response=told["response"], reference=Reference(expected_response=told["expected"]))
    return answer(ask("adk:response_match_score", run, case["options"], compat=compat))


_STATUS: Mapping[bool | None, str] = {None: "NOT_EVALUATED", True: "PASSED", False: "FAILED"}


FAMILIES: Mapping[str, Callable[[Case, bool], Answer]] = {
    "google_adk.response_match_score": _response_match,
    "google_adk.tool_trajectory_avg_score": _tool_trajectory,
}
