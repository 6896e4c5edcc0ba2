"""smolagents, as OpenInference records it: the final answer is the call of a tool.

Source: openinference-instrumentation-smolagents 0.1.43 (`_wrappers.py`), smolagents 1.26.0 (`agents.py`, `tools.py`)
"""

from __future__ import annotations

import ast
import re
from typing import Any

from tracegrade.evaluators.model import ToolDefinition

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text
from .shared import openinference
from .shared.dialect import Dialect, Evidence
from .shared.parts import read_arguments

__all__ = ["DIALECT"]

_FINAL = "final_answer"
_LAST_STEP = re.compile(r"FinalAnswerStep\(output=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")\)\Z")
_MAX_CHARACTERS = 1_000_000


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None or (step.kind == "tool" and step.tool_name == _FINAL):
        return None
    match step.kind:
        case "tool":
            return _tool(span, step)
        case "agent":
            return _agent(span, step)
    return step


def _agent(span: Span, step: Step) -> Step:
    """Return a run. The output of a streamed run is the reprs of all its items."""
    inputs = as_object(span.first("input.value")) or {}
    task = inputs.get("task")
    output_text = _last_of_stream(step.output_text) if inputs.get("stream") is True else step.output_text
    return replace(step, input_text=as_text(task) if task is not None else step.input_text, output_text=output_text)


def _last_of_stream(text: str | None) -> str | None:
    match = _LAST_STEP.search(text) if text is not None and len(text) <= _MAX_CHARACTERS else None
    return ast.literal_eval(match[1]) if match else None


def _tool(span: Span, step: Step) -> Step:
    """Return a tool call: code passes arguments by position, in the order of the tool's inputs."""
    inputs = as_object(span.first("tool.parameters")) or {}
    called = as_object(span.first("input.value")) or {}
    args, kwargs = called.get("args"), called.get("kwargs")
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        return replace(step, definitions=_offered(span, inputs))
    return replace(step, args=read_arguments(_bound(args, kwargs, list(inputs))), definitions=_offered(span, inputs))


def _bound(args: list[Any], kwargs: dict[str, Any], names: list[str]) -> Any:
    """Return arguments by name; a single text or object stands for all of them, as in a model's call."""
    if len(args) == 1 and not kwargs:
        alone = args[0]
        if isinstance(alone, dict) or (isinstance(alone, str) and alone.lstrip().startswith("{")):
            return alone
    names = [name for name in names if name not in kwargs]
    return {**{_name(names, at): value for at, value in enumerate(args)}, **kwargs}


def _name(names: list[str], at: int) -> str:
    return names[at] if at < len(names) else f"arg{at}"


def _offered(span: Span, inputs: dict[str, Any]) -> tuple[ToolDefinition, ...] | None:
    """Return the tool as smolagents offers it: every input that is not nullable is required."""
    name = span.text("tool.name")
    if name is None or not all(isinstance(field, dict) and "type" in field for field in inputs.values()):
        return None
    required = [key for key, field in inputs.items() if not field.get("nullable")]
    schema = {"type": "object", "properties": inputs, "required": required}
    return (ToolDefinition(name=name, description=span.text("tool.description"), input_schema=schema),)


DIALECT = Dialect(
    "smolagents",
    read,
    scopes=("openinference.instrumentation.smolagents",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-smolagents", "0.1", "recording"),),
)
