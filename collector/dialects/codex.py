"""Codex CLI: a span for each turn, model request and tool call, and log records with their content.

The spans are those of the program's own functions, some hundred a turn. The prompt, the arguments of tools and their
results are in log records that name a span; what the model said is recorded nowhere. Where log records are not
exported, the events of spans say that a tool ran and whether it failed. Up to 0.120 only records without a trace have
the tokens. Where spans are not exported, no record names a trace; records that do, without any span, are one run.

Source: what @openai/codex 0.98, 0.120 and 0.169 export; openai/codex codex-rs/otel (events/session_telemetry.rs,
tool_result.rs)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tracegrade.evaluators.model import Message, TextPart, ToolCallPart, ToolCallResponsePart

from ..spans.frozen import replace
from ..spans.span import Event, Span
from ..spans.step import NO_USAGE, Step, StepKind, Usage
from ..spans.values import REDACTED, as_count, as_text, is_placeholder
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.parts import read_arguments

__all__ = ["DIALECT"]

_USED = "codex.turn.token_usage."
_KEYS = Keys(
    session_id=("conversation.id", "thread_id", "thread.id"),
    run_id=("turn.id", "turn_id"),
    request_model=("model",),
    input_tokens=("gen_ai.usage.input_tokens", _USED + "input_tokens"),
    output_tokens=("gen_ai.usage.output_tokens", _USED + "output_tokens"),
    cached_input_tokens=("gen_ai.usage.cache_read.input_tokens", _USED + "cached_input_tokens"),
    cache_write_input_tokens=("gen_ai.usage.cache_write.input_tokens", _USED + "cache_write_input_tokens"),
    reasoning_tokens=("codex.usage.reasoning_output_tokens", _USED + "reasoning_output_tokens"),
    tool_name=("tool_name",),
    call_id=("call_id",),
)
_KINDS: dict[str, StepKind] = {
    "session_task.turn": "agent",
    "run_turn": "agent",
    "try_run_sampling_request": "model",
}
_USAGE = "gen_ai.usage.input_tokens"
"""Of the spans that handle pieces of a streamed response, the one that handles its end has the tokens."""

_ABORTED = "aborted"
_PROMPT, _RESULT, _READY = "codex.user_prompt", "codex.tool_result", "codex.tool_result_ready"
_RECEIVED = "codex.sse_event"
_COUNTS = {
    "input_tokens": "input_token_count",
    "output_tokens": "output_token_count",
    "cached_input_tokens": "cached_token_count",
    "reasoning_tokens": "reasoning_token_count",
}
_NOT_CAPTURED = "content_not_captured"


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return _prompt(span)
    step = read_step(span, kind, _KEYS)
    step = replace(step, session_id=step.session_id or _recorded(span, "conversation.id"), user_id=_user(span))
    if kind == "tool":
        return _tool(span, step)
    return replace(step, gaps=(*step.gaps, _NOT_CAPTURED)) if kind == "model" else _turn(span, step)


def _kind(span: Span) -> StepKind | None:
    if span.name in _KINDS:
        return _KINDS[span.name]
    if not span.name:
        return "agent" if any(_find_events(span, _PROMPT, _RESULT, _RECEIVED)) else None
    if _USAGE in span.attributes:
        return "model"
    is_call = _ABORTED in span.attributes and span.text("call_id", "tool_name") is not None
    return "tool" if is_call or any(_find_events(span, _RESULT)) else None


def _turn(span: Span, step: Step) -> Step:
    """Return a turn, completed by its log records where no span within it has the content."""
    messages, gaps = _read_prompts(span)
    completed = [event for event in _find_events(span, _RECEIVED) if _COUNTS["input_tokens"] in event.attributes]
    return replace(
        step,
        input=messages,
        output=tuple(_ran(span)) or None,
        request_model=step.request_model or _recorded(span, "model"),
        usage=step.usage if step.usage != NO_USAGE else _used(completed),
        gaps=gaps if span.name else (*gaps, _NOT_CAPTURED),
    )


def _ran(span: Span) -> Iterator[Message]:
    """Return the tool calls whose results are recorded on the turn itself."""
    for event in _find_events(span, _RESULT):
        call_id, name = as_text(event.attributes.get("call_id")), as_text(event.attributes.get("tool_name"))
        output, args = as_text(event.attributes.get("output")), read_arguments(event.attributes.get("arguments"))
        if name is not None:
            yield Message(role="assistant", parts=(ToolCallPart(id=call_id, name=name, arguments=args),))
            response = ToolCallResponsePart(
                id=call_id, name=name, response=output, is_error=_has_failed(event.attributes)
            )
            yield Message(role="tool", parts=(response,))


def _used(completed: Sequence[Event]) -> Usage:
    """Return the tokens of all completed responses."""
    counts = {
        field: [count for event in completed if (count := as_count(event.attributes.get(key))) is not None]
        for field, key in _COUNTS.items()
    }
    return Usage(**{field: sum(values) for field, values in counts.items() if values})


def _prompt(span: Span) -> Step | None:
    """Return the user's prompt, if a span above or below that of the turn has it."""
    if not any(_find_events(span, _PROMPT)):
        return None
    messages, gaps = _read_prompts(span)
    session_id = _recorded(span, "conversation.id")
    return Step(kind="workflow", input=messages, session_id=session_id, user_id=_user(span), gaps=gaps)


