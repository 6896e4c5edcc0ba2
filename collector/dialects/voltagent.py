"""VoltAgent: keys of its own, `entity.*`, `span.type` and plain `input` and `output`.

The span of a model covers the whole loop of an agent: it has the messages that the loop began with, and the tokens of
its last step alone. The agent has the tokens of all steps, and the answer. In spans of a sub-agent `entity.name` is the
name of the agent that called it. The parameters of tools are recorded as Zod's inner definition, not as JSON Schema.

Source: @voltagent/core 2.10 (dist/index.mjs)
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import ToolDefinition

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import NO_USAGE, Step, StepKind
from ..spans.values import as_object, as_text
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

TYPE, ENTITY = "span.type", "entity.type"
_KINDS: dict[str, StepKind] = {"agent": "agent", "llm": "model", "tool": "tool", "retriever": "retrieval"}
_ENTITIES: dict[str, StepKind] = {"agent": "agent", "workflow": "workflow"}
_KEYS = Keys(
    agent_name=("subagent.name", "entity.name"),
    agent_id=("subagent.id", "entity.id"),
    session_id=("conversation.id", "voltagent.conversation_id"),
    user_id=("user.id",),
    run_id=("operation.id", "voltagent.operation_id"),
    provider_name=("llm.provider", "ai.model.provider"),
    request_model=("llm.model", "ai.model.name"),
    finish_reasons=("llm.finish_reason", "ai.response.finish_reason"),
    input_tokens=("usage.prompt_tokens",),
    output_tokens=("usage.completion_tokens",),
    cached_input_tokens=("usage.cached_tokens",),
    reasoning_tokens=("usage.reasoning_tokens",),
    cost_usd=("usage.cost",),
    input_value=("input", "agent.messages"),
    output_value=("output",),
    tool_name=("tool.name",),
    call_id=("tool.call.id",),
    args=("input",),
    result=("output",),
)
_DESCRIBED = ("name", "description")
"""What is read of a tool: its parameters are no JSON Schema."""
_LOOP = replace(
    _KEYS,
    input_value=("llm.messages",),
    input_tokens=("llm.usage.prompt_tokens",),
    output_tokens=("llm.usage.completion_tokens",),
)


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    step = read_step(span, kind, _LOOP if kind == "model" else _KEYS)
    if kind == "tool":
        return replace(step, tool_name=step.tool_name or span.name.removeprefix("tool.execution:"))
    if kind == "model":
        usage = NO_USAGE if span.parent_span_id else step.usage
        return replace(step, usage=usage, definitions=_read_tool_names(span.text("llm.tools")))
    return _read_agent(span, step) if kind == "agent" else step


def _read_agent(span: Span, step: Step) -> Step:
    """Return the run of an agent. One that stopped with calls waits for their approval, if a tool needs one."""
    tools, reasons = _list_tools(span), step.finish_reasons or ()
    approvals = [name for tool in tools if tool.get("needsApproval") is True and (name := as_text(tool["name"]))]
    is_waiting = "tool-calls" in reasons and not step.output_text and step.output is None and bool(approvals)
    is_empty = "stop" in reasons and span.attributes.get("output") == ""
    return replace(
        step,
        definitions=read_definitions([{key: tool.get(key) for key in _DESCRIBED} for tool in tools]),
        interrupt=", ".join(approvals) if is_waiting else None,
        output_text="" if is_empty else step.output_text,
    )


def _kind(span: Span) -> StepKind | None:
    """Return the kind by type; all spans of an agent's work name the agent, only its own has no type."""
    kind = span.text(TYPE)
    return _KINDS.get(kind) if kind is not None else _ENTITIES.get(span.text(ENTITY) or "")


def _list_tools(span: Span) -> list[dict[str, Any]]:
    """Return the tools in the state of the agent that its span has."""
    tools = (as_object(span.first("agent.stateSnapshot")) or {}).get("tools")
    return [tool for tool in tools if isinstance(tool, dict) and "name" in tool] if isinstance(tools, list) else []


def _read_tool_names(names: str | None) -> tuple[ToolDefinition, ...] | None:
    return read_definitions([{"name": name.strip()} for name in names.split(",")]) if names else None


DIALECT = Dialect(
    "voltagent",
    read,
    scopes=("@voltagent/core",),
    keys=("voltagent.*", "agent.messages", "llm.messages"),
    evidence=(Evidence("@voltagent/core", "2.10", "recording"),),
)
