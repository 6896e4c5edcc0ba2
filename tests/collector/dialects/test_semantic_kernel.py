from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step
from tests.support.otlp import BEGAN_NS

from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step

SCOPE = "semantic_kernel.utils.telemetry.model_diagnostics.decorators"


def call(operation: str, *events: Event, scope: str = SCOPE, **attributes: Any) -> Step:
    span_attributes = {"gen_ai.operation.name": operation, **attributes}
    return read_step(
        agent_spans.span(1, attributes=span_attributes, scope_name=scope, events=events), "semantic_kernel"
    )


def logged(name: str, body: str) -> Event:
    return Event(name, BEGAN_NS, {}, body=body, is_log=True)


def test_completion_of_a_text_is_a_model_call() -> None:
    choice = '{"message": {"type": "text", "text": "Paris"}}'
    recorded_step = call("text_completions", logged("gen_ai.prompt", "The capital is"), logged("gen_ai.choice", choice))

    assert [message.text for message in recorded_step.input or ()] == ["The capital is"]
    assert [message.text for message in recorded_step.output or ()] == ["Paris"]


def test_reason_to_finish_is_freed_from_its_enum() -> None:
    reasons = "FinishReason.TOOL_CALLS,stop"

    assert call("chat", **{"gen_ai.response.finish_reason": reasons}).finish_reasons == ("tool_calls", "stop")


def test_counts_of_dotnet_that_stand_for_none_are_not_recorded() -> None:
    counts = {"gen_ai.response.prompt_tokens": 12, "gen_ai.response.completion_tokens": -1}
    usage = call("chat.completions", scope="Microsoft.SemanticKernel.Diagnostics", **counts).usage

    assert (usage.input_tokens, usage.output_tokens) == (12, None)
