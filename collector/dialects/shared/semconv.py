"""What the keys of the GenAI semantic conventions mean, for every dialect that writes some of them.

Sentry wrote some of them under names of its own before it took those of the conventions. Applications that write the
spans themselves put content under `input` and `output`, and count what was cached under several names.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai), sentry-sdk 2.30 to 2.75
(sentry_sdk/consts.py)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...spans.frozen import replace
from ...spans.span import Shape, Span
from ...spans.step import Step, StepKind
from ...spans.values import decode_text
from .answer_texts import with_answer
from .dialect import Remedy
from .keys import Keys, step_of
from .prompts import has_prompts, is_prompt, is_prompt_event, with_prompts
from .spoken import said
from .tool_messages import with_messages

__all__ = [
    "CONTRADICTORY",
    "KEYS",
    "PLATFORM_USERS",
    "REMEDIES",
    "SESSIONS",
    "SPAN_KIND",
    "agreed",
    "kind_of",
    "read",
    "spoken_step",
]

OPERATION = "gen_ai.operation.name"
SYSTEM = "gen_ai.system_instructions"
INPUT = "gen_ai.input.messages"
OUTPUT = "gen_ai.output.messages"
DEFINITIONS = "gen_ai.tool.definitions"
DETAILS = "gen_ai.client.inference.operation.details"

_PLATFORM_SESSIONS = (
    "confident.trace.thread_id",
    "keywordsai.threads.thread_identifier",
    "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id",
    "langwatch.thread.id",
    "mlflow.trace.session",
    "respan.threads.thread_identifier",
    "traceloop.association.properties.session_id",
    "traceroot.trace.session_id",
    "wandb.thread_id",
)
PLATFORM_USERS = (
    "confident.trace.user_id",
    "keywordsai.customer_params.customer_identifier",
    "langsmith.metadata.user_id",
    "langwatch.user.id",
    "mlflow.trace.user",
    "respan.customer_params.customer_identifier",
    "traceloop.association.properties.user_id",
    "traceroot.trace.user_id",
)
"""What the platforms have applications write on spans of any instrumentation, beside what the conventions have."""

SESSIONS = ("langfuse.session.id", "session.id", "thread_id", *_PLATFORM_SESSIONS)
"""The sessions that an application chose, whatever its framework takes for one."""

KEYS = Keys(
    agent_name=("gen_ai.agent.name",),
    agent_id=("gen_ai.agent.id",),
    agent_version=("gen_ai.agent.version",),
    session_id=(*SESSIONS, "gen_ai.conversation.id", "gen_ai.session.id", "gen_ai.thread.id", "honeyhive.session_id"),
    user_id=(
        "langfuse.user.id",
        "user.id",
        "enduser.id",
        "enduser.pseudo.id",
        "gen_ai.user",
        "gen_ai.user.id",
        "gen_ai.request.user",
        "posthog.distinct_id",
        *PLATFORM_USERS,
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
        "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.input_tokens.cached",
        "gen_ai.usage.input_tokens.cache_read",
        "gen_ai.usage.cache_read_tokens",
        "gen_ai.usage.input_cached_tokens",
        "gen_ai.usage.cached_tokens",
    ),
    cache_write_input_tokens=(
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write_input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.details.cache_write_tokens",
        "gen_ai.usage.input_tokens.cache_write",
        "gen_ai.usage.cache_write_tokens",
        "gen_ai.usage.cache_creation_tokens",
        "gen_ai.usage.input_cache_creation",
    ),
    audio_input_tokens=("gen_ai.usage.audio.input_tokens", "gen_ai.usage.details.input_audio_tokens"),
    reasoning_tokens=(
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "gen_ai.usage.output_tokens.reasoning",
        "gen_ai.usage.output_reasoning_tokens",
    ),
    audio_output_tokens=("gen_ai.usage.audio.output_tokens", "gen_ai.usage.details.output_audio_tokens"),
    cost_usd=(
        "gen_ai.usage.cost",
        "gen_ai.usage.total_cost",
        "gen_ai.cost.total_cost",
        "gen_ai.cost.total",
        "gen_ai.usage.cost_usd",
    ),
    instructions=(SYSTEM,),
    input=(INPUT,),
    output=(OUTPUT,),
    given=("gen_ai.request.messages", "gen_ai.agent.input", "input.value", "input"),
    gave=("gen_ai.agent.output", "output.value", "output"),
    definitions=(DEFINITIONS, "gen_ai.request.available_tools", "gen_ai.request.tools", "gen_ai.agent.tools"),
    tool_name=("gen_ai.tool.name",),
    call_id=("gen_ai.tool.call.id",),
    args=("gen_ai.tool.call.arguments", "gen_ai.tool.input", "gen_ai.tool.arguments", "input.value", "input"),
    result=(
        "gen_ai.tool.call.result",
        "gen_ai.tool.output",
        "gen_ai.tool.result",
        "gen_ai.tool.response",
        "output.value",
        "output",
    ),
    target=("gen_ai.transfer.target.name",),
)

_OPENAI_V2 = "opentelemetry.instrumentation.openai_v2"
_AS_EVENTS = (
    "turn on content: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, and export logs too "
    "(OTEL_LOGS_EXPORTER=otlp): this package sends content as log events. From version 2.4 on, "
    "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental with ..._CONTENT=SPAN_ONLY puts it into the spans"
)

REMEDIES = tuple(
    Remedy(gap, _OPENAI_V2, _AS_EVENTS)
    for gap in ("content_not_captured", "tool_arguments_not_captured", "tool_results_not_captured")
)
"""What helps with packages that follow the conventions and take other settings than most.

