"""Google ADK: GenAI keys since schema 2, its own before; content in spans, or in log records beside them.

Up to 1.14 only the names of spans tell agents, and up to 1.0 tools too. Of a stream each piece is a message, followed
by the whole answer where the model's class gives it before the stream ends. A call to which the model gave no id has
`adk-<uuid>` on its own span, and `<tool>_<position>` in messages.

Source: google-adk 1.0, 1.14 and 2.13 (google/adk/telemetry, google/adk/utils/streaming_utils.py); request and response
beside an operation: Vertex AI Agent Engine as of 2026 (spans in tests of https://github.com/langwatch/langwatch)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from tracegrade.evaluators.model import (
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
)

from ..spans.frozen import replace
from ..spans.span import Event, Span
from ..spans.step import Step, StepKind, Usage
from ..spans.values import as_count, as_object, as_text, canonical
from .shared import openinference, semconv
from .shared.dialect import Dialect, Evidence
from .shared.gemini import read_contents
from .shared.keys import Keys, read_step
from .shared.parts import first_value
from .shared.request import read_request
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

REQUEST, RESPONSE = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
_SAID = ("gen_ai.system.message", "gen_ai.user.message")
_CHOICE = "gen_ai.choice"
_KEYS = semconv.KEYS.before(
    Keys(
        session_id=("gcp.vertex.agent.session_id",),
        run_id=("gcp.vertex.agent.invocation_id",),
        args=("gcp.vertex.agent.tool_call_args",),
        result=("gcp.vertex.agent.tool_response",),
    )
)
_KINDS_BY_NAME: dict[str, StepKind] = {"agent_run": "agent", "tool_call": "tool", "execute_tool": "tool"}
_TEXTS = (ReasoningPart, TextPart)
_COUNTS = {
    "input_tokens": ("promptTokenCount", "toolUsePromptTokenCount"),
    "output_tokens": ("candidatesTokenCount", "thoughtsTokenCount"),
    "cached_input_tokens": ("cachedContentTokenCount",),
    "reasoning_tokens": ("thoughtsTokenCount",),
}
"""The counts that add up to each of ours, as on ADK's spans (google/adk/telemetry/_token_usage.py).

Gemini's API has these names, as do ADK for Java and TypeScript; in Python they have underscores.
"""
_MERGED = "(merged)"
_LONG_RUNNING = "LongRunningFunctionTool"
"""The tool's answer may come after the run: where the model is not asked again, the run waits for it."""


def read(span: Span) -> Step | None:
    if openinference.KIND in span.attributes:
        return _read_openinference(span)
    if span.text(semconv.OPERATION) is None:
        return _call_llm(span) if span.name == "call_llm" else _read_by_name(span)
    step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return _tool(span, step)
    step = _logged(span, step)
    if step.kind == "model":
        step = _transported(span, replace(step, output=_joined(step.output)))
    return replace(step, input=_answered(step.input))


def _read_openinference(span: Span) -> Step | None:
    """Read a span of ADK to which OpenInference's instrumentation has added its own keys."""
    step = openinference.read(span)
    if step is None:
        return None
    step = replace(step, run_id=step.run_id or span.text("gcp.vertex.agent.invocation_id"))
    return replace(step, input=_answered(step.input)) if step.kind != "tool" else _tool(span, step)


def _read_by_name(span: Span) -> Step | None:
    """Read the oldest spans, and those of tools that raised, by name alone: `agent_run [planner]`."""
    work, _, name = span.name.partition(" ")
    kind = _KINDS_BY_NAME.get(work)
    if kind is None or not name or name == _MERGED:
        return None
    step, subject = read_step(span, kind, _KEYS), name.removeprefix("[").removesuffix("]")
    return replace(step, tool_name=subject) if kind == "tool" else replace(step, agent_name=subject)


def _tool(span: Span, step: Step) -> Step:
    """Return a call with the result as its tool returned it."""
    waits = span.text("gen_ai.tool.type") == _LONG_RUNNING and step.error is None
    return replace(step, result=_unwrapped(step.result), interrupt=step.tool_name if waits else None)


def _unwrapped(result: str | None) -> str | None:
    """Return a value that is not an object, which ADK wraps as `{"result": …}`, OpenInference with its call."""
    value = as_object(result)
    if value is not None and value.keys() == {"id", "name", "response"}:
        result = as_text(value["response"])
        value = as_object(result)
    inner = value["result"] if value is not None and value.keys() == {"result"} else None
    return result if inner is None else as_text(inner)


