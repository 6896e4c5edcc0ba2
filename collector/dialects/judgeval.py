"""Judgment's SDK judgeval: functions under `@observe`, around calls of models with whole requests and answers.

What is counted as input leaves out what was read from the cache or written to it.

Source: https://github.com/JudgmentLabs/judgeval of August 2026 (src/judgeval/judgment_attribute_keys.py,
trace/base_tracer.py, instrumentation/llm)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind, Usage
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.traced import read_traced

__all__ = ["DIALECT"]

KIND, INPUT, OUTPUT = "judgment.span_kind", "judgment.input", "judgment.output"
_USAGE = "judgment.usage."
_KINDS: dict[str, StepKind] = {"agent": "agent", "llm": "model", "span": "workflow", "tool": "tool"}
_KEYS = Keys(
    agent_name=("judgment.agent_instance_name", "judgment.agent_class_name"),
    agent_id=("judgment.agent_id",),
    session_id=("judgment.session_id",),
    user_id=("judgment.customer_user_id", "judgment.customer_id"),
    provider_name=("judgment.llm.provider",),
    request_model=("judgment.llm.model",),
    input_tokens=(f"{_USAGE}non_cached_input_tokens",),
    output_tokens=(f"{_USAGE}output_tokens",),
    cached_input_tokens=(f"{_USAGE}cache_read_input_tokens",),
    cache_write_input_tokens=(f"{_USAGE}cache_creation_input_tokens",),
    cost_usd=(f"{_USAGE}total_cost_usd",),
    input_value=(INPUT,),
    output_value=(OUTPUT,),
    result=(OUTPUT,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    """Return the step; a function without a kind belongs to the application."""
    kind = _KINDS.get(span.text(KIND) or "", "workflow") if KIND in span.attributes else semconv.kind_of(span)
    if kind is None:
        return None
    step = read_traced(span, kind, _KEYS, arguments=span.first(INPUT))
    return (
        replace(step, usage=_with_cached(step.usage)) if f"{_USAGE}non_cached_input_tokens" in span.attributes else step
    )


def _with_cached(usage: Usage) -> Usage:
    parts = (usage.input_tokens, usage.cached_input_tokens, usage.cache_write_input_tokens)
    recorded = [count for count in parts if count is not None]
    return usage._replace(input_tokens=sum(recorded) if recorded else None)


DIALECT = Dialect(
    "judgeval",
    read,
    keys=("judgment.span_kind", INPUT, OUTPUT, f"{_USAGE}*"),
    level="convention",
    evidence=(Evidence("judgeval", "of 2026", "source"),),
)
