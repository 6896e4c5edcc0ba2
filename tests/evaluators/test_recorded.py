"""Did a run without tool calls make none, or were they not recorded?"""

from __future__ import annotations

import pytest

from tracegrade.evaluators.checks.recorded import unrecorded_calls, why_no_calls
from tracegrade.evaluators.model import AgentTrace, LlmCall, ToolCall


@pytest.mark.parametrize("reason", ["tool_calls", "tool-calls", "tool_use", "function_call", "TOOL_CALL", "toolUse"])
def test_a_model_that_asked_for_tools_made_calls_that_were_not_recorded(reason: str) -> None:
    run = AgentTrace(llm_calls=(LlmCall(finish_reasons=(reason,)), LlmCall(finish_reasons=("stop",))))
    assert why_no_calls(run) == "tool calls were not recorded (the model asked for tools)"


@pytest.mark.parametrize("gap", ["content_not_captured", "content_elsewhere", "unreadable_content", "too_large"])
def test_calls_may_be_hidden_in_content_that_was_not_recorded(gap: str) -> None:
    run = AgentTrace(gaps=(gap,), llm_calls=(LlmCall(finish_reasons=("stop",)),))
    assert why_no_calls(run) == f"tool calls were not recorded ({gap})"


def test_a_run_whose_content_was_recorded_called_no_tools() -> None:
    run = AgentTrace(gaps=("time_not_recorded",), llm_calls=(LlmCall(finish_reasons=("stop",)), LlmCall()))
    assert why_no_calls(run) == "the agent called no tools"
    assert unrecorded_calls(run) is None


def test_a_run_with_calls_has_recorded_them() -> None:
    run = AgentTrace(gaps=("content_not_captured",), tool_calls=(ToolCall(name="pay"),))
    assert unrecorded_calls(run) is None
