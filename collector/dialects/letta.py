"""Letta: methods of its server with their parameters, requests to models and their answers as sent.

A call of `step` or `stream` of an agent is a run. Its name, session and user are not recorded.

Source: letta 0.16.8 (letta/otel/tracing.py, letta/agents/letta_agent.py, letta/agents/letta_agent_v2.py,
letta/adapters/letta_llm_request_adapter.py, letta/schemas/tool_execution_result.py)
"""

from __future__ import annotations

import re

from ..spans.envelopes import parse_printed
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step

__all__ = ["DIALECT"]

_RUN = re.compile(r"\w*Agent\w*\.(?:step|stream|step_stream|step_stream_no_tokens)")
_TOOL = "._execute_tool"
_MODEL = ".log_provider_trace"

_RUN_KEYS = Keys(run_id=("parameter.run_id",), session_id=("parameter.conversation_id",))
_TOOL_KEYS = Keys(tool_name=("parameter.tool_name",), args=("parameter.tool_args",))
_MODEL_KEYS = Keys(
    request_model=("request.model",),
    response_model=("response.model",),
    response_id=("response.id",),
    usage=("response.usage",),
    input_value=("request_data",),
    output_value=("response_data",),
    definitions=("request.tools",),
)


def read(span: Span) -> Step | None:
    if _RUN.fullmatch(span.name):
        return read_step(span, "agent", _RUN_KEYS)
    if span.name.endswith(_TOOL):
        return _tool(span)
    return _model(span) if span.name.endswith(_MODEL) else None


def _tool(span: Span) -> Step | None:
    """Return a tool call; its result is in the event that ends it."""
    step = read_step(span, "tool", _TOOL_KEYS)
    if step.tool_name is None:
        return None
    event = next(span.events_named(f"finish_{step.tool_name}_execution"), None)
    if event is None:
        return step
    result = parse_printed(as_text(event.attributes.get("func_return")))
    is_failed = event.attributes.get("status") == "error"
    return replace(step, result=result, error=(step.error or result or "error") if is_failed else step.error)


def _model(span: Span) -> Step | None:
    """Return a model call, from the bodies of request and response."""
    request, response = as_object(span.first("request_data")), as_object(span.first("response_data"))
    if request is None and response is None:
        return None
    fields = {
        **{f"request.{key}": value for key, value in (request or {}).items() if key in {"model", "tools"}},
        **{f"response.{key}": value for key, value in (response or {}).items() if key in {"id", "model", "usage"}},
    }
    return read_step(replace(span, attributes={**span.attributes, **fields}), "model", _MODEL_KEYS)


DIALECT = Dialect(
    "letta",
    read,
    scopes=("letta.otel.tracing",),
    evidence=(Evidence("letta", "0.16", "source"),),
)
