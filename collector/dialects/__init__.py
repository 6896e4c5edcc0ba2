"""How the instrumentations of agents write down what happened: a module each, asked in this order."""

from __future__ import annotations

from functools import lru_cache

from ..span import Shape, Span
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

__all__ = ["DIALECTS", "Dialect", "of", "read"]

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
_REMEMBERED_KEYS = 300


def read(span: Span) -> tuple[str, Step] | None:
    """The dialect that speaks for `span` and the step it records; None for a span that only gives structure."""
    dialect = of(span)
    step = dialect.read(span) if dialect is not None else None
    return (dialect.name, step) if dialect is not None and step is not None else None


def of(span: Span) -> Dialect | None:
    """The dialect that speaks for `span`: the first of those that it may be in and that says so.

    What we send ourselves is never read: it would be graded again and again.
    """
    if span.scope_name == _OWN_SCOPE:
        return None
    shape = span.shape
    asked = _remembered(span.scope_name, shape) if len(shape) <= _REMEMBERED_KEYS else _asked(span.scope_name, shape)
    return next((one for one in asked if one.speaks is None or one.speaks(span)), None)


@lru_cache(maxsize=4096)
def _remembered(scope: str | None, shape: Shape) -> tuple[Dialect, ...]:
    """Most spans have the keys of a span that came before."""
    return _asked(scope, shape)


def _asked(scope: str | None, shape: Shape) -> tuple[Dialect, ...]:
    return tuple(one for one in DIALECTS if one.may_speak(scope, shape))