Source: opentelemetry-instrumentation-openai-v2 2.1b0 to 2.4b0 (utils.py, `is_content_enabled`)
"""

_KINDS: dict[str, StepKind | None] = {
    "chat": "model",
    "text_completion": "model",
    "completion": "model",
    "generate_content": "model",
    "generate": "model",
    "response": "model",
    "responses": "model",
    "fetch_response": "model",
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
            "plan",
        )
    ),
}
"""The operations of the convention and of those who extend it; None for what only gives structure."""

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
"""What LoongSuite and Dify write beside the operation or instead of it (loongsuite-util-genai 0.5)."""

_MEMORY = ("_memory", "_memory_store")
"""How the operations on an agent's memory end."""

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
"""What marks an inference whose span names no operation."""

_MESSAGE_EVENTS = {INPUT: INPUT, OUTPUT: OUTPUT, "gen_ai.system.instructions": SYSTEM}
"""Events of azure-ai-projects 2.10, whose content is messages, and which key it would stand under."""

_TOOL_EVENTS = ("gen_ai.tool.input", "gen_ai.tool.output")
"""Events that have a tool's arguments and result under the keys of its span (wandb/weave, semconv.py)."""

_ADDED = frozenset({DEFINITIONS})
"""What an event is read for even where the span has some: one of them may name the tools only."""

CONTRADICTORY = "contradictory_kinds"
_APART = frozenset({"agent", "model", "tool"})

_MERGED = "(merged tools)"
"""What Google's ADK calls a span that only repeats the tools that ran side by side."""


def kind_of(span: Span) -> StepKind | None:
    """The step's kind by its operation, else by what only one kind of step carries."""
    operation = span.text(OPERATION)
    if operation in _KINDS:
        return _KINDS[operation]
    if operation is not None and operation.endswith(_MEMORY):
        return None
    span_kind = span.text(SPAN_KIND)
    if span_kind in _SPAN_KINDS:
        return _SPAN_KINDS[span_kind]
    if span.text("gen_ai.tool.name"):
        return "tool"
    return _inference_kind(span, is_named=operation is not None)


def _inference_kind(span: Span, *, is_named: bool) -> StepKind | None:
    """The kind of a span that has what an inference has; one with an operation of its own also needs a model."""
    if not (_has_inference_keys(span.shape) or _has_inference_events(span)) or _is_of_vectors(span):
        return None
    if span.text(*_MODELS) is not None:
        return "model"
    if is_named:
        return None
    return "model" if span.text("gen_ai.agent.name") is None else "agent"


