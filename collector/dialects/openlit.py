"""OpenLIT: GenAI keys, with the requested tools of a model call also beside its messages.

A function under `@openlit.trace` is a span with the repr of its arguments, and what it returned as its output messages.

Before messages, prompts and completions were events. An answer to a request with tools is left out of them, whether it
calls one or not, and so are the calls. A cost of 0 says that the price was not known.

Source: openlit 1.45.0 (openlit/__init__.py, openlit/semcov, openlit/instrumentation/openai/utils.py), 1.30.5
(openlit/__helpers.py, openlit/instrumentation/openai/openai.py)
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from tracegrade.evaluators.model import Message, ToolCallPart

from ..spans.envelopes import parse_printed_message
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.messages import message
from .shared.prompts import COMPLETION

__all__ = ["DIALECT"]

_KEYS = semconv.KEYS.before(
    Keys(input_value=("gen_ai.agent.human_input",), output_value=("gen_ai.agent.actual_output",)),
)
_LANGCHAIN, _LANGGRAPH = "openlit.instrumentation.langchain", "openlit.instrumentation.langgraph"
_MODEL_NODE = "agent"
_FUNCTION = Keys(
    output_value=(semconv.OUTPUT, COMPLETION),
    definitions=(semconv.DEFINITIONS,),
    session_id=semconv.KEYS.session_id,
    user_id=semconv.KEYS.user_id,
)


def read(span: Span) -> Step | None:
    if span.scope_name == "openlit" and span.text(semconv.OPERATION) is None:
        return _function(span)
    if _is_node(span):
        return None
    step = semconv.read(span, _KEYS)
    if step is not None and step.kind == "tool":
        return _tool(step)
    if step is None or step.kind != "model":
        return step
    turns = tuple(map(_as_written, step.output or ()))
    if step.usage.cost_usd == 0:
        step = replace(step, usage=step.usage._replace(cost_usd=None))
    return replace(step, output=turns if any(turn.parts for turn in turns) else _read_lone_calls(span) or step.output)


def _is_node(span: Span) -> bool:
    """Return whether this is a node of a graph, which is recorded as an agent.

    In LangGraph every node is; the agents among them have a span of LangChain beside it. In LangChain the node that
    calls the model in LangGraph's prebuilt agent is one, for its name is `agent`.
    """
    if span.text(semconv.OPERATION) != "invoke_agent":
        return False
    is_named = span.text("gen_ai.agent.name") == _MODEL_NODE and span.parent_span_id is not None
    return span.scope_name == _LANGGRAPH or (span.scope_name == _LANGCHAIN and is_named)


def _tool(step: Step) -> Step:
    """Return a tool call; the result of LangChain's is the `str` of a ToolMessage."""
    printed = parse_printed_message(step.result) if step.result is not None else None
    if printed is None:
        return step
    call_id, error = step.call_id or printed.call_id, step.error or printed.error
    return replace(step, result=printed.text, call_id=call_id, error=error)


def _as_written(message: Message) -> Message:
    parts = (_unwrap_arguments(part) if isinstance(part, ToolCallPart) else part for part in message.parts)
    return message.model_copy(update={"parts": tuple(parts)})


def _unwrap_arguments(call: ToolCallPart) -> ToolCallPart:
    """Return arguments that are not JSON, which are wrapped as `{"raw": …}`."""
    wrapper = call.arguments if isinstance(call.arguments, dict) and call.arguments.keys() == {"raw"} else {}
    text = wrapper.get("raw")
    is_broken = isinstance(text, str) and text.lstrip().startswith("{") and isinstance(decode_text(text), str)
    return call.model_copy(update={"arguments": text}) if is_broken else call


def _function(span: Span) -> Step:
    """Return the step of a function; its only argument is the input, several are ambiguous.

    Where a model's answer is streamed, what is told of the call as a log record stands on the function's span.
    """
    step = semconv.read_conversation_step(span, "workflow", _FUNCTION)
    args = _tuple(span.text("function.args"))
    kwargs = as_object(span.text("function.kwargs")) or {}
    values = [*args, *kwargs.values()]
    return replace(step, input_text=values[0] if len(values) == 1 and isinstance(values[0], str) else None)


def _tuple(text: str | None) -> list[Any]:
    """Return the values in the repr of a tuple."""
    values = decode_text(f"[{text[1:-1]}]") if text else None
    return values if isinstance(values, list) else []


def _read_lone_calls(span: Span) -> tuple[Message, ...] | None:
    """Return calls that are recorded without a message: names and ids in parallel; arguments of one alone."""
    names, ids = _listed(span.text("gen_ai.tool.name")), _listed(span.text("gen_ai.tool.call.id"))
    if not names:
        return None
    args = span.first("gen_ai.tool.args") if len(names) == 1 else None
    calls = [
        {"type": "tool_call", "id": call_id, "name": name, "arguments": args}
        for name, call_id in zip_longest(names, ids[: len(names)])
    ]
    return (message({"role": "assistant", "parts": calls}),)


def _listed(joined: str | None) -> list[str]:
    return [name for name in (joined or "").split(", ") if name]


DIALECT = Dialect(
    "openlit",
    read,
    level="convention",
    scopes=("openlit", "openlit.*"),
    content="openlit.init(capture_message_content=True)",
    evidence=(Evidence("openlit", "1.30, 1.45", "recording"),),
)
