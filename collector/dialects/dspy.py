"""DSPy, as OpenInference records it: nested modules, tools named by their spans alone, calls written as text.

Every module is a chain; the outermost is the run. What `ReAct` has its model write are fields under headings, and the
tool by which it says that it has finished is none of the user's.
Source: openinference-instrumentation-dspy 0.1.48 (`__init__.py`), dspy 3.4.1 (`predict/react.py`, `adapters`)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tracegrade.evaluators.model import Message, MessagePart, TextPart, ToolCallPart, ToolCallResponsePart

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text, decode_text
from .shared import openinference
from .shared.dialect import Dialect, Evidence
from .shared.parts import read_arguments

__all__ = ["DIALECT"]

_MODULE = re.compile(r"(\w+)(?:\(\w+\))?\.a?forward")
_HEADING = re.compile(r"\[\[ ## (\w+) ## \]\]")
_TRAJECTORY, _WANTED = "[[ ## trajectory ## ]]", "\n\nRespond with "
_FINISH, _FINISHED = "finish", "Completed."
_ABOUT_THE_WORK = frozenset({"trajectory", "history", "tools", "reasoning", "rationale", "termination_reason"})
"""Fields of a module's inputs and outputs that are neither question nor answer."""


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None:
        return None
    match step.kind:
        case "tool":
            return _tool(span, step)
        case "model":
            return _model(step)
        case "workflow":
            return _module(span, step)
    return step


def _model(step: Step) -> Step:
    return replace(
        step,
        input=tuple(turn for message in step.input for turn in _without_trajectory(message)) if step.input else None,
        output=tuple(map(_with_calls, step.output)) if step.output else None,
    )


def _module(span: Span, step: Step) -> Step:
    match = _MODULE.fullmatch(span.name)
    inputs = as_object(span.first("input.value"))
    if inputs is not None and isinstance(inputs.get("input_args"), dict):
        inputs = inputs["input_args"]
    return replace(
        step,
        agent_name=step.agent_name or (match[1] if match else None),
        input=None,
        output=None,
        input_text=_join_fields(inputs) or step.input_text,
        output_text=_join_fields(as_object(span.first("output.value"))) or step.output_text,
    )


def _join_fields(fields: Mapping[str, Any] | None) -> str | None:
    """Return one field's value, or all of several."""
    values = {key: value for key, value in (fields or {}).items() if key not in _ABOUT_THE_WORK}
    return as_text(next(iter(values.values())) if len(values) == 1 else values) if values else None


def _tool(span: Span, step: Step) -> Step | None:
    name = span.name.removesuffix(".__call__").removesuffix(".acall")
    result = as_text(decode_text(step.result)) if step.result else step.result
    if name == _FINISH and result == _FINISHED:
        return None
    called = as_object(span.first("input.value")) or {}
    return replace(step, tool_name=name, args=read_arguments(called.get("kwargs", step.args)), result=result)


def _with_calls(message: Message) -> Message:
    """Return the message with the tool call that its fields describe, in place of these."""
    if len(message.parts) != 1 or not isinstance(message.parts[0], TextPart):
        return message
    fields = _fields(message.parts[0].content)
    name = fields.get("next_tool_name")
    if not name or name == _FINISH:
        return message
    thought: list[MessagePart] = [TextPart(content=fields["next_thought"])] if fields.get("next_thought") else []
    call = ToolCallPart(id=None, name=str(name), arguments=read_arguments(fields.get("next_tool_args")))
    return message.model_copy(update={"parts": (*thought, call)})


def _without_trajectory(message: Message) -> Iterator[Message]:
    """Yield the user's question and the answers of tools, which `ReAct` writes into one text.

    The trajectory is the last of the fields; the model's answers tell the calls in it.
    """
    question, has_trajectory, remainder = (message.text or "").partition(_TRAJECTORY)
    if message.role != "user" or not has_trajectory:
        yield message
        return
    trajectory, ending, instructions = remainder.rpartition(_WANTED) if _WANTED in remainder else (remainder, "", "")
    other_parts = (part for part in message.parts if not isinstance(part, TextPart))
    yield message.model_copy(
        update={"parts": (TextPart(content=f"{question.rstrip()}{ending}{instructions}"), *other_parts)}
    )
    yield from _observed(_fields(trajectory))


def _observed(fields: Mapping[str, Any]) -> Iterator[Message]:
    for heading, result in fields.items():
        field, _, number = heading.rpartition("_")
        tool = as_text(fields.get(f"tool_name_{number}"))
        if field == "observation" and tool != _FINISH:
            yield Message(role="tool", parts=(ToolCallResponsePart(id=None, name=tool, response=as_text(result)),))


def _fields(text: str) -> dict[str, Any]:
    """Return fields that one adapter writes under headings, another as JSON."""
    headings, texts = (parts := _HEADING.split(text))[1::2], parts[2::2]
    return as_object(text) or {heading: field.strip() for heading, field in zip(headings, texts, strict=True)}


DIALECT = Dialect(
    "dspy",
    read,
    scopes=("openinference.instrumentation.dspy",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-dspy", "0.1", "recording"),),
)
