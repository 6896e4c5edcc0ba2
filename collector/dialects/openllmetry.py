"""OpenLLMetry (Traceloop): `traceloop.*` around GenAI keys; before 0.5x with flattened `gen_ai.prompt.N.*`.

Source: opentelemetry-instrumentation-* 0.40 to 0.62 (https://github.com/traceloop/openllmetry)
"""

from __future__ import annotations

from typing import Any

from ..spans.envelopes import call_arguments, langchain_arguments, tool_message
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, as_text, decode_text
from .shared import langchain, openai_agents, semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.parts import read_arguments
from .shared.prompts import with_prompts
from .shared.semconv_events import with_events

__all__ = ["DIALECT"]

KIND = "traceloop.span.kind"
ENTITY, INPUT, OUTPUT = "traceloop.entity.name", "traceloop.entity.input", "traceloop.entity.output"
_KINDS: dict[str, StepKind] = {"workflow": "workflow", "agent": "agent", "tool": "tool", "handoff": "handoff"}
_PROPERTY = "traceloop.association.properties."
_KEYS = semconv.KEYS.before(
    Keys(
        session_id=tuple(
            _PROPERTY + key
            for key in (
                "session_id",
                "session.id",
                "sessionId",
                "conversation_id",
                "thread_id",
                "threadId",
                "chat_id",
                "chatId",
            )
        ),
        user_id=tuple(_PROPERTY + key for key in ("user_id", "user.id", "userId")),
        finish_reasons=("llm.response.finish_reason", "llm.response.stop_reason"),
    )
)
_UNNAMED_GRAPH = "LangGraph"


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    return semconv.mark_contradiction(_step(span, kind), _KINDS.get(span.text(KIND) or ""))


def _step(span: Span, kind: StepKind) -> Step:
    if kind == "tool":
        return _tool(span)
    step = with_events(span, semconv.read_conversation_step(span, kind, _KEYS))
    return with_prompts(span, step) if kind == "model" else _entity(span, step)


def _kind(span: Span) -> StepKind | None:
    """Return the operation if there is one; a task stays a task, although CrewAI's are named invoke_agent as well."""
    kind = span.text(KIND)
    if _is_named_agent(span):
        return "agent"
    if kind == "task":
        return None
    operation = semconv.kind_of(span)
    if operation is not None:
        return operation
    if span.text("gen_ai.operation.name") is None and span.text("llm.request.type") in {"chat", "completion"}:
        return "model"
    return _KINDS.get(kind or "")


def _is_named_agent(span: Span) -> bool:
    """Return whether LangChain marks the chain in this span as an agent; spans with operations record it there."""
    name = span.text(_PROPERTY + "lc_agent_name")
    return name is not None and name == span.text(ENTITY) and span.text(semconv.OPERATION) is None


def _tool(span: Span) -> Step:
    step = read_step(span, "tool", _KEYS)
    raw = span.first("gen_ai.tool.call.arguments", INPUT)
    args, call_id = langchain_arguments(raw)
    result = tool_message(_once(span.first("gen_ai.tool.call.result", OUTPUT)))
    return replace(
        step,
        tool_name=span.text("gen_ai.tool.name", ENTITY) or span.name.removesuffix(".tool"),
        call_id=step.call_id or call_id or result.call_id,
        args=read_arguments(call_arguments(args)),
        result=result.text,
        error=step.error or result.error,
    )


def _entity(span: Span, step: Step) -> Step:
    """Return a workflow or agent, whose input and output are arguments and result of a function."""
    inputs, outputs = span.first(INPUT), span.first(OUTPUT)
    output = step.output or langchain.read_state(outputs)
    is_graph = step.kind == "workflow" and _is_graph(span, outputs, output)
    kind = "agent" if is_graph else step.kind
    return replace(
        step,
        kind=kind,
        agent_name=step.agent_name or (_name_of_entity(span) if kind == "agent" else None),
        input=step.input or langchain.read_state(inputs),
        output=output,
        input_text=_find_question(inputs),
        output_text=_answered(_once(outputs)),
    )


def _is_graph(span: Span, gave: Any, state: Any) -> bool:
    """Return whether this is the outermost run of a graph, by LangChain's metadata or by the graph's state."""
    if span.text(semconv.OPERATION) is not None:
        return False
    is_said = span.text(_PROPERTY + "ls_integration") == "langgraph"
    return is_said or (state is not None and "outputs" in (as_object(gave) or ()))


def _name_of_entity(span: Span) -> str | None:
    name = span.text(ENTITY)
    return None if name == _UNNAMED_GRAPH else name


def _once(value: Any) -> Any:
    """Return outputs without the layer of JSON that Traceloop adds even to texts."""
    if isinstance(value, str) and value[:1] == '"':
        return decode_text(value)
    return value


def _find_question(value: Any) -> str | None:
    """Return the first text among the arguments of a function. A callback's `kwargs` are not arguments."""
    call = as_object(value) or {}
    if "inputs" in call:
        return None
    args, kwargs = call.get("args"), call.get("kwargs")
    candidates = [*(args if isinstance(args, list) else []), *(kwargs.values() if isinstance(kwargs, dict) else [])]
    return next((item for item in candidates if isinstance(item, str)), None)


def _answered(value: Any) -> str | None:
    returned = as_object(value)
    return None if returned is not None and "outputs" in returned else as_text(value)


DIALECT = Dialect(
    "openllmetry",
    read,
    level="convention",
    scopes=("traceloop.tracer",),
    keys=("traceloop.*", "gen_ai.prompt.0.role", "llm.request.type"),
    content="TRACELOOP_TRACE_CONTENT=true",
    unrecorded=openai_agents.UNRECORDED,
    evidence=(Evidence("opentelemetry-instrumentation-* by Traceloop", "0.40 to 0.62", "recording"),),
)
