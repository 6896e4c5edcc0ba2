"""Where we differ from a peer on purpose, when it is asked without `compat`: its defects, each with its rule.

A rule looks at what was asked and answered, never at the name of a case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tracegrade.evaluators.compat.dokimos import tool_description_reliability, tool_name_reliability
from tracegrade.evaluators.compat.dokimos.reply import Unreadable, objects, parsed

from .ask import said
from .cases import Case

__all__ = ["DEFECTS", "Defect", "declared"]


@dataclass(frozen=True, slots=True)
class Defect:
    """Something that a peer gets wrong. `evaluator` is the cases' word for it."""

    evaluator: str
    reason: str
    holds: Callable[[Case], bool]


def _runs_a_command(case: Case) -> bool:
    return any(
        call["name"] in {"shell", "exec_command"} and call["args"].keys() & {"cmd", "command", "commands"}
        for call in case["actual_tool_calls"]
    )


def _asks_for_no_mode_that_exists(case: Case) -> bool:
    return case["options"]["mode"] not in {"any_order", "in_order", "exact", "superset", "subset"}


_UNREAD_BY_DOKIMOS = frozenset({"$ref", "allOf", "anyOf", "format", "if", "not", "oneOf", "patternProperties"})


def _says_more_than_one_level(case: Case) -> bool:
    """JSON Schema finds another verdict, or its schemas use keywords on which that truth depends on the validator."""
    truth = case.get("alternative", {}).get("jsonschema_draft2020_12_valid_per_call")
    if truth is not None and truth != [result["valid"] for result in case["expected"]["details"]["results"]]:
        return True
    return any(not _UNREAD_BY_DOKIMOS.isdisjoint(_keywords(tool.get("input_schema"))) for tool in case["tools"] or ())


def _keywords(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keywords(below)


_ROLE_OF_OPENAI = re.compile(r'"role"\s*:\s*"(system|user)"')


def _has_roles_that_floeval_does_not_know(case: Case) -> bool:
    return bool(_ROLE_OF_OPENAI.search(case.get("file_text") or json.dumps(case.get("record"))))


def _repeats_a_call_that_is_wanted_again(case: Case) -> bool:
    """Only where calls are looked for in any order: there, the ones used up are remembered by what they are.

    Two equal calls are needed, and two expected ones that each could take one of them.
    """
    options = case["options"]
    if options.get("should_exact_match") or options.get("should_consider_ordering"):
        return False
    calls = [(call["name"], call.get("args"), call.get("result")) for call in case["actual_tool_calls"]]
    repeated = [case["actual_tool_calls"][at] for at, call in enumerate(calls) if call in calls[:at]]
    return any(sum(_could_be(call, wanted, options) for wanted in case["expected_tool_calls"]) > 1 for call in repeated)


def _could_be(call: Case, wanted: Case, options: Case) -> bool:
    """Whether DeepEval takes them for one in part: one tool, the same output, and an argument that both have."""
    if call["name"] != wanted["name"]:
        return False
    compared = _COMPARED[options["evaluation_params"]]
    if "result" in compared and call.get("result") != wanted.get("result"):
        return False
    return "args" not in compared or _share_a_value(call.get("args"), wanted.get("args"))


def _share_a_value(one: Any, other: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(other, dict) or one == other:
        return bool(one == other)
    return any(_share_a_value(one[key], other[key]) for key in one.keys() & other.keys())


def _has_recorded_what_the_other_side_has_not(case: Case) -> bool:
    """Of two calls of one tool, one expected and one made, one has the arguments or the output and one has none."""
    pairs = [
        (wanted, made)
        for wanted in case["expected_tool_calls"]
        for made in case["actual_tool_calls"]
        if wanted["name"] == made["name"]
    ]
    compared = _COMPARED[case["options"]["evaluation_params"]]
    return any((wanted.get(key) is None) != (made.get(key) is None) for wanted, made in pairs for key in compared)


_COMPARED: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "input": ("args",),
    "output": ("result",),
    "both": ("args", "result"),
}


def _has_an_answer_of_another_shape(case: Case) -> bool:
    """The judge's answer is not the list of objects that was asked for, or not where it was asked for."""
    try:
        found = parsed(said(case["judge_response"]))
        objects(found.get("tasks") if isinstance(found, dict) else found)
    except Unreadable:
        return True
    return isinstance(found, dict) != bool(case["evaluator"] == "dokimos.task_completion")


def _has_an_answer_without_checks(case: Case) -> bool:
    answer = case["options"].get("judge_response")
    checks = tool_name_reliability.JUDGED + tool_description_reliability.JUDGED
    return answer is not None and not any(re.search(rf'"{check}"\s*:\s*[01]', answer) for check in checks)


def _has_a_score_that_is_no_number(case: Case) -> bool:
    return "NaN" in said(case["judge_response"])


DEFECTS: tuple[Defect, ...] = (
    Defect("agentv.tool_trajectory", "AgentV scores 0 in a mode it does not know", _asks_for_no_mode_that_exists),
    *(
        Defect(
            f"agentv.trajectory:{name}", "AgentV takes a command in a shell for the call of no tool", _runs_a_command
        )
        for name in ("tool-args-match", "tool-sequence", "tool-used")
    ),
    Defect("deepeval.tool_correctness", "DeepEval takes equal calls for one", _repeats_a_call_that_is_wanted_again),
    Defect(
        "deepeval.tool_correctness",
        "DeepEval compares what nobody recorded",
        _has_recorded_what_the_other_side_has_not,
    ),
    Defect("dokimos.tool_call_validity", "Dokimos checks one level of a schema", _says_more_than_one_level),
    *(
        Defect(name, "Dokimos scores 0 for an answer of another shape", _has_an_answer_of_another_shape)
        for name in ("dokimos.task_completion", "dokimos.tool_argument_hallucination")
    ),
    *(
        Defect(name, "Dokimos fails every check for an answer without any", _has_an_answer_without_checks)
        for name in ("dokimos.tool_name_reliability", "dokimos.tool_description_reliability")
    ),
    *(
        Defect(f"floeval.{name}", "Floeval takes NaN for the best score", _has_a_score_that_is_no_number)
        for name in ("goal_achievement", "response_coherence", "task_completion", "trajectory_faithfulness")
    ),
    *(
        Defect(name, "Floeval knows neither user nor system as a role", _has_roles_that_floeval_does_not_know)
        for name in ("floeval.agent_dataset", "floeval.agent_dataset_file")
    ),
)


def declared(case: Case) -> str | None:
    """The defect that makes our answer another one; None when there is none."""
    return next(
        (each.reason for each in DEFECTS if each.evaluator == case["evaluator"] and each.holds(case)),
        None,
    )
