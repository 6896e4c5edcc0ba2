"""Agent runs as export requests: ten spans each by the GenAI conventions, of the weight that is asked for."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

__all__ = ["SPANS_OF_RUN", "Traffic", "requests", "run", "serialized"]

SPANS_OF_RUN = 10
_CALLS = 4
_STEP_NS = 100_000_000
_RUN_EVERY_NS = 1_000_000
_VOCABULARY = 2_000
_FILLER_CHARS = 1_000_000
_WIRE_OF_STRING = 4  # tags and lengths that a longer text costs beside its characters

_RESOURCE = Resource(attributes=[KeyValue(key="service.name", value=AnyValue(string_value="helpdesk"))])
_SCOPE = InstrumentationScope(name="tests.bench")
_DEFINITIONS = json.dumps(
    [
        {
            "type": "function",
            "name": "search",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        }
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What is sent: `spans` in requests of `spans_per_request`, each span about `span_bytes` on the wire."""

    spans: int
    span_bytes: int
    spans_per_request: int = 512
    seed: int = 0


def requests(traffic: Traffic) -> Iterator[bytes]:
    """Serialized requests. A run may begin in one and end in the next, as a batching exporter cuts them."""
    spans = islice(_spans(traffic), traffic.spans)
    while batch := list(islice(spans, traffic.spans_per_request)):
        yield serialized(batch)


def serialized(spans: list[Span]) -> bytes:
    """One request with these spans."""
    of_scope = ScopeSpans(scope=_SCOPE, spans=spans)
    return ExportTraceServiceRequest(
        resource_spans=[ResourceSpans(resource=_RESOURCE, scope_spans=[of_scope])]
    ).SerializeToString()


def run(
    trace_id: bytes, start_ns: int, *, span_bytes: int = 0, filler: str = "", parent_span_id: bytes = b""
) -> list[Span]:
    """One run, in the order its spans end. With a `parent_span_id` the agent span stands below a span elsewhere."""
    ids = [trace_id[:7] + bytes([at + 1]) for at in range(SPANS_OF_RUN)]
    spans = []
    for at, span_id in enumerate(ids):
        is_agent = at == SPANS_OF_RUN - 1
        begins_ns = start_ns if is_agent else start_ns + at * _STEP_NS
        room = max(0, span_bytes - _BARE_BYTES[at])
        text = filler[at * span_bytes : at * span_bytes + room]
        span = _span(at, text)
        span.trace_id, span.span_id = trace_id, span_id
        span.parent_span_id = parent_span_id if is_agent else ids[-1]
        span.start_time_unix_nano = begins_ns
        span.end_time_unix_nano = start_ns + (at + 1) * _STEP_NS
        spans.append(span)
    return spans


def _spans(traffic: Traffic) -> Iterator[Span]:
    chance = random.Random(traffic.seed)
    filler = _filler(chance)
    start_ns = time.time_ns()
    while True:
        offset = chance.randrange(_FILLER_CHARS // 2)
        text = filler[offset : offset + SPANS_OF_RUN * traffic.span_bytes]
        yield from run(chance.randbytes(16), start_ns, span_bytes=traffic.span_bytes, filler=text)
        start_ns += _RUN_EVERY_NS


def _filler(chance: random.Random) -> str:
    """Text that compresses about as well as prose does."""
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(_VOCABULARY)]
    return " ".join(chance.choices(words, k=_FILLER_CHARS // 6))[:_FILLER_CHARS].ljust(_FILLER_CHARS)


def _span(at: int, text: str) -> Span:
    """The span at a place of the run, with `text` as what was said in it; without ids and times."""
    name, attributes = _step(at, text)
    return Span(
        name=name,
        kind=Span.SPAN_KIND_INTERNAL,
        attributes=[_attribute(key, value) for key, value in attributes.items()],
    )


def _step(at: int, text: str) -> tuple[str, dict[str, str | int]]:
    if at == SPANS_OF_RUN - 1:
        return "invoke_agent helpdesk", _agent(text)
    turn, is_tool = divmod(at, 2)
    return ("execute_tool search", _tool(turn, text)) if is_tool else ("chat gpt-4.1-mini", _chat(turn, text))


def _attribute(key: str, value: str | int) -> KeyValue:
    if isinstance(value, int):
        return KeyValue(key=key, value=AnyValue(int_value=value))
    return KeyValue(key=key, value=AnyValue(string_value=value))


def _agent(text: str) -> dict[str, str | int]:
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "helpdesk",
        "gen_ai.conversation.id": "conversation",
        "gen_ai.tool.definitions": _DEFINITIONS,
        "gen_ai.output.messages": _message("assistant", {"type": "text", "content": text}),
    }


def _chat(turn: int, text: str) -> dict[str, str | int]:
    asks = {"type": "tool_call", "id": f"call_{turn}", "name": "search", "arguments": {"query": f"refund {turn}"}}
    hears = {"type": "tool_call_response", "id": f"call_{turn - 1}", "response": text}
    answers = {"type": "text", "content": "Your refund is on its way."}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4.1-mini",
        "gen_ai.usage.input_tokens": 900 + turn,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.input.messages": _message("tool", hears)
        if turn
        else _message("user", {"type": "text", "content": text}),
        "gen_ai.output.messages": _message("assistant", asks if turn < _CALLS else answers),
    }


def _tool(turn: int, text: str) -> dict[str, str | int]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": f"call_{turn}",
        "gen_ai.tool.call.arguments": json.dumps({"query": f"refund {turn}"}),
        "gen_ai.tool.call.result": text,
    }


def _message(role: str, part: Mapping[str, object]) -> str:
    return json.dumps([{"role": role, "parts": [part]}])


_IDS_AND_TIMES_BYTES = 18 + 10 + 10 + 2 * 9
_BARE_BYTES = tuple(_span(at, "").ByteSize() + _IDS_AND_TIMES_BYTES + _WIRE_OF_STRING for at in range(SPANS_OF_RUN))
