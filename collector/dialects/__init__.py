"""How the instrumentations of agents write down what happened: a module each, asked in this order."""

from __future__ import annotations

from functools import lru_cache

from ..span import Shape, Span
from ..step import Step
from .agent_framework import AGENT_FRAMEWORK
from .agno import AGNO
from .anthropic_sdk import ANTHROPIC_SDK
from .autogen import AUTOGEN
from .autogen_agentchat import AUTOGEN_AGENTCHAT
from .base import Dialect
from .claude_agent_sdk import CLAUDE_AGENT_SDK
from .claude_code import CLAUDE_CODE
from .crewai import CREWAI
from .dspy import DSPY
from .gemini_cli import GEMINI_CLI
from .genai import GENAI
from .genai_events import GENAI_EVENTS
from .genkit import GENKIT
from .google_adk import GOOGLE_ADK
from .google_genai import GOOGLE_GENAI
from .haystack import HAYSTACK
from .haystack_native import HAYSTACK_NATIVE
from .interrupt import with_interrupt
from .langchain4j import LANGCHAIN4J
from .langfuse import LANGFUSE
from .langsmith import LANGSMITH
from .livekit import LIVEKIT
from .llama_index import LLAMA_INDEX
from .logfire import LOGFIRE
from .mastra import MASTRA
from .mcp import MCP
from .mlflow import MLFLOW
from .openinference import OPENINFERENCE
from .openlit import OPENLIT
from .openllmetry import OPENLLMETRY
from .pipecat import PIPECAT
from .pydantic_ai import PYDANTIC_AI
from .semantic_kernel import SEMANTIC_KERNEL
from .smolagents import SMOLAGENTS
from .spring_ai import SPRING_AI
from .strands import STRANDS
from .vercel_ai import VERCEL_AI

__all__ = ["DIALECTS", "OWN_SCOPE", "Dialect", "of", "read"]

DIALECTS: tuple[Dialect, ...] = (
    AGNO,
    AUTOGEN_AGENTCHAT,
    CLAUDE_AGENT_SDK,
    CREWAI,
    DSPY,
    HAYSTACK,
    HAYSTACK_NATIVE,
    LLAMA_INDEX,
    SMOLAGENTS,
    OPENINFERENCE,
    VERCEL_AI,
    GEMINI_CLI,
    GENKIT,
    MASTRA,
    MCP,
    AGENT_FRAMEWORK,
    AUTOGEN,
    SEMANTIC_KERNEL,
    GOOGLE_ADK,
    PYDANTIC_AI,
    STRANDS,
    LOGFIRE,
    ANTHROPIC_SDK,
    CLAUDE_CODE,
    LANGFUSE,
    LANGSMITH,
    MLFLOW,
    LIVEKIT,
    PIPECAT,
    SPRING_AI,
    LANGCHAIN4J,
    GOOGLE_GENAI,
    OPENLIT,
    OPENLLMETRY,
    GENAI_EVENTS,
    GENAI,
)

OWN_SCOPE = "tracegrade"
"""The instrumentation scope of what we send ourselves."""

_REMEMBERED_KEYS = 300


def read(span: Span) -> tuple[str, Step] | None:
    """The dialect that speaks for `span` and the step it records; None for a span that only gives structure."""
    dialect = of(span)
    step = dialect.read(span) if dialect is not None else None
    return (dialect.name, with_interrupt(span, step)) if dialect is not None and step is not None else None


def of(span: Span) -> Dialect | None:
    """The dialect that speaks for `span`: the first of those that it may be in and that says so.

    What we send ourselves is never read: it would be graded again and again.
    """
    if span.scope_name == OWN_SCOPE:
        return None
    shape = span.shape
    asked = _remembered(span.scope_name, shape) if len(shape) <= _REMEMBERED_KEYS else _asked(span.scope_name, shape)
    for one in asked:
        if one.speaks is None or one.speaks(span):
            return one
    return None


@lru_cache(maxsize=4096)
def _remembered(scope: str | None, shape: Shape) -> tuple[Dialect, ...]:
    """Most spans have the keys of a span that came before."""
    return _asked(scope, shape)


def _asked(scope: str | None, shape: Shape) -> tuple[Dialect, ...]:
    return tuple(one for one in DIALECTS if one.may_speak(scope, shape))
