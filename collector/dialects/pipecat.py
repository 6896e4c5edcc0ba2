"""Pipecat: a span per conversation, within it one per turn, within that the model calls, mostly with keys of its own.

A turn is a run. Of an answer only its text is recorded; the tools that it asked for stand in the history of the next
call. Gemini Live tells of a call twice, when the model asked for it (`llm_tool_call`) and when its result went back
(`llm_tool_result`): both are read as messages of the conversation, for neither lasts as long as the tool ran.

Source: pipecat-ai 1.14.0 (pipecat/utils/tracing/service_decorators.py, service_attributes.py, turn_trace_observer.py)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import TRUNCATED, decode_text, looks_truncated
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_KEYS = Keys(
    session_id=("conversation.id",),
    input=("input",),
    output_text=("output",),
    response_id=("response.id",),
    definitions=("tools",),
    time_to_first_token_s=("metrics.ttfb",),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    read_one = _READERS.get(span.name)
    return read_one(span) if read_one is not None else None


def _turn(span: Span) -> Step:
    return read_step(span, "agent", _KEYS)


def _conversation(span: Span) -> Step:
    return read_step(span, "workflow", _KEYS)


def _call(span: Span) -> Step:
    return read_step(span, "model", _KEYS)


def _setup(span: Span) -> Step:
    """Read the offers of a Realtime session."""
    return replace(read_step(span, "workflow", _KEYS), definitions=_declared(span.first("tools.definitions")))


def _request(span: Span) -> Step:
    """Read a Realtime request, which is apart from its response."""
    return read_step(span, "workflow", _KEYS)


def _response(span: Span) -> Step:
    """Read a Realtime response, in which requested tools are recorded by name alone."""
    step = read_step(span, "model", _KEYS)
    calls = _call_parts(*map(_call_of_name, _names(span.text("function_calls.all_names"))))
    if not calls:
        return step
    texts = [{"type": "text", "content": step.output_text}] if step.output_text else []
    return replace(step, output=_message("assistant", *texts, *calls), output_text=None)


def _tool_call(span: Span) -> Step:
    """Read an answer of Gemini Live that requests tools: the first is complete, the others have only names."""
    first, *further_names = _names(span.text("tool.all_function_names")) or [span.text("tool.function_name") or ""]
    args = span.first("tool.arguments")
    is_cut = looks_truncated(args)
    call = {"name": first, "id": span.text("tool.call_id"), "arguments": None if is_cut else args}
    return replace(
        read_step(span, "model", _KEYS),
        output=_message("assistant", *_call_parts(call, *map(_call_of_name, further_names))),
        gaps=(TRUNCATED,) if is_cut else (),
    )


def _tool_result(span: Span) -> Step:
    answer = {
        "type": "tool_call_response",
        "id": span.text("tool.call_id"),
        "name": span.text("tool.function_name"),
        "response": span.first("tool.result"),
        "is_error": span.text("tool.result_status") == "error",
    }
    return replace(read_step(span, "workflow", _KEYS), input=_message("tool", answer))


def _message(role: str, *parts: dict[str, Any]) -> tuple[Message, ...]:
    return (message({"role": role, "parts": list(parts)}),)


def _call_parts(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "tool_call", **call} for call in calls]


def _call_of_name(name: str) -> dict[str, Any]:
    return {"name": name}


def _names(joined: str | None) -> list[str]:
    return [name for name in (joined or "").split(",") if name]


def _declared(value: Any) -> Any:
    """Return the definitions of Gemini Live, which have `properties` and `required` beside the name."""
    listed = decode_text(value)
    if not isinstance(listed, list):
        return None
    return read_definitions([_with_schema(declaration) for declaration in listed if isinstance(declaration, dict)])


def _with_schema(declaration: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in declaration:
        return declaration
    schema = {"type": "object", "properties": declaration["properties"], "required": declaration.get("required", [])}
    return {**declaration, "parameters": schema}


_READERS: dict[str, Callable[[Span], Step]] = {
    "conversation": _conversation,
    "turn": _turn,
    "llm": _call,
    "llm_setup": _setup,
    "llm_request": _request,
    "llm_response": _response,
    "llm_tool_call": _tool_call,
    "llm_tool_result": _tool_result,
}

DIALECT = Dialect(
    "pipecat",
    read,
    scopes=("pipecat", "pipecat.turn"),
    evidence=(Evidence("pipecat-ai", "1.14", "recording"),),
)
