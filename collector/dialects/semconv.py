"""What the keys of the GenAI semantic conventions mean, for every dialect that writes some of them.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tracegrade.evaluators.model import Message

from ..span import Span
from ..step import Step, StepKind, Usage
from ..values import as_text, decode_text, is_placeholder
from .base import arguments, definitions, messages

__all__ = ["finish_reasons", "kind_of", "read", "step_of", "usage"]

OPERATION = "gen_ai.operation.name"
SYSTEM = "gen_ai.system_instructions"
INPUT = "gen_ai.input.messages"
OUTPUT = "gen_ai.output.messages"
DEFINITIONS = "gen_ai.tool.definitions"
DETAILS = "gen_ai.client.inference.operation.details"

_KINDS: dict[str, StepKind | None] = {
    "chat": "model",
    "text_completion": "model",
    "completion": "model",
    "generate_content": "model",
    "generate": "model",
    "response": "model",
    "responses": "model",
    "fetch_response": "model",
    "invoke_agent": "agent",
    "create_agent": None,
    "invoke_workflow": "workflow",
    "execute_tool": "tool",
    "handoff": "handoff",
    "retrieval": "retrieval",
    "retrieve": "retrieval",
    "rerank": "retrieval",
    "embeddings": None,
    "plan": None,
}

_UNNAMED = frozenset({"", "unknown", "<not specified>", "(merged tools)"})


def kind_of(span: Span) -> StepKind | None:
    """The step's kind by its operation, else by what only a tool or a model call carries."""
    operation = span.text(OPERATION)
    if operation in _KINDS:
        return _KINDS[operation]
    if operation is not None:
        return None
    if span.text("gen_ai.tool.name"):
        return "tool"
    is_model = span.text("gen_ai.request.model") and span.first(INPUT, OUTPUT, "gen_ai.usage.input_tokens") is not None
    return "model" if is_model else None


def read(span: Span) -> Step | None:
    """The step that the span's `gen_ai.*` keys record, whatever else it carries."""
    kind = kind_of(span)
    if kind is None or (kind == "tool" and _tool_name(span) in _UNNAMED):
        return None
    return step_of(span, kind)


def step_of(span: Span, kind: StepKind) -> Step:
    """The span's `gen_ai.*` keys as a step of a kind that is known."""
    if kind == "tool":
        return _tool(span)
    if kind in {"handoff", "retrieval"}:
        return Step(kind=kind, **_who(span))
    return _model_step(span, kind)


def _model_step(span: Span, kind: StepKind) -> Step:
    """An agent run, workflow or model call: they carry the same keys."""
    content = _content(span)
    output = _messages_of(content.get(OUTPUT, ()))
    return Step(
        kind=kind,
        **_who(span),
        provider_name=span.text("gen_ai.provider.name", "gen_ai.system"),
        request_model=span.text("gen_ai.request.model"),
        response_model=span.text("gen_ai.response.model"),
        response_id=span.text("gen_ai.response.id"),
        finish_reasons=finish_reasons(span.first("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason")),
        time_to_first_token_ms=_milliseconds(span.first("gen_ai.response.time_to_first_chunk")),
        usage=usage(span),
        input=_with_instructions(_messages_of(content.get(INPUT, ())), content.get(SYSTEM, ())),
        output=output,
        output_text=as_text(span.first("final_result")),
        definitions=definitions(next(iter(content.get(DEFINITIONS, ())), None)),
    )


def usage(span: Span) -> Usage:
    """Tokens and cost under the names of every version of the conventions."""
    cost = span.first("gen_ai.usage.cost")
    return Usage(
        input_tokens=span.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        output_tokens=span.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        cached_input_tokens=span.count(
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
        ),
        reasoning_tokens=span.count("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens"),
        cost_usd=float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) else None,
    )


def finish_reasons(value: Any) -> tuple[str, ...] | None:
    """Finish reasons from a list, the JSON of one, or a comma-joined text."""
    decoded = decode_text(value)
    if isinstance(decoded, str):
        decoded = decoded.split(",")
    if not isinstance(decoded, list):
        return None
    return tuple(str(reason) for reason in decoded if reason) or None


def _messages_of(values: Iterable[Any]) -> tuple[Message, ...] | None:
    """The messages of several values, one after the other; None when none holds any."""
    read = [found for value in values if (found := messages(value)) is not None]
    return tuple(one for found in read for one in found) if read else None


def _tool_name(span: Span) -> str:
    return span.text("gen_ai.tool.name") or span.name.removeprefix("execute_tool ").removeprefix("running tool: ")


def _tool(span: Span) -> Step:
    call_id = span.text("gen_ai.tool.call.id")
    raw_args = span.first("gen_ai.tool.call.arguments", "tool_arguments")
    result = span.attributes.get("gen_ai.tool.call.result", span.attributes.get("tool_response"))
    return Step(
        kind="tool",
        **_who(span),
        tool_name=_tool_name(span),
        call_id=None if call_id in _UNNAMED else call_id,
        args=arguments(raw_args),
        result=None if is_placeholder(result) else as_text(result),
    )


def _who(span: Span) -> dict[str, Any]:
    return {
        "agent_name": span.text("gen_ai.agent.name") or _agent_in_name(span),
        "agent_id": span.text("gen_ai.agent.id"),
        "agent_version": span.text("gen_ai.agent.version"),
        "session_id": span.text("gen_ai.conversation.id", "session.id", "ai.settings.context.sessionId"),
        "user_id": span.text("user.id", "enduser.id", "ai.settings.context.userId"),
        "error": span.error or span.text("error.type"),
    }


def _agent_in_name(span: Span) -> str | None:
    prefix, _, name = span.name.partition(" ")
    return name.strip() or None if prefix == "invoke_agent" else None


def _content(span: Span) -> dict[str, list[Any]]:
    """Content by key: from the span's attributes, else from its events, each of which may carry a part of it."""
    found: dict[str, list[Any]] = {}
    for key in (SYSTEM, INPUT, OUTPUT, DEFINITIONS):
        if (value := span.first(key)) is not None:
            found[key] = [value]
            continue
        values = [event.attributes[key] for event in span.named(DETAILS) if event.attributes.get(key) is not None]
        if values:
            found[key] = values
    return found


def _with_instructions(found: tuple[Message, ...] | None, instructions: Iterable[Any]) -> tuple[Message, ...] | None:
    """The input messages, the system instructions before them as a message of their own."""
    leading: list[Message] = []
    for value in instructions:
        decoded = decode_text(value)
        read = messages({"role": "system", "parts": decoded if isinstance(decoded, list) else [as_text(decoded)]})
        leading.extend(read or ())
    return (*leading, *(found or ())) if leading or found is not None else None


def _milliseconds(seconds: Any) -> float | None:
    return seconds * 1000 if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) else None
