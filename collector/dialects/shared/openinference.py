"""Reads the keys of OpenInference, for every dialect that writes them.

Source: https://github.com/Arize-ai/openinference/tree/main/spec
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import (
    GenericPart,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

from ...spans.envelopes import call_arguments, tool_message
from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step, StepKind
from ...spans.values import as_object, as_text, decode_text
from . import langchain, semconv
from .content import read_content
from .gemini import read_event
from .keys import Keys, read_step
from .messages import collect_indexed, message, role_of
from .openai import find_response_id, read_completion
from .parts import read_arguments
from .second_convention import with_genai
from .server_tools import HOSTED_CALLS
from .tool_definitions import read_definitions, read_requested_definitions

__all__ = ["CONTENT", "INFERENCE", "KIND", "read"]

KIND = "openinference.span.kind"
CONTENT = "OPENINFERENCE_HIDE_INPUTS=false OPENINFERENCE_HIDE_OUTPUTS=false"
"""Content is recorded unless it is hidden."""

INPUT, OUTPUT = "llm.input_messages.", "llm.output_messages."
INFERENCE = ("llm.input_messages", "llm.output_messages", "llm.token_count.")
"""How attributes begin that only a model call has."""
_NO_ARGUMENTS = "{}"
"""What a tool call without the attribute had: instrumentors leave out arguments that are empty."""

_IDENTITY = Keys(
    agent_name=("agent.name", "gen_ai.agent.name"),
    session_id=("session.id", *semconv.SESSIONS, "gen_ai.conversation.id", "honeyhive.session_id"),
    user_id=("user.id", *semconv.PLATFORM_USERS),
    error=(),
)
_USAGE = Keys(
    input_tokens=("llm.token_count.prompt",),
    output_tokens=("llm.token_count.completion",),
    cached_input_tokens=(
        "llm.token_count.prompt_details.cache_read",
        "llm.token_count.prompt_details.cache_input",
    ),
    cache_write_input_tokens=("llm.token_count.prompt_details.cache_write",),
    cache_write_1h_input_tokens=(
        "llm.token_count.prompt_details.cache_write_1h",
        "llm.token_count.prompt_details.cache_write.ephemeral_1h",
    ),
    audio_input_tokens=("llm.token_count.prompt_details.audio",),
    image_input_tokens=("llm.token_count.prompt_details.image",),
    video_input_tokens=("llm.token_count.prompt_details.video",),
    reasoning_tokens=("llm.token_count.completion_details.reasoning",),
    audio_output_tokens=("llm.token_count.completion_details.audio",),
    image_output_tokens=("llm.token_count.completion_details.image",),
    cost_usd=("llm.cost.total",),
    total_tokens=("llm.token_count.total",),
)
KEYS = _IDENTITY.before(_USAGE).before(
    Keys(
        input_value=("input.value",),
        output_value=("output.value",),
        tool_name=("tool.name",),
        call_id=("tool.id", "tool_call.id"),
        result=("output.value",),
    )
)
_MODEL_KEYS = _IDENTITY.before(_USAGE).before(
    Keys(
        provider_name=("llm.provider", "llm.system"),
        request_model=("llm.model_name",),
        response_model=("llm.response.model_name", "llm.model_name"),
        finish_reasons=("llm.finish_reason",),
    )
)
_HANDOFF_KEYS = _IDENTITY.before(Keys(target=("output.value",)))

_KINDS: dict[str, StepKind] = {
    "LLM": "model",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "workflow",
    "RETRIEVER": "retrieval",
    "RERANKER": "retrieval",
}
_HANDOFFS = ("handoff to ", "handoff from ")
"""How names of spans begin that only record a hand-off, in the SDKs for Python and JavaScript."""
_UNNAMED_GRAPH = "LangGraph"
_MODEL_NODE = "agent"
"""The node that calls the model in LangGraph's prebuilt agent: by this name it is taken for an agent of its own."""


def read(span: Span) -> Step | None:
    """Return the step that a span with an OpenInference kind records."""
    kind = _kind(span)
    return None if kind is None else semconv.mark_contradiction(with_genai(span, _step(span, kind)), _operation(span))


def _operation(span: Span) -> StepKind | None:
    """Return the kind by the GenAI keys that some instrumentors write beside their own."""
    return semconv.kind_of(span) if semconv.OPERATION in span.attributes else None


def _step(span: Span, kind: StepKind) -> Step:
    if kind == "tool":
        handoff = next((name for name in (span.text("tool.name") or "", span.name) if name.startswith(_HANDOFFS)), None)
        return _tool(span) if handoff is None else _handoff(span, handoff)
    return _model(span) if kind == "model" else _read_step(span, kind, KEYS)


def _handoff(span: Span, name: str) -> Step:
    step = _read_step(span, "handoff", _HANDOFF_KEYS)
    to_agent = (as_object(span.first("output.value")) or {}).get("to_agent")
    is_named = to_agent is None and (step.target is not None or span.first("output.value") is not None)
    return step if is_named else replace(step, target=as_text(to_agent) or name.rpartition(" to ")[2] or None)


