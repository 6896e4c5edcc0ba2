"""Cloudflare AI Gateway: a span for each request that passes through it, with GenAI keys.

The whole body of the request is under the key of its messages. The answer is the provider's, or within an object that
says what became of the request. The scope is that of Vercel's AI SDK, so that the span's name tells it apart.

Source: https://developers.cloudflare.com/ai-gateway/observability/otel-integration/
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object
from .shared import semconv
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

_REQUEST = "cf.aig.request"


def speaks(span: Span) -> bool:
    return span.name == _REQUEST


def read(span: Span) -> Step | None:
    answer = as_object(span.first(semconv.OUTPUT)) or {}
    if isinstance(answer.get("result"), dict) and "state" in answer:
        span = replace(span, attributes={**span.attributes, semconv.OUTPUT: answer["result"]})
    return semconv.read(span)


DIALECT = Dialect(
    "cloudflare_ai_gateway",
    read,
    scopes=("ai",),
    speaks=speaks,
    evidence=(Evidence("Cloudflare AI Gateway", "of 2026", "documentation"),),
)
