"""TraceRoot: functions under `@observe`, with arguments as an object and result as JSON.

Source: https://github.com/traceroot-ai/traceroot-py of August 2026 (traceroot/decorators.py, span_attributes.py)
"""

from __future__ import annotations

from ..spans.span import Span
from ..spans.step import Step, StepKind
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.traced import read_traced

__all__ = ["DIALECT"]

TYPE, INPUT, OUTPUT = "traceroot.span.type", "traceroot.span.input", "traceroot.span.output"
_KINDS: dict[str, StepKind] = {
    "agent": "agent",
    "llm": "model",
    "span": "workflow",
    "task": "workflow",
    "tool": "tool",
}
_KEYS = Keys(
    session_id=("traceroot.trace.session_id",),
    user_id=("traceroot.trace.user_id",),
    request_model=("traceroot.llm.model",),
    usage=("traceroot.llm.usage",),
    input_value=(INPUT, "traceroot.llm.prompt"),
    output_value=(OUTPUT,),
    result=(OUTPUT,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    """Return the step; the operation of another instrumentation's span precedes the keys that the SDK adds."""
    kind = _KINDS.get((span.text(TYPE) or "").lower()) if TYPE in span.attributes else semconv.kind_of(span)
    return None if kind is None else read_traced(span, kind, _KEYS, arguments=span.first(INPUT))


DIALECT = Dialect(
    "traceroot",
    read,
    scopes=("traceroot-sdk",),
    keys=(TYPE, INPUT, OUTPUT),
    level="convention",
    evidence=(Evidence("traceroot", "of 2026", "source"),),
)
