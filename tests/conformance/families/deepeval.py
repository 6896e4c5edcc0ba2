"""DeepEval: outputs are any JSON value there; a run holds texts, so each is written as the JSON that it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tracegrade.evaluators.compat.deepeval import with_tool_selection
from tracegrade.evaluators.model import AgentTrace

from ..ask import answer, ask, made, run_of
from ..cases import Answer, Case

__all__ = ["FAMILIES"]


def _tool_correctness(case: Case, compat: bool) -> Answer:
    verdict = ask("deepeval:tool_correctness", _run(case), case["options"], compat=compat)
    return answer(verdict, threshold_effective=verdict.details.get("threshold_effective", verdict.threshold))


def _tool_permission(case: Case, compat: bool) -> Answer:
    return answer(
        ask(
            "deepeval:tool_permission",
            AgentTrace(tool_calls=made(case["actual_tool_calls"])),
            case["options"],
            compat=compat,
        )
    )


def _run(case: Case) -> AgentTrace:
    run = run_of(case)
    assert run.reference is not None
    expected = _with_outputs(run.reference.expected_tool_calls or (), case["expected_tool_calls"])
    return run.model_copy(
        update={
            "tool_calls": _with_outputs(run.tool_calls, case["actual_tool_calls"]),
            "reference": run.reference.model_copy(update={"expected_tool_calls": expected}),
        }
    )


def _with_outputs(calls: tuple[Any, ...], told: list[Case]) -> tuple[Any, ...]:
    """The calls with their outputs. One that is null is none, there and here."""
    outputs = [None if one.get("result") is None else json.dumps(one["result"]) for one in told]
    return tuple(call.model_copy(update={"result": output}) for call, output in zip(calls, outputs, strict=True))


def _with_available_tools(case: Case, compat: bool) -> Answer:
    # Their options are empty: nothing but the end of the id says whether `strict_mode` was on.
    given = {name: result["score"] for name, result in case["metric_results"].items()}
    return {"score": with_tool_selection(**given, strict_mode=case["id"].endswith("_strict"))}


FAMILIES: Mapping[str, Any] = {
    "deepeval.ToolPermissionMetric": _tool_permission,
    "deepeval.tool_correctness": _tool_correctness,
    "deepeval.tool_correctness_with_available_tools": _with_available_tools,
}
