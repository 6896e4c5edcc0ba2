"""LangWatch's SDKs: spans that an application traces by hand or by decorators, with typed values under `langwatch.*`.

`langwatch.input` and `langwatch.output` are `{"type", "value"}`, a list has such values inside; a traced function's
input is an object of its arguments. Session and user are in `metadata` of the outermost span, in TypeScript also keys
of their own. GenAI keys stand beside.

Source: langwatch 1.4 from PyPI (langwatch/attributes.py, telemetry/span.py, telemetry/tracing.py), langwatch 0.16 from
npm
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, as_text, decode_text
from .shared import semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.tool_definitions import read_definitions
from .shared.traced import read_traced_tool

__all__ = ["DIALECT"]

TYPE, INPUT, OUTPUT, METRICS = "langwatch.span.type", "langwatch.input", "langwatch.output", "langwatch.metrics"
_TYPED = (INPUT, OUTPUT, METRICS)
_KINDS: dict[str, StepKind] = {
    "agent": "agent",
    "llm": "model",
    "tool": "tool",
    "rag": "retrieval",
    **dict.fromkeys(("chain", "component", "graph", "module", "span", "task", "workflow"), "workflow"),
}
_KEYS = Keys(
    session_id=("langwatch.thread.id", "langwatch.session.id"),
    user_id=("langwatch.user.id",),
    usage=(METRICS,),
    input_value=(INPUT,),
    output_value=(OUTPUT,),
    result=(OUTPUT,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    kind = _KINDS.get(span.text(TYPE) or "") if TYPE in span.attributes else semconv.kind_of(span) or "workflow"
    if kind is None:
        return None
    values = {key: _untyped(span.first(key)) for key in _TYPED if key in span.attributes}
    step = read_step(replace(span, attributes={**span.attributes, **values}), kind, _KEYS)
    step = _attributed(span, step)
    if kind == "tool":
        said = _read_only_message(values.get(OUTPUT))
        return read_traced_tool(span, step if said is None else replace(step, result=said), values.get(INPUT))
    return _model(span, step, values) if kind == "model" else _with_agent_name(span, step)


def _attributed(span: Span, step: Step) -> Step:
    """Return the step with session and user from the metadata of the trace."""
    metadata = as_object(span.first("metadata")) or {}
    return replace(
        step,
        session_id=step.session_id or as_text(metadata.get("thread_id") or metadata.get("threadId")),
        user_id=step.user_id or as_text(metadata.get("user_id") or metadata.get("userId")),
    )


def _with_agent_name(span: Span, step: Step) -> Step:
    return step if step.agent_name is not None or step.kind != "agent" else replace(step, agent_name=span.name)


def _model(span: Span, step: Step, values: Mapping[str, Any]) -> Step:
    params = as_object(_untyped(span.first("langwatch.params"))) or {}
    cost = (as_object(values.get(METRICS)) or {}).get("cost")
    cost_usd = float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) else None
    return replace(
        step,
        input=read_turns(step.input_text, "user") if step.input_text is not None else step.input,
        output=read_turns(step.output_text, "assistant") if step.output_text is not None else step.output,
        input_text=None,
        output_text=None,
        usage=step.usage if cost_usd is None else step.usage._replace(cost_usd=cost_usd),
        definitions=step.definitions or read_definitions(params.get("tools")),
    )


def _read_only_message(output: Any) -> str | None:
    """Return the content of the only message in an output, as of LangChain's tools; None for any other output."""
    only = output[0] if isinstance(output, list) and len(output) == 1 else None
    return as_text(only["content"]) if isinstance(only, dict) and only.keys() == {"role", "content"} else None


def _untyped(value: Any) -> Any:
    """Return a value without the `{"type", "value"}` around it and around the items of a list."""
    typed_value = decode_text(value)
    if isinstance(typed_value, dict) and typed_value.keys() == {"type", "value"}:
        inner = typed_value["value"]
        is_list = typed_value["type"] == "list" and isinstance(inner, list)
        return [_untyped(item) for item in inner] if is_list else inner
    return value


DIALECT = Dialect(
    "langwatch",
    read,
    level="convention",
    keys=(TYPE, INPUT, OUTPUT),
    evidence=(Evidence("langwatch (PyPI)", "1.4", "recording"), Evidence("langwatch (npm)", "0.16", "source")),
)
