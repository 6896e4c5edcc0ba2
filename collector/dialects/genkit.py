"""Genkit: actions with their input and output as JSON, in the shapes of Genkit itself.

Genkit for Go writes the same keys. Each of its turns is a `generate` within the `generate` of the turn before; a value
that is nil is the text `null`; and before subtypes a flow was one by its type alone.

Source: @genkit-ai/core 1.42 (lib/tracing/instrumentation.js, lib/action.js), @genkit-ai/ai 1.42 (lib/agent.js,
lib/tool.js, lib/generate/action.js), https://github.com/firebase/genkit/tree/77656d5/go (core/tracing/tracing.go,
core/action.go, ai/generate.go, ai/document.go)
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind, Usage
from ..spans.values import as_object, as_text, decode_text
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.parts import read_arguments
from .shared.tool_definitions import read_definitions
from .shared.usage import read_usage

__all__ = ["DIALECT"]

TYPE, SUBTYPE = "genkit:type", "genkit:metadata:subtype"
NAME, INPUT, OUTPUT = "genkit:name", "genkit:input", "genkit:output"
_KINDS: dict[str, StepKind] = {
    "flow": "agent",
    "agent": "agent",
    "model": "model",
    "background-model": "model",
    "tool": "tool",
    "tool.v2": "tool",
    "retriever": "retrieval",
    "reranker": "retrieval",
}
_SESSION = ("genkit:metadata:agent:sessionId", "genkit:sessionId")
_KEYS: dict[StepKind, Keys] = {
    "agent": Keys(agent_name=(NAME,), session_id=_SESSION, input_value=(INPUT,), output_value=(OUTPUT,)),
    "model": Keys(session_id=_SESSION),
    "tool": Keys(tool_name=(NAME,), session_id=_SESSION),
    "retrieval": Keys(session_id=_SESSION),
}
_ROLES = {"model": "assistant"}
_NIL = "null"
"""The text that Go writes for a missing value."""


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    span = replace(span, attributes={key: value for key, value in span.attributes.items() if value != _NIL})
    step = read_step(span, kind, _KEYS[kind])
    if kind == "tool":
        return _tool(span, step)
    if kind == "model":
        return _model(span, step)
    return _run(span, step) if kind == "agent" else step


def _kind(span: Span) -> StepKind | None:
    """Return the kind; `generate` is a run unless it is within a flow or agent, where it only gives structure."""
    if span.text(TYPE) == "util" and span.attributes.get("genkit:isRoot") is True:
        return "agent"
    return _KINDS.get(span.text(SUBTYPE) or span.text(TYPE) or "")


def _tool(span: Span, step: Step) -> Step:
    """Return a tool call, whose result is always JSON."""
    result = decode_text(span.attributes.get(OUTPUT))
    if span.text(SUBTYPE) == "tool.v2" and isinstance(result, dict):
        result = result.get("output", result)
    return replace(
        step,
        tool_name=step.tool_name or span.name,
        args=read_arguments(decode_text(span.first(INPUT))),
        result=as_text(result),
    )


def _model(span: Span, step: Step) -> Step:
    """Return a model call; models are named `provider/model`, and `raw` is the provider's own answer."""
    request, answer = as_object(span.first(INPUT)) or {}, as_object(span.first(OUTPUT)) or {}
    raw = as_object(answer.get("raw")) or as_object(answer.get("custom")) or {}
    provider, _, model = (span.text(NAME) or span.name).rpartition("/")
    reason = as_text(answer.get("finishReason"))
    return replace(
        step,
        provider_name=provider or None,
        request_model=model or None,
        response_model=as_text(raw.get("model") or raw.get("modelVersion")),
        response_id=as_text(raw.get("id") or raw.get("responseId")),
        finish_reasons=(reason,) if reason else None,
        usage=Usage(**(read_usage(answer.get("usage")) or {})),
        input=_messages(request.get("messages")),
        output=_answer(answer),
        definitions=read_definitions(request.get("tools")),
    )


def _run(span: Span, step: Step) -> Step:
    """Return a run: flows take and return any value, `generate` and agents messages."""
    request, answer = as_object(span.first(INPUT)) or {}, as_object(span.first(OUTPUT)) or {}
    turns, answers = _messages(request.get("messages")), _answer(answer)
    failure = as_object(answer.get("error")) if answer.get("finishReason") == "failed" else None
    step = replace(step, error=step.error or (as_text(failure.get("message")) if failure else None))
    if span.text(TYPE) == "util":
        step = replace(step, agent_name=None)
    if turns is not None:
        step = replace(step, input=turns, input_text=None)
    if answers is not None or span.text(SUBTYPE) == "agent":
        step = replace(step, output=answers, output_text=None)
    return step


def _messages(value: Any) -> tuple[Message, ...] | None:
    return tuple(_message(item) for item in value if isinstance(item, dict)) if isinstance(value, list) else None


def _answer(answer: dict[str, Any]) -> tuple[Message, ...] | None:
    """Return the message, or those of the candidates, as in versions before 1.0."""
    candidates = answer.get("candidates")
    listed = (
        [item.get("message") for item in candidates if isinstance(item, dict)] if isinstance(candidates, list) else []
    )
    return _messages([item for item in (answer.get("message"), *listed) if isinstance(item, dict)]) or None


def _message(item: dict[str, Any]) -> Message:
    content = item.get("content")
    parts = content if isinstance(content, list) else [{"text": content}] if isinstance(content, str) else []
    return message(
        {"role": _ROLES.get(str(item.get("role")), item.get("role")), "parts": [_part(part) for part in parts]}
    )


def _part(part: Any) -> Any:
    """Return a part with its type, which is its key; `ref` is the id of a call."""
    if not isinstance(part, dict):
        return part
    request, response = part.get("toolRequest"), part.get("toolResponse")
    if isinstance(request, dict):
        return {**request, "type": "tool_call", "id": request.get("ref")}
    if isinstance(response, dict):
        return {**response, "type": "tool_call_response", "id": response.get("ref")}
    if isinstance(part.get("reasoning"), str):
        return {"type": "reasoning", "content": part["reasoning"]}
    return part


DIALECT = Dialect(
    "genkit",
    read,
    scopes=("genkit-tracer",),
    keys=(SUBTYPE,),
    evidence=(
        Evidence("@genkit-ai/core", "1.42", "recording"),
        Evidence("github.com/firebase/genkit/go", "1.7", "source"),
    ),
)