def _read_tools(span: Span) -> tuple[ToolDefinition, ...] | None:
    """Return the tools offered to the model: one attribute each, or all of them in one text."""
    schemas = [tool.get("tool.json_schema") for tool in collect_indexed(span.under("llm.tools."))]
    return (
        read_definitions(schemas)
        or read_definitions(span.first("llm.tools"))
        or read_requested_definitions(span.attributes.get("input.value"))
        or read_requested_definitions(span.attributes.get("llm.invocation_parameters"))
    )


def _read_answer(span: Span) -> tuple[Message, ...] | None:
    """Return the model's answer, with the malformed tool calls that LangChain keeps out of it."""
    turns = _messages(span, OUTPUT) or read_completion(span.first("output.value"))
    generations = langchain.read_generations(span.first("output.value"))
    calls = [call for turn in turns or () for call in turn.tool_calls]
    if generations and all(call.id is None for call in calls):  # LangChain for JavaScript flattens them without ids
        names = [call.name for turn in generations for call in turn.tool_calls]
        return generations if not calls or names == [call.name for call in calls] else turns
    return turns


def _requested_model(span: Span) -> str | None:
    """Return the requested model, from the parameters of the call."""
    model = (as_object(span.first("llm.invocation_parameters")) or {}).get("model")
    return model if isinstance(model, str) else None


def _kind(span: Span) -> StepKind | None:
    """Return the recorded kind, corrected by LangChain's metadata, which tell agents and their nodes from chains."""
    kind = _KINDS.get(str(span.attributes.get(KIND)).upper()) if KIND in span.attributes else _kind_of_unmarked(span)
    if kind == "agent" and span.name == span.text("tool.name"):
        return "tool"  # the instrumentation of LangChain takes every name with "agent" in it for an agent's
    if kind not in {"agent", "workflow"} or not (metadata := _metadata(span)):
        return kind
    if kind == "agent":
        return "workflow" if span.name == metadata.get("langgraph_node") == _MODEL_NODE else kind
    return "agent" if metadata.get("lc_agent_name") == span.name or _is_graph(metadata) else kind


def _kind_of_unmarked(span: Span) -> StepKind | None:
    """Return the kind of a span that names none, from attributes that only a model call has."""
    return "model" if any(key.startswith(INFERENCE) for key in span.attributes) else None


def _is_graph(metadata: dict[str, Any]) -> bool:
    """Return whether this is the outermost run of a graph in LangGraph."""
    return metadata.get("ls_integration") == "langgraph" and "langgraph_node" not in metadata


def _read_step(span: Span, kind: StepKind, keys: Keys) -> Step:
    """Return the step of the table, completed from the metadata."""
    step = read_step(span, kind, keys)
    if step.output_text is not None and (answer := read_event(step.output_text)) is not None:
        step = replace(step, output=answer, output_text=None)
    metadata = _metadata(span)
    agent_name = step.agent_name or _text_in(metadata, "lc_agent_name") or _agent_in_name(span)
    if agent_name is None and _is_graph(metadata) and kind == "agent" and span.name != _UNNAMED_GRAPH:
        agent_name = span.name
    session_id = step.session_id or _text_in(metadata, "session_id", "thread_id")
    user_id = step.user_id or _text_in(metadata, "user_id")
    is_node = kind == "workflow" and metadata.get("langgraph_node") == span.name
    if (agent_name, session_id, user_id, is_node) == (step.agent_name, step.session_id, step.user_id, False):
        return step
    return replace(step, agent_name=agent_name, session_id=session_id, user_id=user_id, is_node=is_node)


def _model(span: Span) -> Step:
    step = _read_step(span, "model", _MODEL_KEYS)
    output = _read_answer(span)
    return replace(
        step,
        request_model=span.text("llm.request.model_name") or _requested_model(span) or step.request_model,
        input=_messages(span, INPUT) or _read_listed(span, INPUT) or _read_value(span, "input", "user"),
        output=output if output is not None else _read_listed(span, OUTPUT) or _read_value(span, "output", "assistant"),
        definitions=_read_tools(span),
        response_id=find_response_id(span.attributes.get("output.value")),
    )


def _read_listed(span: Span, prefix: str) -> tuple[Message, ...] | None:
    """Read all messages in one attribute, each with the names of its fields or with those of the conventions."""
    decoded = decode_text(span.first(prefix.removesuffix(".")))
    items = [item for item in decoded if isinstance(item, dict)] if isinstance(decoded, list) else []
    unprefixed = tuple(_unprefixed(item) for item in items)
    return tuple(map(message, unprefixed)) or None


def _unprefixed(item: dict[str, Any]) -> dict[str, Any]:
    inner = item.get("message")
    fields = inner if isinstance(inner, dict) else item
    return {key.removeprefix("message."): value for key, value in fields.items()}


