"""LangChain4j in Quarkus: AI services and tools by the names of their spans, model calls with GenAI keys.

A call of an AI service is a run. Of tools only the name is recorded; what was said to the model, and its answer, are
one text each.

Sources: https://docs.quarkiverse.io/quarkus-langchain4j/dev/observability.html and
https://github.com/quarkiverse/quarkus-langchain4j (SpanWrapper, ToolSpanWrapper, SpanChatModelListener,
PromptTextSpanContributor, CompletionTextSpanContributor)
"""

from __future__ import annotations

from dataclasses import replace

from ..conventions import semconv
from ..conventions.keys import Keys, step_of
from ..dialect import Dialect, Evidence
from ..span import Span
from ..step import Step

__all__ = ["DIALECT"]

_SERVICE, _TOOL = "langchain4j.aiservices.", "langchain4j.tools."
_KEYS = semconv.KEYS.before(Keys(gave=("gen_ai.completion",)))


def speaks(span: Span) -> bool:
    return span.name.startswith((_SERVICE, _TOOL)) or semconv.kind_of(span) is not None


def read(span: Span) -> Step | None:
    if span.name.startswith(_SERVICE):
        name = span.name.removeprefix(_SERVICE).partition(".")[0]
        return replace(step_of(span, "agent", _KEYS), agent_name=name, error=_error(span))
    if span.name.startswith(_TOOL):
        name = span.name.removeprefix(_TOOL)
        return replace(step_of(span, "tool", _KEYS), tool_name=name, error=_error(span))
    return semconv.read(span, _KEYS)


def _error(span: Span) -> str | None:
    """An exception ends the span without a status."""
    thrown = next(span.named("exception"), None)
    if span.error is not None or thrown is None:
        return span.error
    return str(thrown.attributes.get("exception.message") or thrown.attributes.get("exception.type") or "error")


DIALECT = Dialect(
    "langchain4j",
    read,
    scopes=("io.quarkus.opentelemetry",),
    speaks=speaks,
    content="quarkus.langchain4j.tracing.include-prompt=true quarkus.langchain4j.tracing.include-completion=true",
    evidence=(Evidence("quarkus-langchain4j", "main of 2026", "documentation"),),
)
