"""gllm-evals: what it makes of trajectories and names, and how it puts scores together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tracegrade.evaluators.compat.gl import MetricResult, aggregate, combined
from tracegrade.evaluators.formats.gl import Step, steps, tool_calls
from tracegrade.evaluators.formats.tool_names import normalize_tool_name

from ..cases import Answer, Case

__all__ = ["FAMILIES"]


def _agent(case: Case) -> Answer:
    results = case["metric_results"]
    return {**combined(results["tool_correctness"]["score"], results["generation"]["score"])}


def _aggregator(case: Case) -> Answer:
    score, success = aggregate({name: MetricResult(**result) for name, result in case["metric_results"].items()})
    return {"score": score, "passed": success}


def _trajectory(case: Case) -> Answer:
    found = steps(case["trajectory"])
    return {"steps": [_told(step) for step in found], **_calls(found, case)}


def _told(step: Step) -> Answer:
    told = step._asdict()
    return told if step.output else {key: value for key, value in told.items() if key != "output"}


def _calls(found: tuple[Step, ...], case: Case) -> Answer:
    try:
        calls = tool_calls(found)
    except ValueError as refusal:
        wording = case["expected"].get("tool_calls_error", str(refusal))
        return {"tool_calls": None, "tool_calls_error": wording}
    outputs = [step.output for step in found if step.name]
    told = [
        {"name": call.name, "input_parameters": call.args, "output": output}
        for call, output in zip(calls, outputs, strict=True)
    ]
    return {"tool_calls": told, "tool_calls_error": None}


def _name(case: Case) -> Answer:
    return {"output": normalize_tool_name(case["input"], "mixed4")}


def _without_defects(way: Callable[[Case], Answer]) -> Callable[[Case, bool], Answer]:
    return lambda case, _: way(case)


FAMILIES: Mapping[str, Any] = {
    "gllm.agent_evaluator": _without_defects(_agent),
    "gllm.metrics_aggregator": _without_defects(_aggregator),
    "gllm.normalize_tool_name": _without_defects(_name),
    "gllm.trajectory_parser": _without_defects(_trajectory),
}
