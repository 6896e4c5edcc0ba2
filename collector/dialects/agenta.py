"""Agenta's SDK: functions under `@ag.instrument`, with one attribute per argument and per field of the result.

Objects and lists are JSON behind a mark; a value that is not an object is under `__default__`.

Source: https://github.com/Agenta-AI/agenta of 2026 (sdks/python/agenta/sdk/decorators/tracing.py,
engines/tracing/attributes.py)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.nested import build_nested
from .shared.traced import read_traced

__all__ = ["DIALECT"]

TYPE, INPUTS, OUTPUTS = "ag.type.node", "ag.data.inputs", "ag.data.outputs"
_DEFAULT, _MARK = "__default__", "@ag.type=json:"
_METRICS = "ag.metrics.unit."
_KINDS: dict[str, StepKind] = {
    "agent": "agent",
    "chain": "workflow",
    "chat": "model",
    "completion": "model",
    "query": "retrieval",
    "rerank": "retrieval",
    "task": "workflow",
    "tool": "tool",
    "workflow": "workflow",
}
_KEYS = Keys(
    session_id=("ag.session.id",),
    user_id=("ag.user.id",),
    request_model=("ag.meta.configuration.model",),
    input_tokens=(f"{_METRICS}tokens.prompt",),
    output_tokens=(f"{_METRICS}tokens.completion",),
    cost_usd=(f"{_METRICS}costs.total",),
    input_value=(INPUTS,),
    output_value=(OUTPUTS,),
    result=(OUTPUTS,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    kind = _KINDS.get((span.text(TYPE) or "").lower()) if TYPE in span.attributes else semconv.kind_of(span)
    if kind is None:
        return None
    arguments, result = _collect_content(span, INPUTS), _collect_content(span, OUTPUTS)
    contents = {key: value for key, value in ((INPUTS, arguments), (OUTPUTS, result)) if value is not None}
    return read_traced(replace(span, attributes={**span.attributes, **contents}), kind, _KEYS, arguments=arguments)


def _collect_content(span: Span, prefix: str) -> Any:
    flat = {key: _opened(value) for key, value in span.under(f"{prefix}.").items()}
    content = build_nested(flat) if flat else _opened(span.first(prefix))
    return content[_DEFAULT] if isinstance(content, Mapping) and content.keys() == {_DEFAULT} else content


def _opened(value: Any) -> Any:
    is_marked = isinstance(value, str) and value.startswith(_MARK)
    return decode_text(value.removeprefix(_MARK)) if is_marked else value


DIALECT = Dialect(
    "agenta",
    read,
    keys=(TYPE, f"{INPUTS}*", f"{OUTPUTS}*"),
    level="convention",
    evidence=(Evidence("agenta", "of 2026", "source"),),
)
