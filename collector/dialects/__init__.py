"""How the instrumentations of agents write down what happened: a module each, asked in this order."""

from __future__ import annotations

from ..span import Span
from ..step import Step
from .agent_framework import AGENT_FRAMEWORK
from .base import Dialect
from .crewai import CREWAI
from .genai import GENAI
from .genai_events import GENAI_EVENTS
from .google_adk import GOOGLE_ADK
from .haystack import HAYSTACK
from .llama_index import LLAMA_INDEX
from .openinference import OPENINFERENCE
from .openllmetry import OPENLLMETRY
from .pydantic_ai import PYDANTIC_AI
from .smolagents import SMOLAGENTS
from .strands import STRANDS
from .vercel_ai import VERCEL_AI

__all__ = ["DIALECTS", "Dialect", "read"]

DIALECTS: tuple[Dialect, ...] = (
    CREWAI,
    HAYSTACK,
    LLAMA_INDEX,
    SMOLAGENTS,
    OPENINFERENCE,
    VERCEL_AI,
    AGENT_FRAMEWORK,
    GOOGLE_ADK,
    PYDANTIC_AI,
    STRANDS,
    OPENLLMETRY,
    GENAI_EVENTS,
    GENAI,
)

_OWN_SCOPE = "tracegrade"


def read(span: Span) -> tuple[str, Step] | None:
    """The dialect that speaks for `span` and the step it records; None for a span that only gives structure.

    What we send ourselves is never read: it would be graded again and again.
    """
    if span.scope_name == _OWN_SCOPE:
        return None
    for dialect in DIALECTS:
        if dialect.speaks(span):
            step = dialect.read(span)
            return (dialect.name, step) if step is not None else None
    return None
