"""The fingerprint of a run: as long as it is the same, nothing that evaluators read has changed.

A fingerprint is `<version>:<hex>`. It is a hash of the fields in NAMED, so a new field of a model, and so a new column
of a table, changes no fingerprint, no revision and no score; `test_fingerprint.py` requires a decision on each. If
NAMED changes, VERSION must change: fingerprints of another version are computed anew from the stored rows before they
are compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from operator import itemgetter
from typing import Final

import orjson
from pydantic import BaseModel

from tracegrade.evaluators.model import (
    AgentTrace,
    GenericPart,
    LlmCall,
    Message,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

__all__ = ["LEFT_OUT", "NAMED", "VERSION", "fingerprint", "is_current"]

VERSION: Final = 3

NAMED: Final[Mapping[type[BaseModel], tuple[str, ...]]] = {
    AgentTrace: (
        "parent_agent_trace_id",
        "agent_name",
        "agent_id",
        "agent_version",
        "service_name",
        "service_version",
        "environment",
        "session_id",
        "user_id",
        "provider_name",
        "input",
        "messages",
        "tool_calls",
        "tool_definitions",
        "final_response",
        "reasoning_steps",
        "llm_calls",
        "started_at",
        "ended_at",
        "duration_ms",
        "error",
        "interrupt",
        "completeness",
    ),
    ToolCall: (
        "name",
        "id",
        "args",
        "args_text",
        "result",
        "error",
        "status",
        "started_at",
        "duration_ms",
        "span_id",
        "agent_name",
        "child_agent_trace_id",
        "is_foreign",
    ),
    ToolDefinition: ("name", "description", "input_schema"),
    Message: ("role", "parts", "name", "span_id", "time"),
    TextPart: ("type", "content"),
    ReasoningPart: ("type", "content"),
    ToolCallPart: ("type", "id", "name", "arguments"),
    ToolCallResponsePart: ("type", "id", "name", "response", "is_error"),
    GenericPart: ("type", "kind", "content"),
    LlmCall: (
        "span_id",
        "provider_name",
        "request_model",
        "response_model",
        "response_id",
        "finish_reasons",
        "input_tokens",
        "output_tokens",
        "cached_input_tokens",
        "reasoning_tokens",
        "started_at",
        "duration_ms",
        "time_to_first_token_ms",
        "is_retry",
        "error",
    ),
}
"""The fields that are the content of a run, by model, in the order in which they are hashed."""

LEFT_OUT: Final[Mapping[type[BaseModel], Mapping[str, str]]] = {
    AgentTrace: {
        "agent_trace_id": "the key by which a run is compared with the stored one",
        "trace_id": "part of the key",
        "agent_span_id": "part of the key",
        "model": "a normal form of what the model calls name; their names are named",
        "prompt_name": "where its text came from; the text itself is named",
        "prompt_version": "where its text came from; the text itself is named",
        "guardrails": "what watched the run; what became of it is named",
        "input_tokens": "a total; the tokens of each model call are named",
        "output_tokens": "a total",
        "cached_input_tokens": "a total",
        "cost_usd": "a price, which changes with the price list",
        "total_input_tokens": "a total, also over other runs",
        "total_output_tokens": "a total, also over other runs",
        "total_cost_usd": "a price",
        "total_tool_call_count": "a total, also over other runs",
        "dialect": "how the spans were read, not what they say",
        "gaps": "what was not recorded; a new kind of gap is no new content",
        "revision": "given by the store",
        "fingerprint": "this one",
        "experiment_id": "why the agent ran, not what it did",
        "reference": "attached when the run is evaluated",
    },
    ToolCall: {
        "source": "how the call is known, not what it did",
        "metadata": "what else the span says, which no evaluator of ours looks at",
    },
    LlmCall: {
        "model": "a normal form of the model's names, which are named",
        "cache_write_input_tokens": "a part of input_tokens that only its price tells apart",
        "cache_write_1h_input_tokens": "a part of input_tokens that only its price tells apart",
        "audio_input_tokens": "a part of input_tokens that only its price tells apart",
        "image_input_tokens": "a part of input_tokens that only its price tells apart",
        "video_input_tokens": "a part of input_tokens that only its price tells apart",
        "audio_output_tokens": "a part of output_tokens that only its price tells apart",
        "image_output_tokens": "a part of output_tokens that only its price tells apart",
        "cost_usd": "a price",
        "prompt_name": "where its text came from; the text itself is named",
        "prompt_version": "where its text came from; the text itself is named",
        "reasoning_level": "what was asked for; the tokens of its reasoning are named",
        "is_compacted": "why a message is missing; the messages are named",
        "previous_response_id": "what links runs, not what they did",
    },
}
"""The other fields, each with the reason. If only these change, a run keeps its revision and its scores."""

_PREFIX: Final = f"{VERSION}:"
_NAMED_OF: Final = {model: itemgetter(*names) for model, names in NAMED.items()}


def fingerprint(run: AgentTrace) -> str:
    """Compute the fingerprint of `run`, which is the same whether the run was just assembled or read from the store.

    The store does not distinguish an empty list of tool definitions from none, so neither does the fingerprint.
    """
    fields = [None if value == () else value for value in _NAMED_OF[AgentTrace](vars(run))]
    content = orjson.dumps(fields, default=_plain, option=orjson.OPT_NON_STR_KEYS)
    return _PREFIX + hashlib.sha256(content).hexdigest()[:32]


def is_current(fingerprint: str) -> bool:
    """Return whether the fingerprint has the current version, so that it may be compared."""
    return fingerprint.startswith(_PREFIX)


def _plain(value: object) -> object:
    """Convert a model to its named fields, and any other value that JSON cannot represent to text, as it is stored."""
    return _NAMED_OF[type(value)](vars(value)) if isinstance(value, BaseModel) else str(value)
