"""Ragas' cases. Arguments that are null there were sent as an empty object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tracegrade.evaluators.definition.dialogue import Question
from tracegrade.evaluators.model import AgentTrace, Reference

from ..ask import answer, ask, ask_judge, made, run_of
from ..cases import Answer, Case

__all__ = ["FAMILIES"]


def _metric(case: Case, compat: bool) -> Answer:
    use = case["evaluator"].replace(".", ":")
    verdict = ask(use, run_of(_sent(case)), case["options"], compat=compat)
    return answer(verdict, legacy_ragas_metrics_class_score=verdict.value)  # the older classes compute the same


def _sent(case: Case) -> Case:
    lists = ("actual_tool_calls", "expected_tool_calls")
    return {**case, **{key: [{**call, "args": call["args"] or {}} for call in case[key]] for key in lists}}


def _goal_accuracy(case: Case, compat: bool) -> Answer:
    """The cases about oddities say only by their id what was asked: no reference, no messages, or a bad verdict."""
    oddity = case["id"].removeprefix("ragas.agent_goal_accuracy.").partition(".")[0]
    answers = list(case.get("judge_response") or [_INFERRED, _BAD if oddity == "bad_verdict" else _SAME])
    heard: list[str] = []

    def judge(question: Question) -> str:
        heard.append(question.evidence)
        return json.dumps(answers[len(heard) - 1])

    told = (case.get("metadata") or {}).get("reference_outcome", "table booked")
    reference = Reference(expected_response="" if "reference" in oddity and "judge_response" not in case else told)
    run = AgentTrace(input="Book a table", final_response="Booked.", reference=reference)
    if oddity != "empty_messages":
        run = run.model_copy(update={"tool_calls": made(case.get("actual_tool_calls") or ())})
    options = {"use_reference": case["options"].get("reference", "with_reference") == "with_reference"}
    verdict = ask_judge("ragas:agent_goal_accuracy", run, options, judge, compat=compat)
    if verdict.status != "scored":
        return {"error": verdict.reason}
    return {"score": verdict.value, "details": {"llm_calls": len(heard)}}


_INFERRED = {"user_goal": "a table", "end_state": "a table is booked"}
_SAME = {"reason": "they are the same", "verdict": "1"}
_BAD = {"reason": "perhaps", "verdict": "maybe"}


FAMILIES: Mapping[str, Any] = {
    "ragas.agent_goal_accuracy": _goal_accuracy,
    "ragas.tool_call_accuracy": _metric,
    "ragas.tool_call_f1": _metric,
}
