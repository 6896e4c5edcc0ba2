"""Claude Code and the Claude Agent SDK, which runs it: a span for each prompt, with its calls below.

What was said is in log records, and those of a whole interaction name its span: the arguments of tools and the answer
are only there, each tool's under the id of its call. With detailed tracing the spans have it too, as texts whose first
line says what they are: `[USER]`, `[TOOL INPUT: name]`, `[TOOL RESULT: id]`. A span of a tool is also the time that
somebody was asked whether it may run; below it is its execution, and below that of an agent what this one did.

Source: https://code.claude.com/docs/en/monitoring-usage; claude-agent-sdk 0.2.187 with Claude Code 2.1.330; for scope
`claude-code` with `tool.name`, `tool.input` and `tool.output`: spans in tests of https://github.com/latitude-dev/latitude-llm
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tracegrade.evaluators.model import Message, MessagePart, TextPart, ToolCallPart, ToolCallResponsePart

from ..spans.envelopes import content_blocks
from ..spans.frozen import replace
from ..spans.span import Event, Span
from ..spans.step import Step, StepKind
from ..spans.values import as_count, as_object, as_text, is_placeholder
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import system_message
from .shared.parts import read_arguments
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

TYPE = "span.type"
_NAMESPACE = "claude_code."
_KINDS: dict[str, StepKind] = {"interaction": "agent", "llm_request": "model", "tool": "tool", "tool_execution": "tool"}
_KEYS = Keys(
    agent_id=("agent_id",),
    session_id=("session.id", "gen_ai.conversation.id"),  # the conversation of a sub-agent has an id of its own
    user_id=("user.id",),
    error=("error.type",),
    provider_name=("gen_ai.provider.name", "gen_ai.system"),
    request_model=("gen_ai.request.model", "model"),
    response_id=("gen_ai.response.id", "request_id"),
    finish_reasons=("gen_ai.response.finish_reasons", "stop_reason"),
    time_to_first_token_ms=("ttft_ms",),
    input_tokens=("input_tokens",),
    output_tokens=("output_tokens",),
    cached_input_tokens=("cache_read_tokens",),
    cache_write_input_tokens=("cache_creation_tokens",),
    tool_name=("tool_name", "gen_ai.tool.name", "tool.name"),
    call_id=("gen_ai.tool.call.id", "tool_use_id", "tool.id"),
    target=("subagent_type",),
)
_DETAILS = {"command": "full_command", "file_path": "file_path"}
"""The arguments that the span of a tool has as attributes, if it lacks the whole input."""
_MARKS = {
    "interaction": ("user_prompt", "user_prompt_length", "interaction.sequence"),
    "llm_request": ("model", "gen_ai.request.model", "query_source", "query_source_safe"),
    "tool": ("tool_name", "tool_use_id"),
    "tool_execution": ("tool.id",),
    "tool.execution": ("success", "tool_use_id"),
    "tool.blocked_on_user": ("decision", "source"),
    "hook": ("hook_event", "hook_name"),
}
"""Attributes of spans of these types, whose names lack the namespace in some versions."""
_EXECUTION = "tool.execution"
_OF_AGENTS = frozenset({"api_request", "assistant_response", "subagent_completed"})
_OF_COMMANDS = ("timeout", "description")
_UNCOUNTED = ("cache_read_tokens", "cache_creation_tokens")
"""Tokens that `input_tokens` leaves out."""

_STYLE = re.compile(r"\x1b\[[0-9;]*m")
"""Some versions write a model's name as they print it, in bold."""
_HEADING = re.compile(r"^\[(USER PROMPT|USER|TOOL RESULT|TOOL INPUT)(?:: ([^\]\n]+))?\]\n", re.MULTILINE)


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return _execution(span) if _type(span) == _EXECUTION else None
    step = read_step(span, kind, _KEYS)
    if kind == "agent":
        return _run(span, step)
    return _request(span, step) if kind == "model" else _tool(span, step)


def _kind(span: Span) -> StepKind | None:
    """Return the kind by type; the execution of a tool is the run of an agent if its log records name one."""
    if _type(span) == _EXECUTION:
        return "agent" if _recorded(span, "agent_id") else None
    return _KINDS.get(_type(span))


def _type(span: Span) -> str:
    return (span.text(TYPE) or span.name).removeprefix(_NAMESPACE)


def _run(span: Span, step: Step) -> Step:
    """Return a prompt and its answers, from the log records that name this span."""
    conversations = (_read_record(event) for event in span.events if event.is_log)
    prompts = (span.text("user_prompt"), *(event.attributes.get("prompt") for event in _events(span, "user_prompt")))
    offered = (as_object(event.attributes.get("tool")) for event in _events(span, "tool"))
    is_delegated = _type(span) == _EXECUTION
    return replace(
        step,
        agent_name=_recorded(span, "agent.name", "agent_type") if is_delegated else None,
        agent_id=_recorded(span, "agent_id") if is_delegated else None,
        input=_build_turn("user", next((text for prompt in prompts if (text := _open(prompt))), None)),
        output=tuple(message for messages in conversations for message in messages) or None,
        definitions=read_definitions([tool for tool in offered if tool is not None]),
    )


def _read_record(event: Event) -> Iterator[Message]:
    name, fields = _name(event), event.attributes
    if name == "assistant_response":
        yield from _build_turn("assistant", _open(fields.get("response"))) or ()
    elif name == "tool_result":
        call_id, args = as_text(fields.get("tool_use_id")), read_arguments(fields.get("tool_input")) or _details(fields)
        if args is not None:
            part = ToolCallPart(id=call_id, name=_tool_name_of(fields), arguments=args)
            yield Message(role="assistant", parts=(part,))
        if str(fields.get("success")).lower() == "false":
            failure = as_text(fields.get("error"))
            yield Message(role="tool", parts=(ToolCallResponsePart(id=call_id, response=failure, is_error=True),))


