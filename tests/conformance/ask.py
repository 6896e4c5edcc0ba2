"""Asks our evaluators, through the same calls that a user makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, ToolCall, ToolDefinition
from tracegrade.evaluators.registry import configure, definition_of
from tracegrade.evaluators.run import evaluate
from tracegrade.evaluators.verdict import Verdict

from .cases import Answer, Case

__all__ = ["answer", "ask", "made", "offered", "run_of", "wanted"]


def ask(use: str, trace: AgentTrace, options: Mapping[str, Any], *, compat: bool) -> Verdict:
    """The verdict of `use` on `trace`. Its `threshold` stands among the options, as in the cases."""
    given = {name: value for name, value in options.items() if name != "threshold"}
    if "compat" in definition_of(use).factory.model_fields:
        given["compat"] = compat
    (verdict,) = evaluate(configure(use, options=given, threshold=options.get("threshold")), trace)
    return verdict


def answer(verdict: Verdict, **details: Any) -> Answer:
    """A verdict as the cases write what was expected; `details` under the peer's names."""
    if verdict.status != "scored":
        return {"error": verdict.reason}
    return {"score": verdict.value, "passed": verdict.passed, "details": details}


def run_of(case: Case) -> AgentTrace:
    """The run that a case tells of, with its reference."""
    expected = case.get("expected_tool_calls")
    reference = Reference(
        expected_tool_calls=None if expected is None else wanted(expected), minimums=case.get("minimums")
    )
    return AgentTrace(
        tool_calls=made(case.get("actual_tool_calls") or ()),
        tool_definitions=None if case.get("tools") is None else offered(case["tools"]),
        reference=reference,
    )


def made(calls: Iterable[Case]) -> tuple[ToolCall, ...]:
    """Calls as they were made. `args: null` in a case: the peer got no arguments."""
    return tuple(
        ToolCall(
            name=call["name"],
            args=call.get("args"),
            result=_as_text(call.get("result")),
            duration_ms=call.get("duration_ms"),
        )
        for call in calls
    )


def wanted(calls: Iterable[Case]) -> tuple[ExpectedCall, ...]:
    """Calls as they were expected."""
    return tuple(
        ExpectedCall(name=call["name"], args=call.get("args"), max_duration_ms=call.get("max_duration_ms"))
        for call in calls
    )


def offered(tools: Iterable[Case]) -> tuple[ToolDefinition, ...]:
    return tuple(
        ToolDefinition(name=tool["name"], description=tool.get("description"), input_schema=tool.get("input_schema"))
        for tool in tools
    )


def _as_text(result: Any) -> str | None:
    return result if result is None or isinstance(result, str) else ToolCall.result_json(result)
