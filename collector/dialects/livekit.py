"""LiveKit Agents: GenAI keys on the calls of models and tools, the conversation under `lk.*` around them.

A turn (`agent_turn`, earlier `assistant_turn`) is a run; `agent_session` is the conversation that the turns stand in.
Content is under `lk.pii.*` since 1.4, under the same names without `pii` before, and stays there where the GenAI keys
are told to leave it out. A call whose history is recorded as what was new since the call before (`lk.input.delta`)
tells only that part.

Source: livekit-agents 1.8.9 and 1.2.18 (livekit/agents/telemetry/trace_types.py, voice/generation.py,
voice/agent_activity.py)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.semconv_events import with_events

__all__ = ["DIALECT"]

_SAID = ("lk.pii.response.text", "lk.response.text")
_ASKED = ("lk.pii.response.function_calls", "lk.response.function_calls")
_CONTEXT = ("lk.pii.chat_ctx", "lk.chat_ctx")

_KEYS = Keys(
    result=("lk.pii.function_tool.output", "lk.function_tool.output"),
).before(
    semconv.KEYS.before(
        Keys(
            run_id=("lk.speech_id",),
            output_text=_SAID,
            tool_name=("lk.function_tool.name",),
            call_id=("lk.function_tool.id",),
            args=("lk.pii.function_tool.arguments", "lk.function_tool.arguments"),
            definitions=("lk.function_tools",),
        )
    )
)
_KINDS: dict[str, StepKind] = {
    "agent_turn": "agent",
    "assistant_turn": "agent",
    "llm_node": "model",
    "llm_request": "model",
    "function_tool": "tool",
    "update_agent": "handoff",
}


def read(span: Span) -> Step | None:
    match _KINDS.get(span.name, semconv.kind_of(span)):
        case None | "workflow":
            return None
        case "tool":
            return _tool(span)
        case "agent":
            return _turn(span)
        case "handoff":
            return _handoff(span)
        case kind:
            return _node(span) if span.name == "llm_node" else _request(span, kind)


def _tool(span: Span) -> Step | None:
    """Return a tool call; the output of one that failed is the message to the model."""
    step = read_step(span, "tool", _KEYS)
    if step.tool_name is None:
        return None
    failed = span.attributes.get("lk.function_tool.is_error") is True or step.error is not None
    return replace(step, error=(step.result or step.error or "error") if failed else None)


def _turn(span: Span) -> Step:
    step = semconv.read_conversation_step(span, "agent", _KEYS)
    return replace(step, input_text=span.text("lk.pii.user_input", "lk.user_input"))


def _handoff(span: Span) -> Step | None:
    """Return a hand-off; the first agent of a session does not take over from another."""
    former = span.text("lk.previous_agent_label")
    if former is None:
        return None
    return replace(read_step(span, "handoff", _KEYS), agent_name=former, target=span.text("lk.agent_label"))


def _request(span: Span, kind: StepKind) -> Step:
    step = with_events(span, semconv.read_conversation_step(span, kind, _KEYS))
    if span.attributes.get("lk.input.delta") is not True:
        return step
    base, dropped = span.text("lk.input.base_span_id"), span.count("lk.input.dropped_from_base")
    return replace(step, continues=base, dropped=dropped or 0)


def _node(span: Span) -> Step:
    """Return the node around a model call, with chat items as messages. A delta only has the call's own messages."""
    step = semconv.read_conversation_step(span, "model", _KEYS)
    is_whole = span.attributes.get("lk.input.delta") is not True
    context = as_object(span.first(*_CONTEXT)) if is_whole else None
    return replace(
        step,
        input=step.input or (tuple(_context(context.get("items"))) if context else None),
        output=step.output or _answer(span),
        output_text=None,
    )


def _answer(span: Span) -> tuple[Message, ...] | None:
    text = span.text(*_SAID)
    requested = decode_text(span.first(*_ASKED))
    calls = [call for call in requested if isinstance(call, dict)] if isinstance(requested, list) else []
    if text is None and not calls:
        return None
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text is not None else []
    parts += [_called(call) for call in calls]
    return (message({"role": "assistant", "parts": parts}),)


def _context(items: Any) -> Iterator[Message]:
    """Yield chat items as messages; adjacent calls are one message, as the model wrote them."""
    call_parts: list[dict[str, Any]] = []
    for item in items if isinstance(items, list) else ():
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "function_call":
            call_parts.append(_called(item))
            continue
        if call_parts:
            yield message({"role": "assistant", "parts": call_parts})
            call_parts = []
        if kind == "message":
            yield message({"role": item.get("role"), "content": _drop_cache_marks(item.get("content"))})
        elif kind == "function_call_output":
            yield message({"role": "tool", "parts": [_returned(item)]})
    if call_parts:
        yield message({"role": "assistant", "parts": call_parts})


def _drop_cache_marks(content: Any) -> Any:
    """Return the content without marks for the provider's cache."""
    if not isinstance(content, list):
        return content
    return [part for part in content if not (isinstance(part, dict) and part.get("type") == "cache_breakpoint")]


def _called(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "id": item.get("call_id"),
        "name": item.get("name"),
        "arguments": item.get("arguments"),
    }


def _returned(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool_call_response",
        "id": item.get("call_id"),
        "name": item.get("name"),
        "response": item.get("output"),
        "is_error": item.get("is_error"),
    }


DIALECT = Dialect(
    "livekit",
    read,
    scopes=("livekit-agents",),
    keys=("lk.*",),
    content="LIVEKIT_TELEMETRY_ALLOW_PII=true",
    evidence=(Evidence("livekit-agents", "1.2, 1.8", "recording"),),
)
