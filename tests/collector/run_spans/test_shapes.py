"""A run of any shape that is written as spans is assembled to the same run."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from tests.support.run_shapes import AT, runs

from tracegrade.collector.capture.assembly import assemble_exported_runs
from tracegrade.collector.run_spans import write_runs
from tracegrade.evaluators.model import AgentTrace, LlmCall, Message, ToolCall

SAME: Final = {
    "agent_name",
    "agent_id",
    "agent_version",
    "service_name",
    "service_version",
    "environment",
    "session_id",
    "user_id",
    "input",
    "final_response",
    "tool_definitions",
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "error",
    "interrupt",
    "completeness",
    "experiment_id",
}


def assemble_again(run: AgentTrace) -> AgentTrace:
    (again,) = assemble_exported_runs([write_runs([run], at=AT)], [])
    return again


def comparable_call(call: ToolCall, again: ToolCall) -> dict[str, Any]:
    """The fields of a call that its span or its message returns; one that was not recorded may become known."""
    return {
        **call.model_dump(exclude={"source", "metadata"}),
        "span_id": again.span_id if call.span_id is None else call.span_id,
        "started_at": again.started_at if call.started_at is None else call.started_at,
        "duration_ms": None if call.duration_ms is None else pytest.approx(call.duration_ms, abs=1e-6),
    }


def comparable_model(call: LlmCall, again: LlmCall) -> dict[str, Any]:
    first_token_ms = call.time_to_first_token_ms
    return {
        **call.model_dump(exclude={"model", "cost_usd"}),
        "span_id": again.span_id if call.span_id is None else call.span_id,
        "started_at": again.started_at if call.started_at is None else call.started_at,
        "time_to_first_token_ms": None if first_token_ms is None else pytest.approx(first_token_ms),
    }


def comparable_message(message: Message, again: Message) -> Message:
    place = {"span_id": message.span_id or again.span_id, "time": message.time or again.time}
    return message.model_copy(update=place)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(run=runs())
def test_run_is_the_same_after_it_was_written_and_assembled(run: AgentTrace) -> None:
    again = assemble_again(run)
    assert again.model_dump(include=SAME) == run.model_dump(include=SAME)
    assert set(run.gaps) <= set(again.gaps)
    for call, other in zip(run.tool_calls, again.tool_calls, strict=True):
        assert other.model_dump(exclude={"source", "metadata"}) == comparable_call(call, other)
        operation = {} if other.span_id is None else {"gen_ai.operation.name": "execute_tool"}
        assert other.metadata == {**call.metadata, **operation}
    for model, other_model in zip(run.llm_calls, again.llm_calls, strict=True):
        assert other_model.model_dump(exclude={"model", "cost_usd"}) == comparable_model(model, other_model)
    if run.messages:
        assert again.reasoning_steps == run.reasoning_steps or not run.reasoning_steps
        assert list(again.messages) == list(map(comparable_message, run.messages, again.messages))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(run=runs())
def test_times_are_kept_and_no_duration_is_invented(run: AgentTrace) -> None:
    again = assemble_again(run)
    assert run.started_at in {None, again.started_at}
    assert run.ended_at in {None, again.ended_at}
    is_known = run.duration_ms is not None
    assert again.duration_ms == (pytest.approx(run.duration_ms, abs=1e-6) if is_known else None)
