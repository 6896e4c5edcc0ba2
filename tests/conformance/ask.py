"""Asks our evaluators, through the same calls that a user makes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from tracegrade.evaluators.catalog.configure import configure, definition_of
from tracegrade.evaluators.definition.conclusion import conclude
from tracegrade.evaluators.definition.dialogue import BadAnswer, Question, run_dialogue, unusable
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, ToolCall, ToolDefinition

from .cases import Answer, Case

__all__ = ["answer", "ask", "ask_judge", "fill_arguments", "made", "offered", "run_of", "said", "wanted"]

_NEVER = datetime(1970, 1, 1)  # noqa: DTZ001 - verdicts are in UTC without saying so


def ask(use: str, trace: AgentTrace, options: Mapping[str, Any], *, compat: bool) -> ScoreRecord:
    """The verdict of `use` on `trace`. Its `threshold` stands among the options, as in the cases."""
    (verdict,) = evaluate(_configured(use, options, compat=compat), trace)
    return verdict


def ask_judge(
    use: str, trace: AgentTrace, options: Mapping[str, Any], judge: Callable[[Question], str], *, compat: bool
) -> ScoreRecord:
    """As `ask`, of an evaluator that puts its questions to `judge`."""
    evaluator = _configured(use, options, compat=compat)
    asking: Any = evaluator.function
    try:
        said: object = run_dialogue(asking.ask(trace), judge)
    except BadAnswer as error:
        said = unusable(error)
    (verdict,) = conclude(evaluator, trace, said, scored_at=_NEVER)
    return verdict


def said(response: object) -> str:
    """What a case says that the judge answered, as its text."""
    if response is None:
        return ""
    return response if isinstance(response, str) else json.dumps(response)


def _configured(use: str, options: Mapping[str, Any], *, compat: bool) -> Configured:
    given = {name: value for name, value in options.items() if name != "threshold"}
    if "compat" in definition_of(use).factory.model_fields:
        given["compat"] = compat
    return configure(use, options=given, threshold=options.get("threshold"))


def answer(verdict: ScoreRecord, **details: Any) -> Answer:
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


def fill_arguments(calls: Iterable[Case]) -> list[Case]:
    """The calls with an empty object where a case has no arguments."""
    return [{**call, "args": call.get("args") or {}} for call in calls]


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
