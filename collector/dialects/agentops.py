"""AgentOps: functions and classes under its decorators, around calls of models with flattened prompts.

A class under `@agent` is a run, its methods are operations and tasks within. Of a call of a model the tools that it
asked for have spans of their own, `tool_call.NAME`; what was carried out is told by the spans of the tools, and with
the id in the prompt of the next call.

Source: agentops 0.4.21 (agentops/semconv, agentops/sdk/decorators, agentops/instrumentation/providers/openai)
"""

from __future__ import annotations

from ..spans.envelopes import call_arguments
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.traced import read_traced_tool

__all__ = ["DIALECT"]

KIND = "agentops.span.kind"
_NAME = ("agentops.entity.name", "agent.name", "operation.name")
_KINDS: dict[str, StepKind] = {
    "session": "workflow",
    "workflow": "workflow",
    "task": "workflow",
    "operation": "workflow",
    "agent": "agent",
    "tool": "tool",
    "llm": "model",
}
_ENTITIES = ("entity", "agent", "task", "operation", "workflow", "session", "tool")
_INPUT, _OUTPUT = (tuple(f"agentops.{entity}.{end}" for entity in _ENTITIES) for end in ("input", "output"))
_ASKED = "tool_call."
_KEYS = semconv.KEYS.before(Keys(finish_reasons=("gen_ai.response.stop_reason",)))


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    if kind == "tool":
        keys = Keys(tool_name=("tool.name", *_NAME), call_id=("tool.call.id",), result=(*_OUTPUT, "tool.result"))
        return read_traced_tool(span, read_step(span, "tool", keys), span.first(*_INPUT, "tool.parameters"))
    if kind == "model":
        return semconv.read_conversation_step(span, "model", _KEYS)
    return _function(span, kind)


def _kind(span: Span) -> StepKind | None:
    kind = _KINDS.get(span.text(KIND) or "")
    if kind is not None:
        return kind
    return None if span.name.startswith(_ASKED) else semconv.kind_of(span)


def _function(span: Span, kind: StepKind) -> Step:
    """Return the step of a function; one without arguments has no input."""
    arguments = span.first(*_INPUT)
    span_without_input = replace(span, attributes={k: v for k, v in span.attributes.items() if k not in _INPUT})
    has_arguments = call_arguments(arguments) not in ({}, None)
    keys = Keys(agent_name=_NAME if kind == "agent" else (), input_value=_INPUT, output_value=_OUTPUT)
    return read_step(span if has_arguments else span_without_input, kind, keys.before(_KEYS))


DIALECT = Dialect(
    "agentops",
    read,
    scopes=("agentops", "agentops.*"),
    keys=("agentops.*",),
    evidence=(Evidence("agentops", "0.4", "recording"),),
)
