"""traceAI, the instrumentations of Future AGI: OpenInference in all but the names of its attributes.

They name the kind of a span, the messages, the model, the tokens and the tool by GenAI keys, and flatten messages as
OpenInference does. Earlier ones have `fi.span.kind` and OpenInference's keys for the rest.

Source: https://github.com/future-agi/traceAI at 94a2616 (python/fi_instrumentation/fi_types.py,
python/frameworks/openai-agents, python/frameworks/langchain)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import openinference, semconv
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

_SCOPES = ("traceai_*", "@traceai/*")
_EARLIER_KIND = "fi.span.kind"
_NAMES = {
    semconv.SPAN_KIND: openinference.KIND,
    _EARLIER_KIND: openinference.KIND,
    "gen_ai.provider.name": "llm.provider",
    "gen_ai.request.model": "llm.model_name",
    "gen_ai.response.model": "llm.response.model_name",
    "gen_ai.request.parameters": "llm.invocation_parameters",
    "gen_ai.usage.input_tokens": "llm.token_count.prompt",
    "gen_ai.usage.output_tokens": "llm.token_count.completion",
    "gen_ai.usage.input_tokens.cache_read": "llm.token_count.prompt_details.cache_read",
    "gen_ai.usage.input_tokens.cache_write": "llm.token_count.prompt_details.cache_write",
    "gen_ai.usage.input_tokens.audio": "llm.token_count.prompt_details.audio",
    "gen_ai.usage.output_tokens.reasoning": "llm.token_count.completion_details.reasoning",
    "gen_ai.usage.output_tokens.audio": "llm.token_count.completion_details.audio",
    "gen_ai.cost.total": "llm.cost.total",
    "gen_ai.tool.name": "tool.name",
    "gen_ai.tool.description": "tool.description",
    "gen_ai.tool.parameters": "tool.parameters",
    "gen_ai.tool.call.id": "tool.id",
}
_PREFIXES = {
    semconv.INPUT: "llm.input_messages",
    semconv.OUTPUT: "llm.output_messages",
    semconv.DEFINITIONS: "llm.tools",
}


def read(span: Span) -> Step | None:
    return openinference.read(
        replace(span, attributes={_renamed(key): span.attributes[key] for key in span.attributes})
    )


def _renamed(key: str) -> str:
    if key in _NAMES:
        return _NAMES[key]
    prefix = next((prefix for prefix in _PREFIXES if key == prefix or key.startswith(f"{prefix}.")), None)
    return key if prefix is None else _PREFIXES[prefix] + key.removeprefix(prefix)


DIALECT = Dialect(
    "trace_ai",
    read,
    scopes=_SCOPES,
    keys=(_EARLIER_KIND, f"{semconv.INPUT}.*.message.*", f"{semconv.OUTPUT}.*.message.*"),
    content="FI_HIDE_INPUTS=false FI_HIDE_OUTPUTS=false",
    evidence=(Evidence("traceAI-*", "of 2026", "source"),),
)
