"""Langfuse's SDK: typed observations with input and output.

A function under `@observe` has its arguments as `{"args", "kwargs"}`, a generation of the OpenAI client has messages
and tools in one object, one of LangChain has its tools among the messages, in the role of a tool. Metadata is JSON
since SDK 5, texts included. What was counted as cached or reasoning is no part of `input` and `output`.

Source: langfuse 5.0.4 (langfuse/_client/attributes.py, langfuse/_client/observe.py, langfuse/openai.py,
langfuse/langchain/CallbackHandler.py); https://langfuse.com/integrations/native/opentelemetry#property-mapping
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tracegrade.evaluators.model import ToolDefinition

from ..spans.failure import build_failure_text
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind, Usage
from ..spans.values import as_count, as_object, decode_text
from .shared import semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.tool_definitions import read_definitions
from .shared.traced import read_traced_tool

__all__ = ["DIALECT"]

TYPE = "langfuse.observation.type"
INPUT, OUTPUT = "langfuse.observation.input", "langfuse.observation.output"
MODEL, USAGE = "langfuse.observation.model.name", "langfuse.observation.usage_details"
_METADATA = "langfuse.observation.metadata."
_KINDS: dict[str, StepKind] = {
    "agent": "agent",
    "chain": "workflow",
    "generation": "model",
    "retriever": "retrieval",
    "span": "workflow",
    "tool": "tool",
}
_MODEL_NODE = "agent"
_COST = "langfuse.observation.cost_details"
_LIFETIMES = ("ephemeral_5m", "ephemeral_1h")
_BESIDE = ("cache_read_input_tokens", "cache_creation_input_tokens")
_KEYS = Keys(
    agent_name=(f"{_METADATA}lc_agent_name",),
    session_id=("session.id", "langfuse.session.id", f"{_METADATA}session_id", f"{_METADATA}thread_id"),
    user_id=("user.id", "langfuse.user.id"),
    provider_name=(f"{_METADATA}ls_provider",),
    request_model=(f"{_METADATA}ls_model_name", MODEL),
    response_model=(MODEL,),
    finish_reasons=(f"{_METADATA}finish_reason",),
    usage=(USAGE,),
    cost_usd=(_COST,),
    call_id=(f"{_METADATA}tool_call_id",),
    input_value=(INPUT, "langfuse.trace.input"),
    output_value=(OUTPUT, "langfuse.trace.output"),
    result=(OUTPUT,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return None
    opened = replace(span, attributes={key: _opened(key, value) for key, value in span.attributes.items()})
    step = read_step(opened, kind, _KEYS)
    step = replace(step, error=_failure(span) or step.error)
    if kind == "tool":
        return read_traced_tool(span, step, span.first(INPUT))
    return _model(span, step) if kind == "model" else _with_agent_name(span, step)


def _kind(span: Span) -> StepKind | None:
    """Return the kind by type.

    But what has a model is a call of it, which older SDKs wrote down as a span, a chain that LangChain runs under an
    agent's name is that agent, and the node that calls the model in LangGraph's prebuilt agent is none.
    """
    kind = (span.text(TYPE) or "").lower()
    if kind in {"", "span"} and span.text(MODEL) is not None:
        return "model"
    if kind == "chain" and decode_text(span.text(f"{_METADATA}lc_agent_name")) == span.name:
        return "agent"
    if kind == "agent" and span.name == _MODEL_NODE == decode_text(span.text(f"{_METADATA}langgraph_node")):
        return "workflow"
    return _KINDS.get(kind) if kind else semconv.kind_of(span) or "workflow"


def _opened(key: str, value: Any) -> Any:
    """Return a text of the metadata without its quotes, and the sum of a cost in parts."""
    is_quoted = key.startswith(_METADATA) and isinstance(value, str) and value[:1] == '"'
    if key == _COST:
        return _summed(value)
    return decode_text(value) if is_quoted else value


def _summed(value: Any) -> Any:
    """Return the details of a cost with their sum as the total, which Langfuse computes if it is missing."""
    details = as_object(value)
    if not details or "total" in details or not all(isinstance(cost, (int, float)) for cost in details.values()):
        return value
    return sum(details.values())


def _failure(span: Span) -> str | None:
    if span.text("langfuse.observation.level") != "ERROR":
        return None
    return build_failure_text(span.text("langfuse.observation.status_message") or span.error)


def _with_agent_name(span: Span, step: Step) -> Step:
    """Name an agent, or a run whose outermost observation has no type of its own, after the observation."""
    is_top = step.kind == "agent" or span.parent_span_id is None
    if step.agent_name is not None or not is_top:
        return step
    return replace(step, agent_name=(span.text("langfuse.trace.name") if step.kind != "agent" else None) or span.name)


def _model(span: Span, step: Step) -> Step:
    request = decode_text(span.first(INPUT))
    spent = _usage(span.first(USAGE))
    return replace(
        step,
        input=read_turns(_drop_tools(request), "user") if request is not None else step.input,
        output=step.output if step.output_text is None else read_turns(step.output_text, "assistant"),
        input_text=None,
        output_text=None,
        definitions=step.definitions or _offered(request),
        usage=spent._replace(cost_usd=step.usage.cost_usd) if spent is not None else step.usage,
        time_to_first_token_ms=_waited_ms(span),
    )


def _drop_tools(request: Any) -> Any:
    """Return the messages of a call, without the tools among them or beside them."""
    if isinstance(request, dict) and isinstance(inner := request.get("messages", request.get("input")), (list, str)):
        return inner
    return [item for item in request if _tool_among_messages(item) is None] if isinstance(request, list) else request


def _offered(request: Any) -> tuple[ToolDefinition, ...] | None:
    if isinstance(request, dict):
        return read_definitions(request.get("tools", request.get("functions")))
    definitions = [_tool_among_messages(definition) for definition in request] if isinstance(request, list) else []
    return read_definitions([definition for definition in definitions if definition is not None])


def _tool_among_messages(item: Any) -> dict[str, Any] | None:
    """Return the definition in `{"role": "tool", "content": {"type": "function", …}}`."""
    if not isinstance(item, dict) or item.get("role") != "tool" or "tool_call_id" in item:
        return None
    return as_object(item.get("content"))


def _usage(value: Any) -> Usage | None:
    """Return counts, with details named `input_…` and `output_…` added to `input` and `output`.

    If the total is the sum of these two alone, they include the details.
    """
    details = as_object(value) or {}
    if "input" not in details and "output" not in details:
        return None
    sent, answered, total = (as_count(details.get(name)) for name in ("input", "output", "total"))
    is_whole = total is not None and total == (sent or 0) + (answered or 0)
    cached = _first(details, "input_cache_read", "input_cached_tokens", *_spellings("cache_read_input_tokens"))
    written = _first(details, "input_cache_creation", "input_cache_write", *_spellings("cache_creation_input_tokens"))
    parts = [_first(details, *_spellings(f"{name}_input_tokens"), f"input_{name}") for name in _LIFETIMES]
    if any(part is not None for part in parts):
        written = max(written or 0, sum(part or 0 for part in parts))
    # Anthropic's own names do not begin like the sum that they are a part of.
    beside = sum(as_count(details.get(name)) or 0 for name in _BESIDE if f"input_{name}" not in details)
    summed = _sum(details, "input")
    return Usage(
        input_tokens=sent if is_whole else summed + beside if summed is not None else None,
        output_tokens=answered if is_whole else _sum(details, "output"),
        cached_input_tokens=cached,
        cache_write_input_tokens=written,
        cache_write_1h_input_tokens=parts[-1],
        audio_input_tokens=_first(details, "input_audio", "input_audio_tokens"),
        image_input_tokens=_first(details, "input_image", "input_image_tokens"),
        video_input_tokens=_first(details, "input_video", "input_video_tokens"),
        reasoning_tokens=_first(details, "output_reasoning", "output_reasoning_tokens"),
        audio_output_tokens=_first(details, "output_audio", "output_audio_tokens"),
        image_output_tokens=_first(details, "output_image", "output_image_tokens"),
    )


def _spellings(name: str) -> tuple[str, str]:
    return name, f"input_{name}"


def _sum(details: dict[str, Any], name: str) -> int | None:
    counts = [
        as_count(count)
        for key, count in details.items()
        if key == name or (key.startswith(f"{name}_") and not key.startswith(f"{name}_priority"))
    ]
    recorded = [count for count in counts if count is not None]
    return sum(recorded) if recorded else None


def _first(details: dict[str, Any], *names: str) -> int | None:
    return next((count for name in names if (count := as_count(details.get(name))) is not None), None)


def _waited_ms(span: Span) -> float | None:
    """Return the time until the answer began, if it is recorded: an instant in ISO 8601, as JSON."""
    noted = (span.text("langfuse.observation.completion_start_time") or "").strip('"')
    try:
        began = datetime.fromisoformat(noted)
    except ValueError:
        return None
    return max(0.0, began.timestamp() * 1000 - span.start_ns / 1e6) if span.start_ns else None


DIALECT = Dialect(
    "langfuse",
    read,
    level="convention",
    scopes=("langfuse-sdk",),
    keys=(TYPE, INPUT, OUTPUT, MODEL),
    content="LANGFUSE_OBSERVE_DECORATOR_IO_CAPTURE_ENABLED=true",
    evidence=(Evidence("langfuse", "5.0", "recording"),),
)
