"""Did a run without tool calls make none, or were they not recorded?"""

from __future__ import annotations

import pytest

from tracegrade.evaluators.catalog.configure import catalogue, configure
from tracegrade.evaluators.definition.recorded import unrecorded_calls
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, LlmCall, TestCase, ToolCall, ToolDefinition


@pytest.mark.parametrize("reason", ["tool_calls", "tool-calls", "tool_use", "function_call", "TOOL_CALL", "toolUse"])
def test_a_model_that_asked_for_tools_made_calls_that_were_not_recorded(reason: str) -> None:
    run = AgentTrace(llm_calls=(LlmCall(finish_reasons=(reason,)), LlmCall(finish_reasons=("stop",))))
    assert unrecorded_calls(run) == "tool calls were not recorded (the model asked for tools)"


@pytest.mark.parametrize("gap", ["content_not_captured", "content_elsewhere", "unreadable_content", "too_large"])
def test_calls_may_be_hidden_in_content_that_was_not_recorded(gap: str) -> None:
    run = AgentTrace(gaps=(gap,), llm_calls=(LlmCall(finish_reasons=("stop",)),))
    assert unrecorded_calls(run) == f"tool calls were not recorded ({gap})"


def test_a_run_whose_content_was_recorded_called_no_tools() -> None:
    run = AgentTrace(gaps=("time_not_recorded",), llm_calls=(LlmCall(finish_reasons=("stop",)), LlmCall()))
    assert unrecorded_calls(run) is None


def test_a_run_with_calls_has_recorded_them() -> None:
    run = AgentTrace(gaps=("content_not_captured",), tool_calls=(ToolCall(name="pay"),))
    assert unrecorded_calls(run) is None


def test_without_content_calls_named_by_messages_alone_are_not_all() -> None:
    call = ToolCall(name="pay", source="message")
    assert unrecorded_calls(AgentTrace(tool_calls=(call,))) is None
    assert unrecorded_calls(AgentTrace(gaps=("content_not_captured",), tool_calls=(call,))) is not None


NEEDING_CALLS = {
    name: definition
    for name, definition in catalogue().items()
    if definition.scope == "trace" and "tool_calls" in definition.factory.needed_fields(definition.reads)
}
"""The evaluators that say something about tool calls, of all systems."""


def _no_judge(_: str) -> str:
    raise AssertionError("nothing was recorded that a judge could be asked about")


@pytest.mark.parametrize("gap", ["tool_calls_not_recorded", "content_not_captured"])
@pytest.mark.parametrize("name", sorted(NEEDING_CALLS))
def test_calls_that_were_not_recorded_are_never_scored(name: str, gap: str) -> None:
    definition = NEEDING_CALLS[name]
    case = TestCase(
        input="Pay",
        run=AgentTrace(input="Pay", final_response="Paid", gaps=(gap,)),
        expected_tool_calls=(ExpectedCall(name="pay"),),
        tools=(ToolDefinition(name="pay", input_schema={"type": "object"}),),
    )
    options = {key: value for key, value in definition.factory.example.items() if key != "judge"}
    evaluator = configure(name, options=options)
    [record] = evaluate(evaluator, case.trace, judge=_no_judge if evaluator.kind == "llm" else None)
    assert (record.status, record.value) == ("skipped", None)
    assert str(record.reason).startswith("tool calls were not recorded")
