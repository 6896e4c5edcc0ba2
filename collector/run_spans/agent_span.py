"""The span of an agent: who it is, and what it was asked and answered; and those of what watched it.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-agent-spans.md)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tracegrade.evaluators.model import AgentTrace, Message

from ..dialects.shared.semconv_keys import DEFINITIONS, INPUT, OPERATION, OUTPUT, SYSTEM
from ..spans.values import NO_AGENT_SPAN, NO_DURATION
from .layout import Layout
from .message_json import join_messages, write_definitions, write_message, write_parts
from .run_ids import RunId, SpanIds
from .span import build_span
from .times import Period, to_ns

__all__ = ["build_agent_span", "build_guardrail_spans", "build_handoff_span", "has_cost_of_calls", "split_instructions"]

_INVOKE: Final = "invoke_agent"
_GUARD: Final = "apply_guardrail"


def build_agent_span(
    run: AgentTrace, run_id: RunId, *, period: Period, layout: Layout, parent: str | None, is_remote: bool
) -> Span:
    """Return the span that stands for a run, below the span `parent`, which may be one that is not written."""
    gaps = [gap for gap in run.gaps if gap != NO_DURATION]
    if any(call.status is None for call in run.tool_calls):
        gaps.append(NO_AGENT_SPAN)  # else a call without a result counts as one that was not executed
    return build_span(
        _name(run),
        run_id,
        period=period,
        attributes={**_identity(run), **_messages(layout), **_totals(run)},
        parent=parent,
        is_remote=is_remote,
        error=run.error,
        interrupt=run.interrupt,
        gaps=gaps,
    )


def build_handoff_span(target: str | None, span_id: RunId, *, start_ns: int, parent: str) -> Span:
    """Return the span of a hand-over to a sub-agent, which separates its run from that of an agent of the same name."""
    return build_span(
        "handoff" if target is None else f"handoff {target}",
        span_id,
        period=Period(start_ns, start_ns, is_measured=True),
        attributes={OPERATION: "handoff", "gen_ai.transfer.target.name": target},
        parent=parent,
    )


def build_guardrail_spans(run: AgentTrace, run_id: RunId, *, start_ns: int, span_ids: SpanIds) -> list[Span]:
    """Return a span for each decision of a guardrail; one without a time is made at `start_ns`."""
    spans: list[Span] = []
    for position, guardrail in enumerate(run.guardrails or ()):
        at_ns = to_ns(guardrail.time) or start_ns
        span = build_span(
            f"{_GUARD} {guardrail.name}",
            RunId(run_id.trace_id, span_ids.take(guardrail.span_id, run_id, "guardrail", position)),
            period=Period(at_ns, at_ns, is_measured=True),
            attributes={
                OPERATION: _GUARD,
                "gen_ai.security.guardrail.name": guardrail.name,
                "gen_ai.security.verdict.type": guardrail.decision,
                "gen_ai.security.verdict.reason": guardrail.reason,
                "gen_ai.security.target.type": guardrail.target,
            },
            parent=run_id.span_id,
        )
        spans.append(span)
    return spans


def split_instructions(messages: Sequence[Message]) -> int:
    """Return how many of the first messages are system instructions: one, or none if the next one repeats it."""
    if not messages or messages[0].role != "system" or messages[0].name is not None:
        return 0
    return 0 if len(messages) > 1 and _content(messages[1]) == _content(messages[0]) else 1


def _content(message: Message) -> tuple[object, ...]:
    return message.role, message.name, message.parts


def _name(run: AgentTrace) -> str:
    """Return the name of the span: that of the operation, except where assembly would take it for the agent's."""
    if run.agent_name is not None:
        return f"{_INVOKE} {run.agent_name}"
    only_hands_over = not run.llm_calls and all(call.child_agent_trace_id is not None for call in run.tool_calls)
    return "" if only_hands_over else _INVOKE


def _identity(run: AgentTrace) -> Mapping[str, Any]:
    definitions = run.tool_definitions
    return {
        OPERATION: _INVOKE,
        "gen_ai.agent.name": run.agent_name,
        "gen_ai.agent.id": run.agent_id,
        "gen_ai.agent.version": run.agent_version,
        "gen_ai.conversation.id": run.session_id,
        "user.id": run.user_id,
        DEFINITIONS: None if definitions is None else write_definitions(definitions),
    }


def _messages(layout: Layout) -> Mapping[str, Any]:
    first = split_instructions(layout.input)
    asked, answered = layout.input[first:], layout.output
    return {
        SYSTEM: write_parts(layout.input[0]) if first else None,
        INPUT: join_messages(map(write_message, asked)) if asked else None,
        OUTPUT: join_messages(map(write_message, answered)) if answered else None,
    }


def _totals(run: AgentTrace) -> Mapping[str, Any]:
    """Return the values of the whole run that its model calls do not have."""
    calls = run.llm_calls
    totals: dict[str, Any] = {}
    if not any(call.input_tokens is not None or call.output_tokens is not None for call in calls):
        totals["gen_ai.usage.input_tokens"] = run.input_tokens
        totals["gen_ai.usage.output_tokens"] = run.output_tokens
        totals["gen_ai.usage.cache_read.input_tokens"] = run.cached_input_tokens
    if not any(call.model or call.request_model or call.response_model for call in calls):
        totals["gen_ai.request.model"] = run.model
    if not calls:
        totals["gen_ai.provider.name"] = run.provider_name
    if not has_cost_of_calls(run):
        totals["gen_ai.usage.cost"] = run.cost_usd
    return totals


def has_cost_of_calls(run: AgentTrace) -> bool:
    """Return whether the costs of the model calls add up to that of the run."""
    costs = [call.cost_usd for call in run.llm_calls if call.cost_usd is not None]
    return bool(costs) and sum(costs) == run.cost_usd