def _read_value(span: Span, side: str, role: str) -> tuple[Message, ...] | None:
    """Read the value of a call without messages: messages, or a text; None for any other object."""
    value = span.first(f"{side}.value")
    content = read_content(value)
    if not isinstance(content, str):
        return content
    return None if isinstance(decode_text(content), (dict, list)) else (message({"role": role, "content": content}),)


def _tool(span: Span) -> Step:
    """Read a tool span. `tool.parameters` is the schema in most instrumentors and the arguments in a few."""
    step = _read_step(span, "tool", KEYS)
    raw = span.first("input.value")
    if raw is None and not _is_schema(as_object(span.first("tool.parameters"))):
        raw = span.first("tool.parameters")
    result = tool_message(step.result)
    return replace(
        step,
        error=step.error or result.error,
        tool_name=step.tool_name or span.name.removesuffix(".run"),
        call_id=step.call_id or result.call_id,
        args=read_arguments(call_arguments(raw)),
        result=result.text,
        definitions=_definition(span),
    )


def _definition(span: Span) -> tuple[ToolDefinition, ...] | None:
    name, schema = span.text("tool.name"), as_object(span.first("tool.parameters"))
    if name is None or schema is None or "properties" not in schema:
        return None
    return (ToolDefinition(name=name, description=span.text("tool.description"), input_schema=schema),)


def _is_schema(value: dict[str, Any] | None) -> bool:
    if value is None:
        return False
    return "properties" in value or bool(value and all(isinstance(v, dict) and "type" in v for v in value.values()))


def _messages(span: Span, prefix: str) -> tuple[Message, ...] | None:
    turns = tuple(_message(fields) for fields in collect_indexed(span.under(prefix)))
    return turns or None


def _message(fields: dict[str, Any]) -> Message:
    role = role_of(str(fields.get("message.role") or "unknown"))
    parts: list[MessagePart] = []
    content = as_text(fields.get("message.content"))
    contents = _nested(fields, "message.contents.")
    if role == "tool":
        parts += _read_tool_results(fields, content, contents)
        contents = []
    elif content:
        parts.append(TextPart(content=content))
    for item in contents:
        part = _content_part(item)
        if part is not None and part not in parts:  # some instrumentors write the same text under both keys
            parts.append(part)
    calls = [call for item in _nested(fields, "message.tool_calls.") if (call := _tool_call(item)) is not None]
    name = fields.get("message.name")
    answers = [ToolCallResponsePart(id=call.id, name=call.name) for call in calls if call.name in HOSTED_CALLS]
    return Message(role=role, name=name if isinstance(name, str) else None, parts=(*parts, *calls, *answers))


def _read_tool_results(
    fields: dict[str, Any], content: str | None, contents: list[dict[str, Any]]
) -> list[MessagePart]:
    """Return tools' results: one content each that names its call, as in BeeAI, or all as one message."""
    if any("message.tool_call_id" in item for item in contents):
        return [
            ToolCallResponsePart(
                id=as_text(item.get("message.tool_call_id")), response=as_text(item.get("message_content.text"))
            )
            for item in contents
        ]
    call_id, tool = as_text(fields.get("message.tool_call_id")), as_text(fields.get("message.name"))
    texts = [text for item in contents if isinstance(text := item.get("message_content.text"), str)]
    return [ToolCallResponsePart(id=call_id, name=tool, response=content or "\n".join(texts) or content)]


def _content_part(fields: dict[str, Any]) -> MessagePart | None:
    kind = fields.get("message_content.type")
    text = fields.get("message_content.text")
    if isinstance(text, str):
        return ReasoningPart(content=text) if kind == "reasoning" else TextPart(content=text)
    if kind is None or kind == "tool_use":
        return None  # repeated among the message's tool calls
    return GenericPart(kind=str(kind), content={k.removeprefix("message_content."): v for k, v in fields.items()})


def _tool_call(fields: dict[str, Any]) -> ToolCallPart | None:
    name = str(fields.get("tool_call.function.name") or "").strip("'\"")
    call_id = fields.get("tool_call.id")
    if not name:
        return None
    return ToolCallPart(
        id=call_id if isinstance(call_id, str) else None,
        name=name,
        arguments=read_arguments(fields.get("tool_call.function.arguments", _NO_ARGUMENTS)),
    )


def _nested(fields: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    return collect_indexed({key[len(prefix) :]: value for key, value in fields.items() if key.startswith(prefix)})


def _metadata(span: Span) -> dict[str, Any]:
    return as_object(span.attributes.get("metadata")) or {}


def _agent_in_name(span: Span) -> str | None:
    """Return the agent in a span's name: `<agent>.run` in agno and smolagents, the node in the Agents SDK."""
    if str(span.attributes.get(KIND)).upper() != "AGENT":
        return None
    if span.name and span.name == span.text("graph.node.id"):
        return span.name
    return span.name.removesuffix(".run") or None if span.name.endswith(".run") else None


def _text_in(metadata: dict[str, Any], *keys: str) -> str | None:
    return next((value for key in keys if isinstance(value := metadata.get(key), str) and value), None)
