"""The kind of a step by the GenAI semantic conventions.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

from __future__ import annotations

from functools import lru_cache

from ...spans.frozen import replace
from ...spans.span import Shape, Span
from ...spans.step import Step, StepKind
from .prompts import is_prompt, is_prompt_event
from .semconv_keys import DETAILS, INPUT, OPERATION, OUTPUT

__all__ = ["SPAN_KIND", "kind_of", "mark_contradiction"]

_KINDS: dict[str, StepKind | None] = {
    "chat": "model",
    "text_completion": "model",
    "completion": "model",
    "generate_content": "model",
    "generate": "model",
    "response": "model",
    "responses": "model",
    "llm_call": "model",
    "llm_request": "model",
    "model_request": "model",
    "invoke_agent": "agent",
    "agent_call": "agent",
    "invoke_workflow": "workflow",
    "invoke_swarm": "workflow",
    "invoke_graph": "workflow",
    "execute_tool": "tool",
    "tool_call": "tool",
    "handoff": "handoff",
    "fetch_response": "fetch",
    "plan": "plan",
    "retrieval": "retrieval",
    "retrieve": "retrieval",
    "rerank": "retrieval",
    "vector_db_retrieve": "retrieval",
    **dict.fromkeys(
        (
            "agent_step",
            "compact_events",
            "create_agent",
            "embeddings",
            "execute_event_loop_cycle",
            "execute_step",
            "execute_task",
            "framework",
            "invoke_node",
        )
    ),
}
"""The operations of the conventions and of their extensions; None for those that only give structure."""

SPAN_KIND = "gen_ai.span.kind"
_SPAN_KINDS: dict[str | None, StepKind | None] = {
    "AGENT": "agent",
    "CHAIN": "workflow",
    "EMBEDDING": None,
    "ENTRY": "workflow",
    "LLM": "model",
    "MEMORY": None,
    "RERANKER": "retrieval",
    "RETRIEVER": "retrieval",
    "STEP": None,
    "TASK": None,
    "TOOL": "tool",
}
"""Kinds that LoongSuite and Dify write beside the operation or instead of it (loongsuite-util-genai 0.5)."""

_MEMORY = ("_memory", "_memory_store")
"""Suffixes of the operations on an agent's memory."""
_SEARCHES = ("search_", "retrieve_", "get_")
"""Beginnings of those that read it, which are retrieval."""

_MODELS = ("gen_ai.request.model", "gen_ai.response.model")
_INFERENCE_KEYS = frozenset({INPUT, OUTPUT, "gen_ai.response.id"})
_INFERENCE_EVENTS = frozenset(
    {
        DETAILS,
        "gen_ai.assistant.message",
        "gen_ai.choice",
        "gen_ai.system.message",
        "gen_ai.tool.message",
        "gen_ai.user.message",
    }
)
"""Events of an inference whose span names no operation."""

_CONTRADICTORY = "contradictory_kinds"
_APART = frozenset({"agent", "model", "tool"})


def kind_of(span: Span) -> StepKind | None:
    """Return the step's kind by its operation, else by attributes that only one kind of step has."""
    operation = span.text(OPERATION)
    if operation in _KINDS:
        return _KINDS[operation]
    if operation is not None and operation.endswith(_MEMORY):
        return "retrieval" if operation.startswith(_SEARCHES) else None
    span_kind = span.text(SPAN_KIND)
    if span_kind in _SPAN_KINDS:
        return _SPAN_KINDS[span_kind]
    if span.text("gen_ai.tool.name"):
        return "tool"
    return _inference_kind(span, is_named=operation is not None)


def _inference_kind(span: Span, *, is_named: bool) -> StepKind | None:
    """Return the kind of a span with attributes of an inference; one with an unknown operation also needs a model."""
    if not (_has_inference_keys(span.shape) or _has_inference_events(span)) or _is_of_vectors(span):
        return None
    if span.text(*_MODELS) is not None:
        return "model"
    if is_named:
        return None
    return "model" if span.text("gen_ai.agent.name") is None else "agent"


def _has_inference_events(span: Span) -> bool:
    """Return whether the span has an event of an inference; log records may belong to a call within it."""
    events = [event for event in span.events if not event.is_log] if span.events else []
    return any(event.name in _INFERENCE_EVENTS or is_prompt_event(event.name) for event in events)


def _is_of_vectors(span: Span) -> bool:
    request = span.text("llm.request.type", "gen_ai.request.type") or span.name.lower()
    return "embed" in request or "rerank" in request


@lru_cache(maxsize=4096)
def _has_inference_keys(shape: Shape) -> bool:
    """Return whether any of the attributes only occurs on an inference."""
    return any(key in _INFERENCE_KEYS or key.startswith("gen_ai.usage.") or is_prompt(key) for key in shape)


def mark_contradiction(step: Step, other_kind: StepKind | None) -> Step:
    """Return `step`, with a gap if the span also has the kind of another one."""
    is_contradicted = other_kind in _APART and step.kind in _APART and other_kind != step.kind
    return replace(step, gaps=(*step.gaps, _CONTRADICTORY)) if is_contradicted else step
