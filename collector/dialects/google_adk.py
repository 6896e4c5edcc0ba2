"""Google ADK: GenAI keys since schema 2, its own before.

Source: google-adk 2.13 (google/adk/telemetry)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tracegrade.evaluators.model import Message

from ..span import Span
from ..step import Step
from ..values import as_object, as_text
from . import semconv
from .base import Dialect, definitions, message
from .keys import Keys
from .semconv_events import with_events

__all__ = ["GOOGLE_ADK"]

REQUEST, RESPONSE = "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"
_KEYS = semconv.KEYS.before(
    Keys(
        session_id=("gcp.vertex.agent.session_id",),
        run_id=("gcp.vertex.agent.invocation_id",),
        args=("gcp.vertex.agent.tool_call_args",),
        result=("gcp.vertex.agent.tool_response",),
    )
)


def read(span: Span) -> Step | None:
    step = semconv.read(span, _KEYS)
    if step is None:
        return _call_llm(span) if span.name == "call_llm" else None
    if step.kind == "tool":
        return replace(step, result=_unwrapped(step.result))
    return with_events(span, step)


def _unwrapped(result: str | None) -> str | None:
    """ADK puts what is no object into one, as `{"result": …}`."""
    value = as_object(result)
    return as_text(value["result"]) if value is not None and value.keys() == {"result"} else result


def _call_llm(span: Span) -> Step | None:
    """Schema 1: the request and response as Gemini's API has them, around the model's own span."""
    request, response = as_object(span.first(REQUEST)) or {}, as_object(span.first(RESPONSE)) or {}
    config = request.get("config") if isinstance(request.get("config"), dict) else {}
    step = semconv.spoken_step(span, "model", _KEYS)
    return replace(
        step,
        request_model=step.request_model or as_text(request.get("model")),
        input=tuple(_contents(request.get("contents"), (config or {}).get("system_instruction"))) or None,
        output=tuple(_contents([response.get("content")], None)) or None,
        definitions=definitions(_declared((config or {}).get("tools"))),
    )


def _contents(contents: Any, instruction: Any) -> list[Message]:
    said = [message({"role": "system", "content": instruction})] if isinstance(instruction, str) else []
    turns = contents if isinstance(contents, list) else []
    return said + [message({**turn, "role": _role(turn)}) for turn in turns if isinstance(turn, dict)]


def _role(turn: dict[str, Any]) -> Any:
    return "assistant" if turn.get("role") == "model" else turn.get("role")


def _declared(tools: Any) -> list[Any]:
    found: list[Any] = []
    for tool in tools if isinstance(tools, list) else []:
        declared = tool.get("function_declarations") if isinstance(tool, dict) else None
        found.extend(declared if isinstance(declared, list) else [])
    return found


GOOGLE_ADK = Dialect(
    "google_adk",
    read,
    scopes=("gcp.vertex.agent",),
    keys=("gcp.vertex.agent.*",),
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
)
