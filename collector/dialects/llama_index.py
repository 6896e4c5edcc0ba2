"""LlamaIndex, as OpenInference records it: results as ToolOutput, workflows without the conversation.

An agent is a workflow whose steps are recorded one by one, beside each other; the events between them are reprs, those
given back cut off after 200 characters.
Source: openinference-instrumentation-llama-index 4.6.1 (`_handler.py`), llama-index-core 0.14.25 (`agent/workflow`)
"""

from __future__ import annotations

import re
from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text, decode_text
from .shared import openinference
from .shared.dialect import Dialect, Evidence
from .shared.parts import read_arguments
from .shared.react import parse_react

__all__ = ["DIALECT"]

_PREPARES = "_prepare_chat_with_tools"
_TURN = '"run_agent_step"'
"""The step of a workflow in which an agent calls its model."""

_AGENT_RUN = re.compile(r"\w*Agent(Workflow)?\.run")
_IN_TURN = re.compile(r"current_agent_name='([^']+)'\)\Z")
_LIVE_OBJECT = re.compile(r"<[\w.]+ object at 0x[0-9a-f]+>")


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None or span.name.endswith(_PREPARES):
        return None
    if step.kind == "tool":
        return _tool(span, step)
    if step.kind == "model":
        return replace(step, output=tuple(map(parse_react, step.output)) if step.output else None)
    if step.kind not in {"agent", "workflow"} or span.text("input.mime_type") != "application/json":
        return step  # what the user asked of an agent or an engine of before workflows is recorded as plain text
    return replace(
        step,
        kind="agent" if _is_agent(span) else step.kind,
        agent_name=step.agent_name or _in_turn(span),
        input=None,
        output=None,
        input_text=None,
        output_text=None,
    )


def _is_agent(span: Span) -> bool:
    """Return whether this is the whole run of a workflow in which an agent takes its turns."""
    if not span.name.endswith(".run"):
        return False
    return _AGENT_RUN.fullmatch(span.name) is not None or _TURN in (span.text("input.value") or "")


def _in_turn(span: Span) -> str | None:
    """Return the agent whose turn a step is, from the end of the event that is its input."""
    inputs = (as_object(span.first("input.value")) or {}).values()
    matches = (_IN_TURN.search(match) for match in inputs if isinstance(match, str))
    return next((match[1] for match in matches if match), None)


def _tool(span: Span, step: Step) -> Step:
    called = as_object(span.first("input.value")) or {}
    args = _passed(span, called["kwargs"]) if called.keys() == {"kwargs"} else step.args
    output = as_object(step.result)
    if output is None or "raw_output" not in output:
        return replace(step, args=read_arguments(args))
    result = as_text(decode_text(output["raw_output"])) if output["raw_output"] != "" else ""
    failed = (result or "error") if output.get("is_error") is True else None
    return replace(step, args=read_arguments(args), result=result, error=step.error or failed)


def _passed(span: Span, kwargs: Any) -> Any:
    """Return the model's arguments, without live objects that the framework adds besides the tool's schema."""
    if not isinstance(kwargs, dict):
        return kwargs
    schema = as_object(span.first("tool.parameters")) or {}
    properties = as_object(schema.get("properties")) or {}
    return {key: value for key, value in kwargs.items() if key in properties or not _is_live(value)}


def _is_live(value: Any) -> bool:
    return isinstance(value, str) and _LIVE_OBJECT.fullmatch(value) is not None


DIALECT = Dialect(
    "llama_index",
    read,
    scopes=("openinference.instrumentation.llama_index",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-llama-index", "4.6", "recording"),),
)
