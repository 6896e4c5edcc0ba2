"""Laminar: functions under `@observe`, with arguments and result as JSON, around GenAI keys.

A call of a model has the messages as they were sent to the provider, and its answer as the provider's list of choices.

Source: lmnr 0.8.2 (lmnr/sdk/decorators.py, lmnr/opentelemetry_lib/tracing), which also sends what browser agents and
agents of OpenHands do
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_text, decode_text
from .shared import semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.traced import read_traced_tool

__all__ = ["DIALECT"]

TYPE, INPUT, OUTPUT = "lmnr.span.type", "lmnr.span.input", "lmnr.span.output"
_PROPERTY = "lmnr.association.properties."
_KINDS: dict[str, StepKind] = {"DEFAULT": "workflow", "LLM": "model", "TOOL": "tool", "CACHED": "model"}
_KEYS = semconv.KEYS.before(Keys(session_id=(_PROPERTY + "session_id",), user_id=(_PROPERTY + "user_id", "llm.user")))


def read(span: Span) -> Step | None:
    """Return the step; the operation of another instrumentation's span precedes the keys that Laminar adds."""
    operation = semconv.kind_of(span)
    kind = operation if operation not in {None, "model"} else _KINDS.get(span.text(TYPE) or "", operation)
    if kind is None:
        return None
    if kind == "tool":
        return _tool(span)
    step = semconv.read_conversation_step(span, kind, _KEYS)
    if kind == "model":
        return replace(
            step,
            input=step.input if step.input is not None else read_turns(span.first(INPUT), "user"),
            output=step.output if step.output is not None else read_turns(span.first(OUTPUT), "assistant"),
        )
    function = read_step(span, kind, Keys(input_value=(INPUT,), output_value=(OUTPUT,)))
    return replace(
        step,
        input=step.input or function.input,
        output=step.output or function.output,
        input_text=function.input_text,
        output_text=as_text(decode_text(function.output_text)),
    )


def _tool(span: Span) -> Step:
    """Return a tool call, whose result is always JSON."""
    step = read_step(span, "tool", _KEYS)
    result = step.result if step.result is not None else as_text(decode_text(span.first(OUTPUT)))
    return read_traced_tool(span, replace(step, result=result), decode_text(span.first(INPUT)))


DIALECT = Dialect(
    "laminar",
    read,
    scopes=("lmnr.tracer",),
    keys=(TYPE, INPUT, OUTPUT),
    evidence=(Evidence("lmnr", "0.8", "recording"),),
)
