"""Google's Agent Development Kit. Its cases hold one invocation, or a list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.support.judges import Judge

from tracegrade.evaluators.compat.adk import ToolTrajectory, average
from tracegrade.evaluators.model import (
    AgentTrace,
    Message,
    MessagePart,
    Reference,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)

from ..ask import answer, ask, ask_judge, fill_arguments, made, wanted
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


def _hallucinations(case: Case, compat: bool) -> Answer:
    judge = Judge(*_in_our_order(case["judge_response"]))
    messages = tuple(map(_message, case["trajectory"]))
    results = [part for message in messages for part in message.parts if isinstance(part, ToolCallResponsePart)]
    run = AgentTrace(
        input=case["input"],
        messages=messages,
        tool_calls=tuple(ToolCall(name=part.name or "", result=part.response, source="message") for part in results),
        final_response=case["metadata"]["response"],
    )
    verdict = ask_judge("adk:hallucinations_v1", run, case["options"], judge, compat=compat)
    status = _STATUS[verdict.passed]
    return answer(verdict, status=status, per_invocation=[verdict.value], judge_calls=len(judge.asked))


def _in_our_order(answers: Sequence[Any]) -> list[Any]:
    """ADK asks for the labels of each response before the sentences of the next; we ask for all sentences first."""
    sentences: list[Any] = []
    labels: list[Any] = []
    is_split = False
    for said in answers:
        (labels if is_split else sentences).append(said)
        is_split = not is_split and isinstance(said, dict) and bool(said["sentences"])
    return [*sentences, *labels]


def _message(event: Case) -> Message:
    parts: list[MessagePart] = [TextPart(content=text) for text in event.get("texts", ())]
    parts += [ToolCallPart(name=call["name"], arguments=call["args"]) for call in event.get("calls", ())]
    parts += [ToolCallResponsePart(name=got["name"], response=got["result"]) for got in event.get("results", ())]
    return Message(role=event["role"], parts=tuple(parts))


_STATUS: Mapping[bool | None, str] = {None: "NOT_EVALUATED", True: "PASSED", False: "FAILED"}


FAMILIES: Mapping[str, Callable[[Case, bool], Answer]] = {
    "google_adk.hallucinations_v1": _hallucinations,
    "google_adk.response_match_score": _response_match,
    "google_adk.tool_trajectory_avg_score": _tool_trajectory,
}
