"""OpenLLMetry (Traceloop): `traceloop.*` around GenAI keys; before 0.5x with flattened `gen_ai.prompt.N.*`.

Source: opentelemetry-instrumentation-* 0.40 to 0.62 (https://github.com/traceloop/openllmetry)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tracegrade.evaluators.model import Message

from ..envelopes import call_arguments, langchain_arguments, tool_message
from ..span import Span
from ..step import Step, StepKind
from ..values import as_object, as_text, decode_text
from . import langchain, semconv
from .base import Dialect, arguments, definitions, indexed, message
from .keys import Keys, step_of
from .semconv_events import with_events

__all__ = ["OPENLLMETRY"]

KIND = "traceloop.span.kind"
ENTITY, INPUT, OUTPUT = "traceloop.entity.name", "traceloop.entity.input", "traceloop.entity.output"
_KINDS: dict[str, StepKind] = {"workflow": "workflow", "agent": "agent", "tool": "tool", "handoff": "handoff"}
_PROPERTY = "traceloop.association.properties."
_KEYS = semconv.KEYS.before(
    Keys(
        session_id=tuple(_PROPERTY + key for key in ("session_id", "thread_id", "chat_id")),
        user_id=(_PROPERTY + "user_id",),
    )
)


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    if kind == "tool":
        return _tool(span)
    step = with_events(span, semconv.spoken_step(span, kind, _KEYS))
    return _flattened(span, step) if kind == "model" else _entity(span, step)


def _kind(span: Span) -> StepKind | None:
    """The operation where there is one, but a task stays a task: CrewAI's are called invoke_agent as well."""
    kind = span.text(KIND)
    if kind == "task":
        return None
    operation = semconv.kind_of(span)
    if operation is not None:
        return operation
    if span.text("gen_ai.operation.name") is None and span.text("llm.request.type") in {"chat", "completion"}:
        return "model"
    return _KINDS.get(kind or "")


def _tool(span: Span) -> Step:
    step = step_of(span, "tool", _KEYS)
    raw = span.first("gen_ai.tool.call.arguments", INPUT)
    args, call_id = langchain_arguments(raw)
    result = tool_message(_once(span.first("gen_ai.tool.call.result", OUTPUT)))
    return replace(
        step,
        tool_name=span.text("gen_ai.tool.name", ENTITY) or span.name.removesuffix(".tool"),
        call_id=step.call_id or call_id or result.call_id,
        args=arguments(call_arguments(args)),
        result=result.text,
        error=step.error or result.error,
    )


def _entity(span: Span, step: Step) -> Step:
    """A workflow or agent says what went in and out as the arguments and result of a function."""
    return replace(
        step,
        agent_name=step.agent_name or (span.text(ENTITY) if step.kind == "agent" else None),
        input=step.input or langchain.state(span.first(INPUT)),
        output=step.output or langchain.state(span.first(OUTPUT)),
        input_text=_asked(span.first(INPUT)),
        output_text=_answered(_once(span.first(OUTPUT))),
    )


def _flattened(span: Span, step: Step) -> Step:
    prompts = tuple(_message(fields) for fields in indexed(span.under("gen_ai.prompt.")))
    completions = tuple(_message(fields) for fields in indexed(span.under("gen_ai.completion.")))
    functions = [
        {**fields, "parameters": as_object(fields.get("parameters"))}
        for fields in indexed(span.under("llm.request.functions."))
    ]
    return replace(
        step,
        input=step.input if step.input is not None else prompts or None,
        output=step.output if step.output is not None else completions or None,
        definitions=step.definitions or definitions(functions),
        finish_reasons=step.finish_reasons or _reasons(span),
    )


def _message(fields: dict[str, Any]) -> Message:
    calls = indexed({key.removeprefix("tool_calls."): v for key, v in fields.items() if key.startswith("tool_calls.")})
    return message(
        {"role": fields.get("role"), **fields, "content": decode_text(fields.get("content")), "tool_calls": calls}
    )


def _reasons(span: Span) -> tuple[str, ...] | None:
    reasons = [fields.get("finish_reason") for fields in indexed(span.under("gen_ai.completion."))]
    return tuple(reason for reason in reasons if isinstance(reason, str)) or None


def _once(value: Any) -> Any:
    """Outputs are always JSON, even texts: one layer is Traceloop's own."""
    if isinstance(value, str) and value[:1] == '"':
        return decode_text(value)
    return value


def _asked(value: Any) -> str | None:
    """What a function was called with: the first text among its arguments."""
    call = as_object(value) or {}
    args, kwargs = call.get("args"), call.get("kwargs")
    candidates = [*(args if isinstance(args, list) else []), *(kwargs.values() if isinstance(kwargs, dict) else [])]
    return next((item for item in candidates if isinstance(item, str)), None)


def _answered(value: Any) -> str | None:
    returned = as_object(value)
    return None if returned is not None and "outputs" in returned else as_text(value)


OPENLLMETRY = Dialect(
    "openllmetry",
    read,
    scopes=("traceloop.tracer",),
    keys=("traceloop.*", "gen_ai.prompt.0.role", "llm.request.type"),
    content="TRACELOOP_TRACE_CONTENT=true",
)
