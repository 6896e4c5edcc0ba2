"""traceAI, the instrumentations of Future AGI: OpenInference in all but the names of its attributes.

They name the kind of a span, the messages, the model, the tokens and the tool by GenAI keys, and flatten messages as
OpenInference does. Earlier ones have `fi.span.kind` and OpenInference's keys for the rest.

Source: https://github.com/future-agi/traceAI at 94a2616 (python/fi_instrumentation/fi_types.py,
python/frameworks/openai-agents, python/frameworks/langchain)
"""

from __future__ import annotations

import re

from tracegrade.evaluators.model import Message, ToolCallResponsePart

from ..spans.envelopes import parse_printed_message
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object
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
_PRINTED = re.compile(r'\{"(?:messages|output)": ?\["(?:content=|Command\()')
"""How the state of a graph begins whose messages, objects of LangChain, were written with Python's `str`."""
_PREFIXES = {
    semconv.INPUT: "llm.input_messages",
    semconv.OUTPUT: "llm.output_messages",
    semconv.DEFINITIONS: "llm.tools",
}


def read(span: Span) -> Step | None:
    step = openinference.read(
        replace(span, attributes={_renamed(key): span.attributes[key] for key in span.attributes})
    )
    if step is None or step.output_text is None or not _PRINTED.match(step.output_text):
        return step
    return replace(step, output_text=None, output=_read_results(step.output_text))


def _read_results(state: str) -> tuple[Message, ...] | None:
    """Return the results of tools in a graph's printed state; the model calls have all else that was said."""
    printed = (as_object(state) or {}).get("messages")
    texts = [text for text in printed if isinstance(text, str)] if isinstance(printed, list) else []
    results = [result for text in texts if (result := parse_printed_message(text)) is not None]
    parts = (
        ToolCallResponsePart(id=result.call_id, response=result.text, is_error=result.error is not None)
        for result in results
    )
    return tuple(Message(role="tool", parts=(part,)) for part in parts) or None


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
    evidence=(Evidence("traceAI-langchain", "0.2", "recording"), Evidence("traceAI-*", "of 2026", "source")),
)