def _read_prompts(span: Span) -> tuple[tuple[Message, ...] | None, tuple[str, ...]]:
    """Return the prompts as messages, with a gap if one was left out."""
    prompts = [text for event in _find_events(span, _PROMPT) if (text := as_text(event.attributes.get("prompt")))]
    typed = [text for text in prompts if not is_placeholder(text)]
    messages = tuple(Message(role="user", parts=(TextPart(content=text),)) for text in typed)
    return messages or None, (REDACTED,) if len(typed) < len(prompts) else ()


def _tool(span: Span, step: Step) -> Step:
    """Return a call, from its span, the log record of its result and the event of its span."""
    result = _merged(_find_events(span, _RESULT))
    name = _merged(_find_events(span, _READY)).get("tool_name") or result.get("tool_name")
    output = as_text(result.get("output"))
    was_aborted = span.attributes.get(_ABORTED) is True
    return replace(
        step,
        tool_name=as_text(name) or step.tool_name,
        call_id=step.call_id or as_text(result.get("call_id")),
        args=read_arguments(result.get("arguments")),
        result=output,
        duration_ms=as_count(result.get("duration_ms")),
        error=(output or "error") if _has_failed(result) else "aborted" if was_aborted else step.error,
    )


def _has_failed(result: Mapping[str, Any]) -> bool:
    return str(result.get("success")).lower() == "false"


def _merged(events: Iterator[Event]) -> Mapping[str, Any]:
    merged: dict[str, Any] = {}
    for event in events:
        merged |= event.attributes
    return merged


def _user(span: Span) -> str | None:
    return _recorded(span, "user.account_id") or _recorded(span, "user.email")


def _recorded(span: Span, key: str) -> str | None:
    values = (event.attributes.get(key) for event in span.events)
    return next((value for value in values if isinstance(value, str) and value), None)


def _find_events(span: Span, *names: str) -> Iterator[Event]:
    """Yield the events and log records with these names in an attribute: their own name is a place in the source."""
    return (event for event in span.events if event.name in names or event.attributes.get("event.name") in names)


DIALECT = Dialect(
    "codex",
    read,
    scopes=("codex_*", "openai.codex"),
    keys=("codex.turn.*",),
    content="[otel] log_user_prompt = true, exporter = { otlp-http = … }, trace_exporter = { otlp-http = … }",
    evidence=(Evidence("@openai/codex", "0.120, 0.169", "recording"),),
)
