"""MLflow's SDK: spans with a type, in which every value is JSON, texts included.

With `MLFLOW_ENABLE_OTEL_GENAI_SEMCONV` it translates them to the GenAI keys as it sends them, and the type, where that
has no operation, becomes one. A streamed answer keeps its chunks as events; what the SDK puts together from them has
the text, but not the calls of tools. `mlflow.chat.tools` has lost what MLflow's own model of a schema does not know.

Source: mlflow-skinny 3.17.2 (mlflow/tracing/constant.py, mlflow/entities/span.py, mlflow/openai/autolog.py,
mlflow/langchain/langchain_tracer.py, mlflow/tracing/export/genai_semconv/translator.py)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_count, as_object, as_text
from .shared import semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.second_convention import with_genai
from .shared.traced import read_traced_tool

__all__ = ["DIALECT"]

TYPE, INPUTS, OUTPUTS = "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs"
_OBJECTS = ("metadata", "invocation_params")
_CHUNK = "mlflow.chunk.item."
_KINDS: dict[str, StepKind] = {
    "AGENT": "agent",
    "CHAIN": "workflow",
    "CHAT_MODEL": "model",
    "LLM": "model",
    "RERANKER": "retrieval",
    "RETRIEVER": "retrieval",
    "TASK": "workflow",
    "TOOL": "tool",
    "UNKNOWN": "workflow",
    "WORKFLOW": "workflow",
}
_KEYS = Keys(
    agent_name=("metadata.lc_agent_name",),
    session_id=("session.id", "mlflow.trace.session", "metadata.session_id", "metadata.thread_id"),
    user_id=("user.id", "mlflow.trace.user", "metadata.user_id"),
    provider_name=("mlflow.llm.provider",),
    request_model=("model", "invocation_params.model", "mlflow.llm.model"),
    response_model=("mlflow.llm.model",),
    usage=("mlflow.chat.tokenUsage", "usage", f"{OUTPUTS}.usage"),
    cost_usd=("mlflow.llm.cost",),
    definitions=("tools", "invocation_params.tools", f"{INPUTS}.tools", "mlflow.chat.tools"),
    input_value=(INPUTS,),
    output_value=(OUTPUTS,),
    result=(OUTPUTS,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    opened = replace(span, attributes=_opened(span.attributes))
    kind = _kind(opened)
    if kind is None:
        return None
    step = read_step(opened, kind, _KEYS)
    if kind == "tool":
        return read_traced_tool(opened, step, opened.first(INPUTS))
    return with_genai(span, _model(opened, step)) if kind == "model" else _with_agent_name(span, step)


def _opened(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes with texts unquoted, and with the fields of objects as attributes of their own."""
    opened = {key: _unquoted(value) for key, value in attributes.items()}
    for name in _OBJECTS:
        opened.update({f"{name}.{key}": value for key, value in (as_object(opened.get(name)) or {}).items()})
    if _is_call_of_model(opened):
        for name, field in ((INPUTS, "tools"), (OUTPUTS, "usage")):
            if value := (as_object(opened.get(name)) or {}).get(field):
                opened[f"{name}.{field}"] = value
    return opened


def _is_call_of_model(attributes: Mapping[str, Any]) -> bool:
    return _KINDS.get(str(attributes.get(TYPE))) == "model"


def _unquoted(value: Any) -> Any:
    """Return a quoted text without its quotes; other values stay encoded."""
    if not isinstance(value, str) or value[:1] != '"':
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _kind(span: Span) -> StepKind | None:
    """Return the kind by type; a type of users' own is a step, a chain under an agent's name that agent."""
    span_type = span.text(TYPE)
    if span_type is None:
        return semconv.kind_of(span) or _KINDS.get(span.text(semconv.OPERATION) or "")
    if span_type == "CHAIN" and span.text("metadata.lc_agent_name") == span.name:
        return "agent"
    return _KINDS.get(span_type)


def _with_agent_name(span: Span, step: Step) -> Step:
    """Name an agent, or a run whose outermost span has no type of its own, after the span."""
    is_top = step.kind == "agent" or span.parent_span_id is None
    return step if step.agent_name is not None or not is_top else replace(step, agent_name=span.name)


def _model(span: Span, step: Step) -> Step:
    response = as_object(span.first(OUTPUTS)) or {}
    answer = read_turns(step.output_text, "assistant") if step.output_text is not None else step.output
    question = read_turns(step.input_text, "user") if step.input_text is not None else step.input
    if not any(turn.tool_calls for turn in answer or ()):
        answer = _streamed(span) or answer
    return replace(
        step,
        input=question,
        output=answer,
        input_text=None,
        output_text=None,
        response_id=step.response_id or as_text(response.get("id")),
        finish_reasons=step.finish_reasons or tuple(_reasons(response)) or None,
    )


def _reasons(answer: Mapping[str, Any]) -> Iterator[str]:
    reasons = (choice.get("finish_reason") for choice in _dicts(answer.get("choices")))
    return (reason for reason in reasons if isinstance(reason, str))


def _streamed(span: Span) -> tuple[Message, ...] | None:
    """Return the answer in its chunks, in OpenAI's spelling; None if they call no tool."""
    text, calls = "", dict[int, dict[str, str]]()
    for delta in _deltas(span):
        text += as_text(delta.get("content")) or ""
        for part in _dicts(delta.get("tool_calls")):
            call = calls.setdefault(as_count(part.get("index")) or 0, {"id": "", "name": "", "arguments": ""})
            function = as_object(part.get("function")) or {}
            call["id"] = as_text(part.get("id")) or call["id"]
            call["name"] += as_text(function.get("name")) or ""
            call["arguments"] += as_text(function.get("arguments")) or ""
    if not calls:
        return None
    return (message({"role": "assistant", "content": text, "tool_calls": list(calls.values())}),)


def _deltas(span: Span) -> Iterator[dict[str, Any]]:
    for event in span.events:
        if (event.name or "").startswith(_CHUNK):
            chunk = as_object(event.attributes.get("mlflow.chunk.value")) or {}
            yield from (choice["delta"] for choice in _dicts(chunk.get("choices")) if _is_dict(choice.get("delta")))


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in value if _is_dict(item)) if isinstance(value, list) else iter(())


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


DIALECT = Dialect(
    "mlflow",
    read,
    level="convention",
    scopes=("mlflow.*",),
    keys=(TYPE, INPUTS, OUTPUTS),
    evidence=(Evidence("mlflow-skinny", "3.17", "recording"),),
)
