"""Spring AI Alibaba: graphs under `spring.ai.alibaba.*`; the models and tools in them are those of Spring AI.

A graph is a run of the agent that it is named after; nodes and edges give structure. Its state is recorded as Java
prints it, which cannot be read back.

Source: spring-ai-alibaba 1.1 (spring-ai-alibaba-graph-core: observation/graph, observation/node, observation/edge)
"""

from __future__ import annotations

from ..spans.span import Span
from ..spans.step import Step
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step

__all__ = ["DIALECT"]

_KIND = "spring.ai.alibaba.kind"
_KEYS = Keys(agent_name=("spring.ai.alibaba.graph.name",))


def speaks(span: Span) -> bool:
    return _KIND in span.attributes


def read(span: Span) -> Step | None:
    return read_step(span, "agent", _KEYS) if span.attributes[_KIND] == "graph" else None


DIALECT = Dialect(
    "spring_ai_alibaba",
    read,
    scopes=("org.springframework.boot",),
    keys=(_KIND,),
    speaks=speaks,
    content="spring.ai.tools.observations.include-content=true",
    evidence=(Evidence("spring-ai-alibaba", "1.1", "source"),),
)
