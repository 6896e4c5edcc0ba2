"""AgentV, as it was documented (v2) and as it became (v4); the cases' source tells which of them was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Message, Reference, ToolCall

from ..ask import answer, ask, made
from ..cases import Answer, Case

_V2_COMMIT = "3f6e2a60"


def _tool_trajectory(case: Case, compat: bool) -> Answer:
    options = {"era": "v2" if _V2_COMMIT in case["source"] else "v4", "strict": False, **case["options"]}
    verdict = ask("agentv:tool_trajectory", _run(case), options, compat=compat)
    return {**answer(verdict), "details": _details(verdict)}


def _run(case: Case) -> AgentTrace:
    """The run and what was asked of it. To AgentV a list that is not given is an empty one."""
    has_output = (case.get("metadata") or {}).get("output_messages") != "absent"
    return AgentTrace(
        tool_calls=tuple(map(_made, case.get("actual_tool_calls") or ())),
        messages=(Message(role="assistant"),) if has_output else (),
        reference=Reference(
            expected_tool_calls=tuple(map(_wanted, case.get("expected_tool_calls") or ())),
            minimums={name: least or 0 for name, least in (case.get("minimums") or {}).items()},  # 1 >= null is 1 >= 0
        ),
    )


def _made(call: Case) -> ToolCall:
    args = call.get("args")
    return ToolCall(
        name=call["name"],
        args=args,
        args_text="" if args is None else None,  # it was told that there are none, not that nobody wrote them down
        duration_ms=(call["duration_ms"] or 0) if "duration_ms" in call else None,  # to JavaScript null <= 5 is 0 <= 5
    )


def _wanted(call: Case) -> ExpectedCall:
    args, args_match = call.get("args"), call.get("args_match")
    return ExpectedCall(
        name=call["name"],
        args=None if args == "any" else args,
        max_duration_ms=call.get("max_duration_ms"),
        args_match=tuple(args_match) if isinstance(args_match, list) else args_match,
    )


def _details(verdict: ScoreRecord) -> dict[str, Any]:
    told = verdict.details
    return {key: len(value) if isinstance(value, list) else value for key, value in told.items()}


def _assertion(use: str) -> Callable[[Case, bool], Answer]:
    def answer_case(case: Case, compat: bool) -> Answer:
        return answer(ask(use, AgentTrace(tool_calls=made(case["actual_tool_calls"])), case["options"], compat=compat))

    return answer_case


FAMILIES: Mapping[str, Callable[[Case, bool], Answer]] = {
    "agentv.tool_trajectory": _tool_trajectory,
    "agentv.trajectory:step-count": _assertion("agentv:step_count"),
    "agentv.trajectory:tool-args-match": _assertion("agentv:tool_args_match"),
    "agentv.trajectory:tool-sequence": _assertion("agentv:tool_sequence"),
    "agentv.trajectory:tool-used": _assertion("agentv:tool_used"),
}
