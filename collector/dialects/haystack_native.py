"""Haystack's own tracer: inputs and outputs of pipelines, components, agents and their steps, as JSON.

Before 3.0 an agent's model and tools are components, and what the tools of one step gave is recorded together.
Source: haystack-ai 2.31 and 3.4 (core/pipeline, components/agents, tracing), opentelemetry-haystack 2.0
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message, TextPart, ToolDefinition

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, decode_text
from .shared.chat_message import chat_message
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_TYPE = "haystack.component.type"
_TOOLS = "haystack.agent.tools"
_CALL = Keys(
    tool_name=("haystack.tool.name",),
    args=("haystack.agent.step.tool.input",),
    result=("haystack.agent.step.tool.output",),
)
_META = Keys(usage=("usage",), response_model=("model",), finish_reasons=("finish_reason",))
_FAILED = "Failed to invoke Tool"
"""The beginning of the text that the model receives instead of a result."""

_AGENT = re.compile(r"\w*Agent|LLM")
_GENERATOR = re.compile(r"\w*(?<!Image)Generator")
_RETRIEVER = re.compile(r"\w*(Retriever|Ranker)")
_INVOKER = re.compile(r"\w*ToolInvoker")


def read(span: Span) -> Step | None:  # noqa: PLR0911 - one line an operation
    match span.name:
        case "haystack.pipeline.run":
            return _pipeline(span)
        case "haystack.component.run":
            return _component(span)
        case "haystack.agent.run":
            return _agent(span, "haystack.agent", name=None)
        case "haystack.agent.step.llm":
            return _model(span, "haystack.agent.step.llm")
        case "haystack.chat_generator.run":
            return _model(span, "haystack.component")
        case "haystack.agent.step.tool":
            return _tool(span)
    return None


def _pipeline(span: Span) -> Step:
    inputs = as_object(span.first("haystack.pipeline.input_data")) or {}
    outputs = as_object(span.first("haystack.pipeline.output_data")) or {}
    turns = tuple(_find_all_messages(inputs))
    texts = set(_texts(inputs)) if not turns else set()
    return Step(
        kind="workflow",
        error=span.error,
        input=turns or None,
        output=tuple(_find_all_messages(outputs)) or None,
        input_text=texts.pop() if len(texts) == 1 else None,
    )


def _component(span: Span) -> Step | None:
    """Return the step of a component by its class, the only content of such a span."""
    kind = span.text(_TYPE) or ""
    if _AGENT.fullmatch(kind):
        return _agent(span, "haystack.component", name=span.text("haystack.component.name"))
    if _GENERATOR.fullmatch(kind):
        return _model(span, "haystack.component")
    if _RETRIEVER.fullmatch(kind):
        return Step(kind="retrieval", error=span.error)
    if _INVOKER.fullmatch(kind):
        gave = as_object(span.first("haystack.component.output")) or {}
        return Step(kind="workflow", error=span.error, output=_messages(gave.get("tool_messages")))
    return None


def _agent(span: Span, prefix: str, *, name: str | None) -> Step:
    """Return a run of an agent, whose output is the whole conversation including its input."""
    inputs = _messages((as_object(span.first(f"{prefix}.input")) or {}).get("messages"))
    conversation = _messages((as_object(span.first(f"{prefix}.output")) or {}).get("messages"))
    return Step(
        kind="agent",
        agent_name=name,
        error=span.error,
        input=inputs,
        output=_drop_inputs(conversation, inputs),
        definitions=_definitions(span.first(_TOOLS)),
    )


def _model(span: Span, prefix: str) -> Step:
    """Return a model call; model, finish reason and tokens are recorded with the first reply."""
    request, response = (as_object(span.first(f"{prefix}.{end}")) or {} for end in ("input", "output"))
    step = read_step(replace(span, attributes=next(_metas(response), {})), "model", _META)
    return replace(
        step,
        input=_messages(request.get("messages")) or _messages([request.get("prompt")], "user"),
        output=_messages(response.get("replies")),
        definitions=_definitions(request.get("tools")),
    )


def _tool(span: Span) -> Step:
    """Return a tool call. A failure is marked, or recognised by its error text."""
    step = read_step(span, "tool", _CALL)
    error = (as_object(step.result) or {}).get("error")
    error_text = error if isinstance(error, str) else None
    if span.attributes.get("haystack.tool.error") is True or (error_text or "").startswith(_FAILED):
        return replace(step, result=None, error=step.error or error_text or "error")
    return step


def _messages(value: Any, role: str = "assistant") -> tuple[Message, ...] | None:
    """Read chat messages, or texts of generators without a chat; None when there are none."""
    items = decode_text(value)
    candidates = (_message(item, role) for item in items) if isinstance(items, list) else ()
    return tuple(candidate for candidate in candidates if candidate is not None) or None


def _message(item: Any, role: str) -> Message | None:
    if isinstance(item, str):
        return Message(role=role, parts=(TextPart(content=item),))
    return chat_message(item)


def _metas(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the metadata of each reply: beside it in a chat message, else in a list of its own."""
    replies, metas = response.get("replies"), response.get("meta")
    metas_of_replies = [meta.get("meta", meta.get("_meta")) for meta in _dicts(replies)]
    return (meta for meta in (*metas_of_replies, *_dicts(metas)) if isinstance(meta, dict))


def _drop_inputs(
    conversation: tuple[Message, ...] | None, inputs: tuple[Message, ...] | None
) -> tuple[Message, ...] | None:
    """Return the messages after the last one of the input."""
    if not conversation or not inputs or inputs[-1] not in conversation:
        return conversation
    last = len(conversation) - 1 - conversation[::-1].index(inputs[-1])
    return conversation[last + 1 :]


def _find_all_messages(data: dict[str, Any]) -> Iterator[Message]:
    """Yield the messages in inputs or outputs of a pipeline's components."""
    for values in data.values():
        for key in ("messages", "replies"):
            yield from (isinstance(values, dict) and _messages(values.get(key))) or ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)


def _definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    return read_definitions(list(_tools(decode_text(value))))


def _tools(value: Any) -> Iterator[dict[str, Any]]:
    """Yield tools, alone or in a toolset: each is `{"type": class, "data": {…}}`."""
    for tool in value if isinstance(value, list) else [value]:
        data = tool.get("data") if isinstance(tool, dict) else None
        if isinstance(data, dict) and "tools" in data:
            yield from _tools(data["tools"])
        elif isinstance(data, dict):
            yield data


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


DIALECT = Dialect(
    "haystack_native",
    read,
    scopes=("haystack",),
    keys=("haystack.*",),
    content="HAYSTACK_CONTENT_TRACING_ENABLED=true",
    evidence=(Evidence("haystack-ai", "2.31, 3.4", "recording"),),
)