def _has_inference_events(span: Span) -> bool:
    """Whether the span has an event that only an inference has; log records may belong to a call within it."""
    events = [event for event in span.events if not event.is_log] if span.events else []
    return any(event.name in _INFERENCE_EVENTS or is_prompt_event(event.name) for event in events)


def _is_of_vectors(span: Span) -> bool:
    request = span.text("llm.request.type", "gen_ai.request.type") or span.name.lower()
    return "embed" in request or "rerank" in request


@lru_cache(maxsize=4096)
def _has_inference_keys(shape: Shape) -> bool:
    """Whether any of the attributes can only be that of an inference, whatever else is missing."""
    return any(key in _INFERENCE_KEYS or key.startswith("gen_ai.usage.") or is_prompt(key) for key in shape)


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
    span = _with_tool_events(span) if span.events else span
    step = _named(with_messages(step_of(span, "tool", keys), span, _detailed(span)), span)
    return step if step.tool_name != _MERGED else None


def spoken_step(span: Span, kind: StepKind, keys: Keys = KEYS) -> Step:
    """An agent run, workflow or model call, with what its events tell of the conversation."""
    detailed = _detailed(span)
    step = with_answer(step_of(detailed, kind, keys), span)
    if kind == "model" and step.output and step.finish_reasons is None:
        reasons = _finish_reasons(detailed.first(*keys.output))
        step = step if reasons is None else replace(step, finish_reasons=reasons)
    if kind == "model" and (step.input is None or step.output is None):
        step = with_prompts(span, step) if has_prompts(span) else step
        step = _in_messages(step) if step.input_text is not None or step.output_text is not None else step
    if step.agent_name is not None or not (name := _agent_in_name(span)):
        return step
    return replace(step, agent_name=name)


def _in_messages(step: Step) -> Step:
    """A call of a model with its texts as messages, where it has no others."""
    asked, answered = step.input, step.output
    if asked is None and step.input_text is not None:
        asked = said(step.input_text, "user")
    if answered is None and step.output_text is not None:
        answered = said(step.output_text, "assistant")
    return replace(step, input=asked, output=answered, input_text=None, output_text=None)


def _named(step: Step, span: Span) -> Step:
    if step.tool_name is not None:
        return step
    return replace(step, tool_name=span.name.removeprefix("execute_tool ").removeprefix("running tool: ").strip())


def _finish_reasons(output: Any) -> tuple[str, ...] | None:
    """The finish reasons that the messages of an answer have."""
    if isinstance(output, str) and "finish_reason" not in output:
        return None
    answers = [answer for answer in _listed(output) if isinstance(answer, dict)]
    return tuple(reason for answer in answers if isinstance(reason := answer.get("finish_reason"), str)) or None


def _with_tool_events(span: Span) -> Span:
    """The span of a tool with what its events have of the call, where its attributes have not."""
    recorded = {key: value for event in span.named(*_TOOL_EVENTS) for key, value in event.attributes.items()}
    return replace(span, attributes={**recorded, **span.attributes}) if recorded else span


def _agent_in_name(span: Span) -> str | None:
    prefix, _, name = span.name.partition(" ")
    return name.strip() or None if prefix == "invoke_agent" else None


def _detailed(span: Span) -> Span:
    """The span with the content of its events among its attributes; each event may carry a part of it."""
    if not span.events:
        return span
    found: dict[str, Any] = {}
    for event in span.named(DETAILS, *_MESSAGE_EVENTS):
        named = _MESSAGE_EVENTS.get(event.name or "")
        for key in (SYSTEM, INPUT, OUTPUT, DEFINITIONS):
            own, told = span.first(key), event.attributes.get("gen_ai.event.content" if named == key else key)
            if told is not None and (own is None or key in _ADDED):
                found[key] = [*found.get(key, _listed(own)), *_listed(told)]
    return replace(span, attributes={**span.attributes, **found}) if found else span


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    decoded = decode_text(value)
    return decoded if isinstance(decoded, list) else [decoded]
