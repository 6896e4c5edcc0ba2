"""An agent that is instrumented with the OpenTelemetry SDK, as its author would do it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from . import agent_spans

__all__ = ["ANSWER", "QUESTION", "end_span", "foreign_parent", "remote_parent", "run_agent"]

QUESTION, ANSWER = "Find a flight to Paris", "Take AF007."
_ARGUMENTS = {"to": "Paris"}


def run_agent(exporter: SpanExporter, *, above: Context | None = None) -> str:
    """Runs the agent below the span of `above`, exports its four spans and returns the trace id."""
    provider = TracerProvider(resource=Resource({"service.name": "agents"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace_id = _run(provider.get_tracer("tests"), above)
    provider.shutdown()
    return f"{trace_id:032x}"


def end_span() -> Sequence[ReadableSpan]:
    """A span that has ended, as an exporter gets it."""
    memory = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(memory))
    provider.get_tracer("tests").start_span("search").end()
    return memory.get_finished_spans()


def remote_parent(trace_id: int) -> Context:
    """What a gateway's traceparent header makes of the context."""
    return TraceContextTextMapPropagator().extract({"traceparent": f"00-{trace_id:032x}-{0xABCDEF:016x}-01"})


def foreign_parent(trace_id: int) -> Context:
    """A span of the same process that some other exporter sends elsewhere."""
    parent = SpanContext(trace_id, 0xABCDEF, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    return set_span_in_context(NonRecordingSpan(parent))


def _run(tracer: Tracer, above: Context | None) -> int:
    question, asked = (
        agent_spans.text_message("user", QUESTION),
        agent_spans.tool_call_message(("call_1", "search", _ARGUMENTS)),
    )
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "travel"}
    with tracer.start_as_current_span("invoke_agent travel", above, attributes=agent) as span:
        with _chat(tracer, hears=[question]) as says:
            says(asked)
        with tracer.start_as_current_span("execute_tool search") as tool:
            tool.set_attribute("gen_ai.operation.name", "execute_tool")
            tool.set_attribute("gen_ai.tool.name", "search")
            tool.set_attribute("gen_ai.tool.call.id", "call_1")
            tool.set_attribute("gen_ai.tool.call.arguments", json.dumps(_ARGUMENTS))
            tool.set_attribute("gen_ai.tool.call.result", "AF007")
        with _chat(tracer, hears=[question, asked, agent_spans.tool_response_message("call_1", "AF007")]) as says:
            says(agent_spans.text_message("assistant", ANSWER))
    return span.get_span_context().trace_id


@contextmanager
def _chat(tracer: Tracer, *, hears: list[Mapping[str, Any]]) -> Iterator[Any]:
    """A model call; what is yielded takes the message that the model answers with."""
    with tracer.start_as_current_span("chat gpt-4.1-mini") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        span.set_attribute("gen_ai.request.model", "gpt-4.1-mini")
        span.set_attribute("gen_ai.input.messages", json.dumps(hears))
        yield lambda message: span.set_attribute("gen_ai.output.messages", json.dumps([message]))