def _answered(messages: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    """Yield the messages, with the answers of tools as the tools returned them."""
    if messages is None:
        return None
    names = {call.name for message in messages for call in message.tool_calls}
    return tuple(
        message.model_copy(update={"parts": tuple(_part(part, names) for part in message.parts)})
        for message in messages
    )


def _part(part: MessagePart, names: Collection[str]) -> MessagePart:
    if not isinstance(part, ToolCallResponsePart):
        return part
    prefix = (part.id or "").rpartition("_")[0]
    name = part.name or (prefix if prefix in names else None)
    return part.model_copy(update={"name": name, "response": _unwrapped(part.response)})


def _call_llm(span: Span) -> Step:
    """Read schema 1: request and response of Gemini's API, in 2.x around the model's own span."""
    return _transported(span, semconv.read_conversation_step(span, "model", _KEYS))


def _transported(span: Span, step: Step) -> Step:
    """Return `step`, completed from request and response of Gemini's API."""
    sent, response = as_object(span.first(REQUEST)) or {}, as_object(span.first(RESPONSE)) or {}
    if not sent and not response:
        return step
    config = as_object(sent.get("config")) or {}
    return replace(
        step,
        request_model=step.request_model or as_text(sent.get("model")),
        response_model=step.response_model or as_text(first_value(response, "model_version", "modelVersion")),
        input=step.input or _answered(read_request(sent)),
        output=step.output or read_contents([_content(response)], "assistant") or None,
        definitions=step.definitions or read_definitions(_declared(config.get("tools") or sent.get("tools"))),
        usage=_complete_usage(step.usage, as_object(first_value(response, "usage_metadata", "usageMetadata")) or {}),
    )


def _content(response: dict[str, Any]) -> Any:
    """Return the model's answer: ADK's response has it, Gemini's own has it in its first candidate."""
    candidates = response.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    return response.get("content") or (first.get("content") if isinstance(first, dict) else None)


def _complete_usage(usage: Usage, counts: dict[str, Any]) -> Usage:
    """Return the tokens that the span counts, completed by those that the response counts."""
    spelled = {_camel_case(name): count for name, count in counts.items()}
    missing = {
        field: sum(recorded)
        for field, names in _COUNTS.items()
        if getattr(usage, field) is None
        and (recorded := [count for name in names if (count := as_count(spelled.get(name))) is not None])
    }
    return usage._replace(**missing)


def _camel_case(name: str) -> str:
    first, *following = name.split("_")
    return first + "".join(word.capitalize() for word in following)


def _joined(messages: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    """Join the messages of a stream into one answer; the last chunk may be the whole answer."""
    if messages is None or len(messages) < 2:
        return messages
    parts: list[MessagePart] = [
        *_text_of(messages, ReasoningPart),
        *_text_of(messages, TextPart),
        *(part for message in messages for part in message.parts if not isinstance(part, (*_TEXTS, ToolCallPart))),
        *_calls_of(messages),
    ]
    return (messages[-1].model_copy(update={"parts": tuple(parts)}),)


def _text_of(messages: Iterable[Message], kind: type[TextPart | ReasoningPart]) -> list[MessagePart]:
    """Return the text of one kind; a later message may repeat all text before it."""
    texts = ["".join(part.content for part in turn.parts if isinstance(part, kind)) for turn in messages]
    pieces = [text for text in texts if text]
    if len(pieces) > 1 and pieces[-1].strip() == "".join(pieces[:-1]).strip():
        return [kind(content=pieces[-1])]
    joined = _without_repeats(pieces)
    return [kind(content=joined)] if joined else []


def _without_repeats(pieces: Sequence[str]) -> str:
    """Join the texts, without those that repeat the chunks since the last of their kind.

    Where only single pieces seem to be repeated, and texts come behind that nothing repeats, the model said the same
    several times.
    """
    wholes: list[str] = []
    since: list[str] = []
    repeats_several = False
    for text in pieces:
        if since and text.strip() == "".join(since).strip():
            repeats_several = repeats_several or len(since) > 1
            wholes.append(text)
            since = []
        elif since or not wholes or text.strip() != wholes[-1].strip():
            since.append(text)
    return "".join(pieces) if since and not repeats_several else "".join((*wholes, *since))


def _calls_of(messages: Iterable[Message]) -> list[ToolCallPart]:
    """Return the calls, each once: repeated ones have the same id, or without ids the same name and arguments."""
    calls: dict[str, ToolCallPart] = {}
    for message in messages:
        own: dict[str, ToolCallPart] = {}
        for at, call in enumerate(message.tool_calls):
            is_known = call.id is not None or _content_of(call) not in own
            key = call.id if call.id is not None else _content_of(call)
            own[key if is_known else f"{key} {at}"] = call
        calls |= {key: call for key, call in own.items() if key not in calls or call.arguments is not None}
    return list(calls.values())


def _content_of(call: ToolCallPart) -> str:
    return canonical([call.name, call.arguments])


def _logged(span: Span, step: Step) -> Step:
    """Return the step, completed by its log records: Gemini's contents, and the user."""
    chosen = list(span.events_named(_CHOICE))
    history = tuple(
        turn for event in span.events_named(*_SAID) for turn in read_contents([_body(event)], _role_of(event))
    )
    return replace(
        step,
        user_id=step.user_id or _user(span.events),
        input=step.input if step.input is not None else history or None,
        output=step.output if step.output is not None else read_contents(map(_body, chosen), "assistant") or None,
    )


def _user(events: Iterable[Event]) -> str | None:
    users = (event.attributes.get("user.id") for event in events)
    return next((user for user in users if isinstance(user, str)), None)


def _body(event: Event) -> Any:
    return (as_object(event.body) or event.attributes).get("content")


def _role_of(event: Event) -> str:
    return "system" if event.name == _SAID[0] else "user"


def _declared(tools: Any) -> list[Any]:
    declarations: list[Any] = []
    for tool in tools if isinstance(tools, list) else []:
        group = tool if isinstance(tool, dict) else {}
        declared = group.get("function_declarations") or group.get("functionDeclarations")
        declarations.extend(declared if isinstance(declared, list) else [])
    return declarations


DIALECT = Dialect(
    "google_adk",
    read,
    scopes=("gcp.vertex.agent",),
    keys=("gcp.vertex.agent.*",),
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
    evidence=(
        Evidence("google-adk", "1.0, 1.14, 2.13", "recording"),
        Evidence("openinference-instrumentation-google-adk", "1.0", "recording"),
        Evidence("Vertex AI Agent Engine", "of 2026", "source"),
    ),
)
