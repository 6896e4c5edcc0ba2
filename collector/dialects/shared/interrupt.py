"""Marks steps that wait for a person's answer, in the spellings of all dialects."""

from __future__ import annotations

from collections.abc import Iterator

from tracegrade.evaluators.model import GenericPart, Message

from ...spans.control_flow import question_of_graph
from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import as_object, decode_text

__all__ = ["with_interrupt"]

_REQUESTS = frozenset(
    {
        "approval_request",
        "function_approval_request",
        "mcp_approval_request",
        "tool-approval-request",
        "tool_approval_request",
        "user_input_request",
    }
)
"""Parts by which a run asks for approval: the Agent Framework, hosted MCP at OpenAI, the Vercel AI SDK."""

_NAMES = ("name", "toolName", "tool_name")
_CALLS = ("function_call", "toolCall", "tool_call")
_OUTPUTS = ("output.value", "traceloop.entity.output", "langfuse.observation.output", "gen_ai.completion")
"""Where instrumentations of LangGraph write what a graph gave back, as JSON."""


_UNCONFIRMED = "This tool call requires confirmation, please approve or reject."
"""How Google's ADK answers a call that awaits a confirmation, in the spans of all that trace it."""
_INTERRUPTED = "langgraph.interrupt"
"""traceAI marks the node and the graph that stopped, without a question."""
_PENDING = "agentscope.agent.hitl_pending_tools"
"""AgentScope lists the tools that wait for a permission, or to be executed elsewhere."""


def with_interrupt(span: Span, step: Step) -> Step:
    """Return `step` with its question, and without an error that is control flow; "" for an unknown question."""
    signal = span.signal
    if signal is not None:
        question = signal.question or step.interrupt or step.tool_name or ""
        return replace(step, error=None, interrupt=question if signal.waits else step.interrupt)
    if step.kind == "tool" and step.result is not None and _UNCONFIRMED in step.result and _is_unconfirmed(step):
        return replace(step, result=None, error=None, interrupt=step.tool_name)
    if step.interrupt is not None or step.kind == "tool":
        return step
    if step.kind != "model" and (stated := _find_statement(span)) is not None:
        return replace(step, interrupt=stated)
    request = _find_approvals(step.output) if step.output else None
    if request is None and step.kind != "model":
        request = next((text for key in _OUTPUTS if (text := question_of_graph(span.first(key))) is not None), None)
    return step if request is None else replace(step, interrupt=request)


def _is_unconfirmed(step: Step) -> bool:
    return (as_object(step.result) or {}).get("error") == _UNCONFIRMED


def _find_statement(span: Span) -> str | None:
    """Return what an attribute says the run waits for; "" if it only says that it waits."""
    pending = decode_text(span.first(_PENDING))
    if isinstance(pending, list) and pending:
        return ", ".join(map(str, pending))
    return "" if span.first(_INTERRUPTED) is True else None


def _find_approvals(output: tuple[Message, ...]) -> str | None:
    """Return the tools for which the last message requests approval."""
    requests = [part for part in output[-1].parts if isinstance(part, GenericPart) and part.kind in _REQUESTS]
    return ", ".join(dict.fromkeys(name for part in requests for name in _tool_of(part))) if requests else None


def _tool_of(part: GenericPart) -> Iterator[str]:
    call = next((fields for key in _CALLS if (fields := as_object(part.content.get(key)))), part.content)
    name = next((name for key in _NAMES if isinstance(name := call.get(key), str) and name), None)
    if name is not None:
        yield name
