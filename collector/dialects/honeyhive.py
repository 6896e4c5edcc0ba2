"""HoneyHive's SDK: functions under `@trace`, with one attribute per argument and per field of the result.

Source: https://github.com/honeyhiveai/python-sdk of July 2026 (src/honeyhive/tracer/instrumentation/decorators.py,
span_utils.py; tracer/core/operations.py)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.nested import build_nested
from .shared.traced import read_traced

__all__ = ["DIALECT"]

TYPE, INPUTS, OUTPUTS = "honeyhive_event_type", "honeyhive_inputs", "honeyhive_outputs"
_KINDS: dict[str, StepKind] = {"chain": "workflow", "model": "model", "session": "workflow", "tool": "tool"}
_KEYS = Keys(
    session_id=("honeyhive.session_id", "honeyhive_session_id"),
    user_id=("honeyhive_user_properties.user_id", "honeyhive_user_id"),
    error=("honeyhive_error",),
    provider_name=("honeyhive_config.provider",),
    request_model=("honeyhive_config.model",),
    input_value=(INPUTS,),
    output_value=(OUTPUTS,),
    result=(OUTPUTS,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    """Return the step; the operation of another instrumentation's span precedes the type that the SDK writes."""
    kind = semconv.kind_of(span) or _KINDS.get(span.text(TYPE) or "")
    if kind is None or (kind == "tool" and _is_event(span)):
        return None
    arguments, result = _collect_content(span, INPUTS), _collect_content(span, OUTPUTS)
    if isinstance(result, Mapping) and result.keys() == {"result"}:
        result = result["result"]
    contents = {key: value for key, value in ((INPUTS, arguments), (OUTPUTS, result)) if value is not None}
    return read_traced(replace(span, attributes={**span.attributes, **contents}), kind, _KEYS, arguments=arguments)


def _is_event(span: Span) -> bool:
    """Return whether the SDK wrote the span beside that of a function, which failed."""
    return span.name.endswith("_error") and "honeyhive_error" in span.attributes and OUTPUTS not in span.attributes


def _collect_content(span: Span, prefix: str) -> Any:
    flat = span.under(f"{prefix}.")
    return build_nested(flat) if flat else span.first(prefix)


DIALECT = Dialect(
    "honeyhive",
    read,
    scopes=("honeyhive*",),
    keys=(f"{INPUTS}*", f"{OUTPUTS}*"),
    level="fallback",
    evidence=(Evidence("honeyhive", "of 2026", "source"),),
)
