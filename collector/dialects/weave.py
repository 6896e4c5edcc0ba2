"""W&B Weave: GenAI keys from its conversations and integrations, and structure under `weave.<integration>.*`.

Weave exports over OTLP what its integrations trace; functions under `weave.op` go to its own API. For OpenAI Agents the
spans of the workflow, of a hand-off and of a turn have no GenAI operation. Spans that an application sends to Weave may
have `weave.` in place of `gen_ai.` in all keys, and a session as `wandb.thread_id`.

Source: weave 0.54 (weave/conversation/conversation_otel.py, weave/integrations/openai_agents/otel_processor.py);
wandb/weave weave/trace_server (agents/semconv.py, opentelemetry/constants.py)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import openai_agents, semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_AGENTS = "weave.openai_agents."
_WORKFLOW, _TARGET, _TOOLS = _AGENTS + "task.workflow_name", _AGENTS + "handoff.to_agent", _AGENTS + "agent.tools"
_OWN, _CONVENTION = "weave.", "gen_ai."
_KEYS = Keys(
    session_id=("wandb.thread_id",),
    input_value=("input.value",),
    output_value=("output.value",),
    target=(_TARGET,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    span = _renamed(span)
    if span.text(_TARGET):
        return read_step(span, "handoff", _KEYS)
    if _WORKFLOW in span.attributes:
        return replace(read_step(span, "workflow", _KEYS), agent_name=span.text(_WORKFLOW))
    step = semconv.read(span, _KEYS)
    names = span.attributes.get(_TOOLS)
    if step is None or step.definitions is not None or not isinstance(names, list):
        return step
    return replace(step, definitions=read_definitions([{"name": name} for name in names if isinstance(name, str)]))


def _renamed(span: Span) -> Span:
    """Return the span with its own keys also under the names of the conventions, unless these are recorded."""
    own = {_CONVENTION + key: value for key, value in span.under(_OWN).items()}
    return replace(span, attributes={**own, **span.attributes}) if own else span


DIALECT = Dialect(
    "weave",
    read,
    level="convention",
    scopes=("weave.*",),
    keys=(_OWN + "operation.name", _AGENTS + "*", "wandb.thread_id"),
    unrecorded=openai_agents.UNRECORDED,
    evidence=(
        Evidence("weave", "0.54", "recording"),
        Evidence("weave's server", "main of 2026", "source"),
    ),
)
