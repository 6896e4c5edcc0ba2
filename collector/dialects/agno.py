"""Agno, as OpenInference records it: agents and teams alike, each with an id of its own; workflows of them.

Source: openinference-instrumentation-agno 1.0.15 (`_runs_wrapper.py`, `_tools_wrapper.py`,
`_workflow_wrapper.py`), agno 3.1.10
"""

from __future__ import annotations

from ..spans.envelopes import parse_printed
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import openinference
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None:
        return None
    match step.kind:
        case "tool":
            return replace(step, result=parse_printed(step.result))
        case "agent":
            return replace(step, agent_id=span.text("agno.agent.id", "agno.team.id"))
        case "workflow":
            return _workflow(span, step)
    return step


def _workflow(span: Span, step: Step) -> Step:
    """Name a workflow after the node of its steps; these have the names of their agents."""
    is_whole = any(key.startswith("agno.workflow.") for key in span.attributes)
    return replace(step, agent_name=span.text("graph.node.name")) if is_whole else step


DIALECT = Dialect(
    "agno",
    read,
    scopes=("openinference.instrumentation.agno",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-agno", "1.0", "recording"),),
)
