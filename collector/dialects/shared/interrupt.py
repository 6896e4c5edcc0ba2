"""What a step waits for, where an instrumentation recorded that a person has to answer first: for every dialect."""

from __future__ import annotations

from collections.abc import Iterator

from tracegrade.evaluators.model import GenericPart, Message

from ...spans.control_flow import question_of_graph
from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import as_object

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


def with_interrupt(span: Span, step: Step) -> Step:
    """`step` without the error that only is control flow, and with what it waits for; "" where nothing says what."""
    signal = span.signal
    if signal is not None:
        reason = signal.question or step.interrupt or step.tool_name or ""
        return replace(step, error=None, interrupt=reason if signal.waits else step.interrupt)
    if step.interrupt is not None or step.kind == "tool":
        return step
    question = _requested(step.output) if step.output else None
    if question is None and step.kind != "model":
        question = next((text for key in _OUTPUTS if (text := question_of_graph(span.first(key))) is not None), None)
    return step if question is None else replace(step, interrupt=question)


def _requested(output: tuple[Message, ...]) -> str | None:
    """The tools that the last message asks approval for."""
    requests = [part for part in output[-1].parts if isinstance(part, GenericPart) and part.kind in _REQUESTS]
    return ", ".join(dict.fromkeys(name for part in requests for name in _tool_of(part))) if requests else None


def _tool_of(part: GenericPart) -> Iterator[str]:
    call = next((fields for key in _CALLS if (fields := as_object(part.content.get(key)))), part.content)
    name = next((name for key in _NAMES if isinstance(name := call.get(key), str) and name), None)
    if name is not None:
        yield name
