"""Spans of agents as assembly reads them: each function builds a span, a message in one, or a whole run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tracegrade.collector.spans.span import Span

from .otlp import BEGAN_NS, from_plain, span_id, trace_id, traces_request

__all__ = [
    "SEARCH_TOOL",
    "agent",
    "chat",
    "export_request",
    "span",
    "text_message",
    "tool",
    "tool_call_message",
    "tool_response_message",
    "trip",
]

SEARCH_TOOL = json.dumps(
    [{"type": "function", "function": {"name": "search", "description": "x", "parameters": {"type": "object"}}}]
)
"""The definition of the tool that a trip calls, as a span records it."""

_SECOND_NS = 1_000_000_000


def span(
    number: int,
    *,
    parent: int | None = None,
    trace: int = 1,
    at_s: float = 0.0,
    for_s: float = 1.0,
    attributes: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Span:
    """A span that says nothing of an agent."""
    start_ns = BEGAN_NS + round(at_s * _SECOND_NS)
    lasted_ns = round(for_s * _SECOND_NS)
    usual: dict[str, Any] = {
        "trace_id": trace_id(trace),
        "span_id": span_id(number),
        "parent_span_id": None if parent is None else span_id(parent),
        "name": f"span {number}",
        "start_ns": start_ns,
        "end_ns": start_ns + lasted_ns,
        "duration_ms": lasted_ns / 1e6,
        "service_name": "tests",
        "attributes": dict(attributes or {}),
    }
    return Span(**{**usual, **fields})


def agent(number: int, *, name: str | None = "travel", at_s: float = 0.0, for_s: float = 10.0, **more: Any) -> Span:
    """The span of an agent run."""
    attributes = {"gen_ai.operation.name": "invoke_agent"} | ({"gen_ai.agent.name": name} if name else {})
    return _of(number, "invoke_agent", attributes, at_s=at_s, for_s=for_s, **more)


def chat(
    number: int,
    *,
    hears: Sequence[Mapping[str, Any]] | None = None,
    says: Sequence[Mapping[str, Any]] | None = None,
    **more: Any,
) -> Span:
    """The span of a model call; what it `hears` and `says` are messages."""
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4.1-mini",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
    }
    if hears is not None:
        attributes["gen_ai.input.messages"] = json.dumps(list(hears))
    if says is not None:
        attributes["gen_ai.output.messages"] = json.dumps(list(says))
    return _of(number, "chat gpt-4.1-mini", attributes, **more)


def tool(
    number: int,
    tool_name: str = "search",
    *,
    args: Any = None,
    result: Any = None,
    call_id: str | None = None,
    **more: Any,
) -> Span:
    """The span of a tool call; what is None was not recorded."""
    recorded = {
        "gen_ai.tool.name": tool_name,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.call.arguments": args if args is None or isinstance(args, str) else json.dumps(args),
        "gen_ai.tool.call.result": result if result is None or isinstance(result, str) else json.dumps(result),
    }
    attributes = {"gen_ai.operation.name": "execute_tool"} | {k: v for k, v in recorded.items() if v is not None}
    return _of(number, f"execute_tool {tool_name}", attributes, **more)


def text_message(role: str, text: str) -> dict[str, Any]:
    """A message of text."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def tool_call_message(*calls: tuple[str, str, Mapping[str, Any]]) -> dict[str, Any]:
    """A message in which a model asks for tools: (call id, name, arguments)."""
    parts = [{"type": "tool_call", "id": one, "name": name, "arguments": dict(args)} for one, name, args in calls]
    return {"role": "assistant", "parts": parts}


def tool_response_message(call_id: str, response: str) -> dict[str, Any]:
    """A message that returns the result of a tool to the model."""
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": response}]}


def trip(
    trace: int = 1,
    *,
    name: str = "travel",
    first: int = 1,
    parent: int | None = None,
    session: str | None = None,
    offers: str | None = None,
) -> list[Span]:
    """A whole run: the agent asks its model, searches, asks again and answers. Spans `first` to `first + 3`.

    The agent's span names the `session`; that of the first model call has the tool definitions that it `offers`.
    """
    of_agent = {} if session is None else {"gen_ai.conversation.id": session}
    of_model = {} if offers is None else {"gen_ai.tool.definitions": offers}
    question, call = (
        text_message("user", "Find a flight to Paris"),
        tool_call_message(("call_1", "search", {"to": "Paris"})),
    )
    return [
        agent(first, name=name, trace=trace, parent=parent, for_s=10, attributes=of_agent),
        chat(first + 1, trace=trace, parent=first, at_s=1, hears=[question], says=[call], attributes=of_model),
        tool(first + 2, trace=trace, parent=first, at_s=3, args={"to": "Paris"}, result="AF007", call_id="call_1"),
        chat(
            first + 3,
            trace=trace,
            parent=first,
            at_s=5,
            hears=[question, call, tool_response_message("call_1", "AF007")],
            says=[text_message("assistant", "Take AF007.")],
        ),
    ]


def export_request(spans: Iterable[Span], *, resource: Mapping[str, Any] | None = None) -> bytes:
    """The body of an export of these spans, which share a resource."""
    return traces_request(map(from_plain, spans), resource=resource)


def _of(number: int, called: str, recorded: Mapping[str, Any], /, **more: Any) -> Span:
    attributes = {**recorded, **more.pop("attributes", {})}
    return span(number, **{"name": called, **more, "attributes": attributes})
