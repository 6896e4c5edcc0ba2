"""What the keys of the GenAI semantic conventions mean, for every dialect that writes some of them.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..span import Span
from ..step import Step, StepKind
from ..values import decode_text
from .keys import Keys, step_of
from .prompts import has_prompts, with_prompts
from .semconv_events import has_events

__all__ = ["CONTRADICTORY", "KEYS", "agreed", "kind_of", "read", "spoken_step"]

OPERATION = "gen_ai.operation.name"
SYSTEM = "gen_ai.system_instructions"
INPUT = "gen_ai.input.messages"
OUTPUT = "gen_ai.output.messages"
DEFINITIONS = "gen_ai.tool.definitions"
DETAILS = "gen_ai.client.inference.operation.details"

KEYS = Keys(
    agent_name=("gen_ai.agent.name",),
    agent_id=("gen_ai.agent.id",),
    agent_version=("gen_ai.agent.version",),
    session_id=("langfuse.session.id", "session.id", "thread_id", "gen_ai.conversation.id"),
    user_id=(
        "langfuse.user.id",
        "user.id",
        "enduser.id",
        "enduser.pseudo.id",
        "gen_ai.user",
        "gen_ai.request.user",
        "posthog.distinct_id",
    ),
    run_id=("gen_ai.agent.call.id",),
    provider_name=("gen_ai.provider.name", "gen_ai.system"),
    request_model=("gen_ai.request.model",),
    response_model=("gen_ai.response.model",),
    response_id=("gen_ai.response.id",),
    finish_reasons=("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason"),
    time_to_first_token_s=("gen_ai.response.time_to_first_chunk",),
    input_tokens=("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"),
    output_tokens=("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"),
    cached_input_tokens=(
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.cached_input_tokens",
        "gen_ai.usage.input_tokens.cached",
    ),
    reasoning_tokens=(
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.output_tokens.reasoning",
    ),
    cost_usd=("gen_ai.usage.cost", "gen_ai.usage.total_cost", "gen_ai.cost.total_cost"),
    instructions=(SYSTEM,),
    input=(INPUT,),
    output=(OUTPUT,),
    definitions=(DEFINITIONS,),
    tool_name=("gen_ai.tool.name",),
    call_id=("gen_ai.tool.call.id",),
    args=("gen_ai.tool.call.arguments",),
    result=("gen_ai.tool.call.result",),
    target=("gen_ai.transfer.target.name",),
)

_KINDS: dict[str, StepKind | None] = {
    "chat": "model",
    "text_completion": "model",
    "completion": "model",
    "generate_content": "model",
    "generate": "model",
    "response": "model",
    "responses": "model",
    "fetch_response": "model",
    "invoke_agent": "agent",
    "create_agent": None,
    "invoke_workflow": "workflow",
    "invoke_swarm": "workflow",
    "invoke_graph": "workflow",
    "execute_tool": "tool",
    "handoff": "handoff",
    "retrieval": "retrieval",
    "retrieve": "retrieval",
    "rerank": "retrieval",
    "embeddings": None,
    "plan": None,
}

_TELLING = frozenset(
    {
        INPUT,
        OUTPUT,
        "gen_ai.response.id",
        *KEYS.input_tokens,
        *KEYS.output_tokens,
        *KEYS.cached_input_tokens,
    }
)
"""What only a call of a model has, also where no operation is named."""

_ADDED = frozenset({DEFINITIONS})
"""What an event is read for even where the span has some: one of them may name the tools only."""

CONTRADICTORY = "contradictory_kinds"
_APART = frozenset({"agent", "model", "tool"})

_MERGED = "(merged tools)"
"""What Google's ADK calls a span that only repeats the tools that ran side by side."""


def kind_of(span: Span) -> StepKind | None:
    """The step's kind by its operation, else by what only a tool or a model call carries."""
    operation = span.text(OPERATION)
    if operation in _KINDS:
        return _KINDS[operation]
    if operation is not None:
        return None
    if span.text("gen_ai.tool.name"):
        return "tool"
    return "model" if _is_model_call(span) else None


def _is_model_call(span: Span) -> bool:
    """Whether a span without an operation has tokens or messages, and is not one of embeddings.

    Log records alone do not make it one: they may belong to a call within it.
    """
    has_some = not _TELLING.isdisjoint(span.attributes) or has_prompts(span) or _has_message_events(span)
    return has_some and not _is_of_vectors(span)


def _has_message_events(span: Span) -> bool:
    if not span.events:
        return False
    own = replace(span, events=tuple(event for event in span.events if not event.is_log))
    return has_events(own) or any(own.named(DETAILS))


def _is_of_vectors(span: Span) -> bool:
    request = span.text("llm.request.type", "gen_ai.request.type") or span.name.lower()
    return "embed" in request or "rerank" in request


def agreed(step: Step, other: StepKind | None) -> Step:
    """`step`, with a gap where the span also says that it is quite another thing."""
    is_contradicted = other in _APART and step.kind in _APART and other != step.kind
    return replace(step, gaps=(*step.gaps, CONTRADICTORY)) if is_contradicted else step


def read(span: Span, keys: Keys = KEYS) -> Step | None:
    """The step that the span's `gen_ai.*` keys record, whatever else it carries; `keys` may know more of them."""
    kind = kind_of(span)
    if kind is None:
        return None
    if kind != "tool":
        return spoken_step(span, kind, keys)
    step = _named(step_of(span, "tool", keys), span)
    return step if step.tool_name and step.tool_name != _MERGED else None


def spoken_step(span: Span, kind: StepKind, keys: Keys = KEYS) -> Step:
    """An agent run, workflow or model call, with what its events tell of the conversation."""
    step = step_of(_detailed(span), kind, keys)
    if kind == "model" and (step.input is None or step.output is None) and has_prompts(span):
        step = with_prompts(span, step)
    if step.agent_name is not None or not (name := _agent_in_name(span)):
        return step
    return replace(step, agent_name=name)


def _named(step: Step, span: Span) -> Step:
    if step.tool_name is not None:
        return step
    return replace(step, tool_name=span.name.removeprefix("execute_tool ").removeprefix("running tool: "))


def _agent_in_name(span: Span) -> str | None:
    prefix, _, name = span.name.partition(" ")
    return name.strip() or None if prefix == "invoke_agent" else None


def _detailed(span: Span) -> Span:
    """The span with the content of its events among its attributes; each event may carry a part of it."""
    if not span.events:
        return span
    found: dict[str, Any] = {}
    for event in span.named(DETAILS):
        for key in (SYSTEM, INPUT, OUTPUT, DEFINITIONS):
            own, told = span.first(key), event.attributes.get(key)
            if told is not None and (own is None or key in _ADDED):
                found[key] = [*found.get(key, _listed(own)), *_listed(told)]
    return replace(span, attributes={**span.attributes, **found}) if found else span


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    decoded = decode_text(value)
    return decoded if isinstance(decoded, list) else [decoded]
