"""Floeval's cases: its builtin metrics of tools and those with a judge, and what it reads from datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracegrade.evaluators.formats.floeval import Sample, dataset, sample
from tracegrade.evaluators.model import AgentTrace, Message, TextPart, ToolCall, ToolCallPart, ToolCallResponsePart

from ..ask import answer, ask, ask_judge, run_of, said
from ..cases import Answer, Case

__all__ = ["FAMILIES"]

_THEIR_KINDS = {"full": "AgentSample", "partial": "PartialAgentSample"}
_THEIR_ROLES = {"user": "human", "assistant": "ai"}


def _metric(case: Case, compat: bool) -> Answer:
    calls = [{**call, "args": call.get("args") or {}} for call in case["actual_tool_calls"] or ()]
    use = case["evaluator"].replace(".", ":")
    verdict = ask(use, run_of({**case, "actual_tool_calls": calls}), case["options"], compat=compat)
    if verdict.status == "skipped" and "error" not in case["expected"]:
        return {"score": None, "passed": None}  # the peer gives some of its reasons beside the score
    answered = answer(verdict)
    if case["expected"].get("passed") is None:
        answered.pop("passed", None)  # where no tool is on both sides, the peer does not ask its threshold
    return answered


def _judge(case: Case, compat: bool) -> Answer:
    """What they were asked about is not in the cases: a run in which everything was recorded."""
    use = case["evaluator"].replace(".", ":")
    verdict = ask_judge(use, _CONVERSATION, case["options"], lambda _: said(case["judge_response"]), compat=compat)
    if verdict.status == "scored":
        return {"score": verdict.value, "passed": verdict.passed}
    return {"error": verdict.reason}


_CONVERSATION = AgentTrace(
    input="What is the weather in Paris?",
    messages=(
        Message(role="user", parts=(TextPart(content="What is the weather in Paris?"),)),
        Message(role="assistant", parts=(ToolCallPart(name="w", arguments={"city": "Paris"}),)),
        Message(role="tool", parts=(ToolCallResponsePart(name="w", response="sunny"),)),
    ),
    tool_calls=(ToolCall.of("w", city="Paris"),),
    final_response="It is sunny.",
)


def _record(case: Case, compat: bool) -> Answer:
    return _told(sample(case["record"], strict_roles=compat))


def _file(case: Case, compat: bool) -> Answer:
    samples = dataset(case["file_name"], case["file_text"], strict_roles=compat)
    return {"samples": list(map(_told, samples)), "is_partial": any(each.kind == "partial" for each in samples)}


def _told(read: Sample) -> Answer:
    calls = read.reference.expected_tool_calls if read.reference else None
    return {
        "kind": _THEIR_KINDS[read.kind],
        "user_input": read.user_input,
        "reference_outcome": read.reference_outcome,
        "reference_tool_calls": None if calls is None else [{"name": it.name, "args": it.args} for it in calls],
        "roles": _roles(read.trace) if read.trace else None,
        "final_response": (read.trace.final_response or "") if read.trace else None,
        "metadata": read.metadata,
    }


def _roles(trace: AgentTrace) -> list[str]:
    return [_THEIR_ROLES.get(message.role, message.role) for message in trace.messages]


FAMILIES: Mapping[str, Any] = {
    "floeval.agent_dataset": _record,
    "floeval.agent_dataset_file": _file,
    "floeval.goal_achievement": _judge,
    "floeval.response_coherence": _judge,
    "floeval.task_completion": _judge,
    "floeval.trajectory_faithfulness": _judge,
    "floeval.tool_argument_correctness": _metric,
    "floeval.tool_call_success_rate": _metric,
    "floeval.tool_selection_accuracy": _metric,
}
