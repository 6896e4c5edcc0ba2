"""n8n: workflows and their nodes, recorded with name, type and outcome alone.

An execution in which a model or a tool was at work is a run. Content comes with an instrumentation of LangChain beside
it, which is read as such.

Source: n8n of 2026 (packages/cli/src/modules/otel: otel.constants.ts, execution-level-tracer.ts)
"""

from __future__ import annotations

import re

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import openinference
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step

__all__ = ["DIALECT"]

_NODE, _WORKFLOW = "n8n.node.type", "n8n.workflow.name"
_TOOL = re.compile(r".*(?:\.tool[A-Z]\w*|\.mcpClientTool|[a-z]Tool)")
_MODEL = re.compile(r"@n8n/n8n-nodes-langchain\.lm[A-Z]\w*")
"""Types of nodes: `@n8n/n8n-nodes-langchain.toolWikipedia`, `n8n-nodes-base.gmailTool`; `….lmChatOpenAi`."""

_KEYS = Keys(
    agent_name=(_WORKFLOW,),
    agent_id=("n8n.workflow.id",),
    agent_version=("n8n.workflow.version_id",),
    run_id=("n8n.execution.id",),
    error=("n8n.execution.error_type",),
)
_TOOL_KEYS = Keys(tool_name=("n8n.node.name",))


def speaks(span: Span) -> bool:
    """Return whether the span is n8n's own; spans with a convention's kind are read by that."""
    return openinference.KIND not in span.attributes


def read(span: Span) -> Step | None:
    node = span.text(_NODE)
    if node is None:
        return read_step(span, "workflow", _KEYS) if span.text(_WORKFLOW) is not None else None
    if _TOOL.fullmatch(node):
        return read_step(span, "tool", _TOOL_KEYS)
    if not _MODEL.fullmatch(node):
        return None
    return replace(read_step(span, "model", Keys()), provider_name=node.rpartition(".lm")[2].removeprefix("Chat"))


DIALECT = Dialect(
    "n8n",
    read,
    keys=("n8n.workflow.name", "n8n.node.type"),
    speaks=speaks,
    content="the instrumentation of LangChain by OpenInference or OpenLLMetry in the n8n process",
    evidence=(Evidence("n8n", "of 2026", "source"),),
)
