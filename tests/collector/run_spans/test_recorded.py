"""Runs that were assembled from recordings are written, and assembled to the same runs again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import pytest
from tests.support.recordings import RECORDINGS, Recording

from tracegrade.collector.assembly import assemble
from tracegrade.collector.capture.assembly import assemble_exported_runs
from tracegrade.collector.run_spans import write_runs
from tracegrade.evaluators.model import AgentTrace, LlmCall, Message, ToolCall

AT: Final = datetime(2026, 1, 1, tzinfo=UTC)

RUN: Final = (
    "parent_agent_trace_id",
    "agent_name",
    "agent_id",
    "agent_version",
    "service_name",
    "service_version",
    "environment",
    "session_id",
    "user_id",
    "provider_name",
    "model",
    "input",
    "final_response",
    "tool_definitions",
    "reasoning_steps",
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "cost_usd",
    "started_at",
    "ended_at",
    "error",
    "interrupt",
    "completeness",
)
CALL: Final = ("name", "id", "args", "args_text", "result", "status", "error", "agent_name", "child_agent_trace_id")
MODEL: Final = {"span_id", "finish_reasons", "duration_ms"}

ADDED_REQUESTS: Final = {"langgraph-traceloop-s6e_malformed_json"}
"""Where the model requests a call in no message: a message with it is added."""

ANSWERS_IN_REQUESTS: Final = {"pipecat-s2_tool_error"}
"""Where only the next request has an answer: once written, the call that gave it has it, too."""


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_recorded_runs_are_the_same_after_they_were_written(recording: Recording) -> None:
    for trace_id, spans in recording.spans.items():
        runs = assemble(spans, recording.logs_of(trace_id))
        again = assemble_exported_runs([write_runs(runs, at=AT)], []) if runs else []
        by_id = {run.agent_trace_id: run for run in again}
        assert by_id.keys() == {run.agent_trace_id for run in runs}
        for run in runs:
            check(
                run,
                by_id[run.agent_trace_id],
                has_added_request=str(recording) in ADDED_REQUESTS,
                are_places_kept=str(recording) not in ANSWERS_IN_REQUESTS,
            )


def check(run: AgentTrace, again: AgentTrace, *, has_added_request: bool, are_places_kept: bool) -> None:
    assert fields_of(again, RUN) == fields_of(run, RUN)
    assert again.duration_ms == (None if run.duration_ms is None else pytest.approx(run.duration_ms))
    assert set(run.gaps) <= set(again.gaps) <= {*run.gaps, "duration_not_recorded"}
    assert [fields_of(call, CALL) for call in again.tool_calls] == [fields_of(call, CALL) for call in run.tool_calls]
    for call, other in zip(run.tool_calls, again.tool_calls, strict=True):
        check_times(call, other)
    for model, other_model in zip(run.llm_calls, again.llm_calls, strict=True):
        check_model(model, other_model, stands_for_run=model.span_id == run.agent_span_id)
    if not has_added_request:
        check_messages(run, again, are_places_kept=are_places_kept)


def check_times(call: ToolCall, again: ToolCall) -> None:
    """A call that is known from messages alone has a span only where others have one: then it begins at some time."""
    if call.span_id is not None:
        assert (again.span_id, again.started_at) == (call.span_id, call.started_at)
    assert again.duration_ms == (None if call.duration_ms is None else pytest.approx(call.duration_ms))


def check_model(call: LlmCall, again: LlmCall, *, stands_for_run: bool) -> None:
    """The id of a model call that stands for its run is that of the agent now; reasons without a text are left out."""
    assert again.model_dump(exclude=MODEL) == call.model_dump(exclude=MODEL)
    assert again.duration_ms == (None if call.duration_ms is None else pytest.approx(call.duration_ms))
    assert (again.span_id == call.span_id) is not stands_for_run
    assert again.finish_reasons == (tuple(filter(None, call.finish_reasons or ())) or None)


def check_messages(run: AgentTrace, again: AgentTrace, *, are_places_kept: bool) -> None:
    """An input and a response that no message has become messages; all others stay, in their order."""
    said, said_again = list(map(content, run.messages)), list(map(content, again.messages))
    added = [message for message in said_again if message not in said]
    assert [message for message in said_again if message in said] == said
    texts = {text for text in (run.input, run.final_response) if text is not None}
    assert {Message(role=role, parts=parts).text or "" for role, parts, _ in added} <= texts
    is_located = {message.span_id for message in run.messages} <= {call.span_id for call in run.llm_calls}
    if are_places_kept and is_located and run.agent_span_id not in {call.span_id for call in run.llm_calls}:
        places = [(message.span_id, message.time) for message in run.messages]
        assert [(message.span_id, message.time) for message in again.messages if content(message) in said] == places


def content(message: Message) -> tuple[Any, ...]:
    return message.role, message.parts, message.name


def fields_of(value: AgentTrace | ToolCall, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}
