"""CrewAI, as OpenInference records it: the task instead of a user's message, and tools under their display names.

There are two recorders in one package: wrappers around CrewAI's methods, and a listener to its events, which also
records model calls. What the listener is given holds the repr of everything nested five deep.
Source: openinference-instrumentation-crewai 1.1.21 (`_wrappers.py`, `_event_listener.py`), crewai 1.15.30
(`utilities/serialization.py`, `translations/en.json`)
"""

from __future__ import annotations

import re
from typing import Any

from tracegrade.evaluators.model import ToolDefinition

from ..spans.envelopes import parse_printed
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import NO_USAGE, Step, Usage
from ..spans.values import as_count, as_object, as_text, decode_text
from .shared import openinference
from .shared.dialect import Dialect, Evidence
from .shared.react import parse_react

__all__ = ["DIALECT"]

_PROMPT = re.compile(r"\A\s*Current Task: |\n\n(?:This is the expected criteria for your final answer|Begin!)[\s\S]*\Z")
_REPR = re.compile(r"'[^']*'|\"[^\"]*\"")


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None:
        return None
    match step.kind:
        case "tool":
            name, agent_name = _as_called(step.tool_name or ""), step.agent_name or span.text("tool.agent_role")
            return replace(step, tool_name=name, agent_name=agent_name, result=parse_printed(step.result))
        case "model":
            offered = tuple(map(_opened, step.definitions)) if step.definitions else None
            turns = tuple(map(parse_react, step.output)) if step.output else None
            return replace(step, definitions=offered, output=turns)
        case "agent":
            agent = replace(step, agent_name=step.agent_name or span.text("graph.node.id"))
            return _with_texts(span, replace(agent, agent_id=span.text("agent_id")), question=_find_question(step))
    return _with_texts(span, step, question=step.input_text)


def _with_texts(span: Span, step: Step, *, question: str | None) -> Step:
    return replace(
        step,
        input=None,
        input_text=_task(span) or question,
        output_text=_raw(span.first("output.value")),
        usage=step.usage if step.usage != NO_USAGE else _spent(span.first("output.value")),
    )


def _spent(output: Any) -> Usage:
    """Return the crew's count over all model calls; other instrumentations may record the calls, or none."""
    counts = as_object((as_object(output) or {}).get("token_usage")) or {}
    return Usage(
        input_tokens=as_count(counts.get("prompt_tokens")),
        output_tokens=as_count(counts.get("completion_tokens")),
        cached_input_tokens=as_count(counts.get("cached_prompt_tokens")),
    )


def _find_question(step: Step) -> str | None:
    """Return the message to an agent without a task, from the prompt around it."""
    questions = [message.text for message in step.input or () if message.role == "user" and message.text]
    text = questions[-1] if questions else step.input_text
    return None if text is None or as_object(text) is not None else _PROMPT.sub("", text)


def _as_called(name: str) -> str:
    """Return the name by which the model calls a tool: CrewAI writes it in lower case and without spaces."""
    return re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_") if " " in name else name


def _task(span: Span) -> str | None:
    """Return the task of the crew or agent."""
    tasks = decode_text(span.first("crew_tasks"))
    if isinstance(tasks, list):
        return _filled_in(_descriptions(tasks), as_object(span.first("input.value")) or {})
    result = as_object(span.first("output.value")) or {}
    return as_text(result.get("description")) or span.text("task_description", "formatted_description")


def _descriptions(tasks: list[Any]) -> str | None:
    descriptions = [
        task["description"] for task in tasks if isinstance(task, dict) and isinstance(task.get("description"), str)
    ]
    return "\n".join(descriptions) or None


def _filled_in(template: str | None, inputs: dict[str, Any]) -> str | None:
    """Return the tasks with inputs in place of their names: `{topic}` stands for the input `topic`."""
    filled = template
    for name, value in inputs.items():
        filled = filled and filled.replace(f"{{{name}}}", str(value))
    return filled


def _raw(value: Any) -> str | None:
    result = as_object(value)
    return as_text(result["raw"]) if result is not None and "raw" in result else as_text(value)


def _opened(definition: ToolDefinition) -> ToolDefinition:
    """Return the definition with the reprs within its schema decoded: `"origin": "{'type': 'string'}"`."""
    schema = definition.input_schema
    if schema is None:
        return definition
    return definition.model_copy(update={"input_schema": {key: _unquoted(value) for key, value in schema.items()}})


def _unquoted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _original(item) for key, item in value.items()}
    return [_original(item) for item in value] if isinstance(value, list) else value


def _original(item: Any) -> Any:
    return item[1:-1] if isinstance(item, str) and _REPR.fullmatch(item) else decode_text(item)


DIALECT = Dialect(
    "crewai",
    read,
    scopes=("openinference.instrumentation.crewai*",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-crewai", "1.1", "recording"),),
)
