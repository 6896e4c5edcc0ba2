"""LangChain4j in Quarkus: AI services and tools by the names of their spans, model calls with GenAI keys.

A call of an AI service is a run. Prompt and completion are one text each. The spans of tools have GenAI keys, with
arguments and results where these are asked for; early versions recorded only a name.

Source: https://github.com/quarkiverse/quarkus-langchain4j, 1.11 (SpanWrapper, ToolSpanWrapper,
SpanChatModelListener, PromptTextSpanContributor, CompletionTextSpanContributor)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step

__all__ = ["DIALECT"]

_SERVICE, _TOOL = "langchain4j.aiservices.", "langchain4j.tools."
_KEYS = semconv.KEYS.before(Keys(output_value=("gen_ai.completion",)))


def speaks(span: Span) -> bool:
    return span.name.startswith((_SERVICE, _TOOL)) or semconv.kind_of(span) is not None


def read(span: Span) -> Step | None:
    if span.name.startswith(_SERVICE):
        name = span.name.removeprefix(_SERVICE).partition(".")[0]
        return replace(read_step(span, "agent", _KEYS), agent_name=name, error=_error(span))
    if span.name.startswith(_TOOL):
        name = span.name.removeprefix(_TOOL)
        step = read_step(span, "tool", _KEYS)
        return replace(step, tool_name=name, error=step.error if step.result is not None else _error(span))
    return semconv.read(span, _KEYS)


def _error(span: Span) -> str | None:
    """Return the exception of a span, which ends without a status."""
    thrown = next(span.events_named("exception"), None)
    if span.error is not None or thrown is None:
        return span.error
    return str(thrown.attributes.get("exception.message") or thrown.attributes.get("exception.type") or "error")


DIALECT = Dialect(
    "langchain4j",
    read,
    scopes=("io.quarkus.opentelemetry",),
    speaks=speaks,
    content="quarkus.langchain4j.tracing.include-prompt=true quarkus.langchain4j.tracing.include-completion=true "
    "quarkus.langchain4j.tracing.include-tool-arguments=true quarkus.langchain4j.tracing.include-tool-result=true",
    evidence=(Evidence("quarkus-langchain4j", "1.11", "source"),),
)
