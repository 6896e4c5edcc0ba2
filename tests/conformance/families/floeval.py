"""Floeval's cases: its builtin tool metrics, and what it reads from datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracegrade.evaluators.formats.floeval import Sample, dataset, sample
from tracegrade.evaluators.model import AgentTrace

from ..ask import answer, ask, run_of
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
    "floeval.tool_argument_correctness": _metric,
    "floeval.tool_call_success_rate": _metric,
    "floeval.tool_selection_accuracy": _metric,
}