def _details(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a shell command, which are recorded where the whole input is not."""
    parameters = as_object(fields.get("tool_parameters")) or {}
    command = parameters.get("full_command")
    if not isinstance(command, str) or is_placeholder(command):
        return None
    return {"command": command, **{name: parameters[name] for name in _OF_COMMANDS if name in parameters}}


def _tool_name_of(fields: Mapping[str, Any]) -> str:
    """Return the tool's name as the model has it: that of a tool server's tool consists of two parameters."""
    parameters = as_object(fields.get("tool_parameters")) or {}
    server, tool = parameters.get("mcp_server_name"), parameters.get("mcp_tool_name")
    return f"mcp__{server}__{tool}" if server and tool else str(fields.get("tool_name") or "unknown")


def _request(span: Span, step: Step) -> Step:
    counts = [step.usage.input_tokens, *(as_count(span.attributes.get(key)) for key in _UNCOUNTED)]
    recorded = [count for count in counts if count is not None]
    return replace(
        step,
        usage=step.usage._replace(input_tokens=sum(recorded) if recorded else None),
        input=(*_instructions(span), *_context(span)) or None,
        output=_build_turn("assistant", _open(span.first("response.model_output"))),
        error=_failure(span) or step.error,
        request_model=_STYLE.sub("", step.request_model) if step.request_model is not None else None,
    )


def _instructions(span: Span) -> Iterator[Message]:
    """Return the system prompt, if its preview is complete."""
    preview = span.text("system_prompt_preview")
    if preview is not None and not is_placeholder(preview) and span.count("system_prompt_length") == len(preview):
        yield system_message(preview)


def _context(span: Span) -> Iterator[Message]:
    """Return the parts that a request adds to the conversation."""
    pieces = _HEADING.split(str(_open(span.first("new_context")) or ""))
    for heading, subject, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        part: MessagePart = TextPart(content=text.removesuffix("\n"))
        if heading == "TOOL RESULT":
            part = ToolCallResponsePart(id=subject, response=content_blocks(text.removesuffix("\n")))
        yield Message(role="tool" if heading == "TOOL RESULT" else "user", parts=(part,))


def _tool(span: Span, step: Step) -> Step:
    output = next((event.attributes for event in span.events_named("tool.output")), {})
    content = next((output[key] for key in ("output", "content", "diff") if output.get(key) is not None), None)
    result = (
        _open(content) if content is not None else content_blocks(_unheaded(span.first("new_context", "tool.output")))
    )
    arguments = read_arguments(_unheaded(span.first("tool_input", "tool.input")))
    details = {name: value for name, key in _DETAILS.items() if (value := _open(span.text(key)))}
    return replace(
        step,
        args=arguments if arguments is not None else details or None,
        result=as_text(result),
        target=span.text("subagent_type"),
        error=step.error or _failure(span),
    )


def _execution(span: Span) -> Step:
    """Return the execution of a tool, named by the span around it; its time excludes the wait for permission."""
    step = read_step(span, "tool", _KEYS)
    return replace(step, tool_name=None, error=step.error or _failure(span), duration_ms=span.duration_ms)


def _failure(span: Span) -> str | None:
    has_failed = str(span.attributes.get("success")).lower() == "false"
    return (span.text("error") or "error") if has_failed else None


def _unheaded(value: Any) -> Any:
    return _HEADING.sub("", value, count=1) if isinstance(value, str) else value


def _build_turn(role: str, text: Any) -> tuple[Message, ...] | None:
    return (Message(role=role, parts=(TextPart(content=text),)),) if isinstance(text, str) and text else None


def _open(value: Any) -> Any:
    """Return the value, unless it is a placeholder."""
    return None if is_placeholder(value) else value


def _recorded(span: Span, *fields: str) -> str | None:
    """Return the first of `fields` that a log record of an agent's own work has."""
    records = [event for event in span.events if event.is_log and _name(event) in _OF_AGENTS]
    values = (event.attributes.get(field) for field in fields for event in records)
    return next((value for value in values if isinstance(value, str) and value), None)


def _events(span: Span, name: str) -> Iterator[Event]:
    return (event for event in span.events if event.is_log and _name(event) == name)


def _name(event: Event) -> str:
    """Return the name of a record from an attribute, or from its body, which has the namespace before it."""
    name = event.attributes.get("event.name") or event.name or event.body
    return str(name or "").removeprefix(_NAMESPACE)


def speaks(span: Span) -> bool:
    if span.name.startswith(_NAMESPACE) or (span.text(TYPE) or "").startswith(_NAMESPACE):
        return True
    return any(key in span.attributes for key in _MARKS.get(_type(span), ()))


DIALECT = Dialect(
    "claude_code",
    read,
    scopes=("com.anthropic.claude_code*", "claude-code"),
    keys=(TYPE, "cache_read_tokens", "cache_creation_tokens", "interaction.sequence", "tool_use_id"),
    speaks=speaks,
    content="OTEL_LOG_USER_PROMPTS=1 OTEL_LOG_ASSISTANT_RESPONSES=1 OTEL_LOG_TOOL_DETAILS=1 OTEL_LOG_TOOL_CONTENT=1",
    evidence=(Evidence("Claude Code", "2.1", "recording"),),
)
