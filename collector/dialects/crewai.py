"""CrewAI, as OpenInference records it: the task in place of a user's message, and tools under their display names.

Source: openinference-instrumentation-crewai 1.1 (https://github.com/Arize-ai/openinference)
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..span import Span
from ..step import Step
from ..values import as_object, as_text, decode_text
from . import inference
from .base import Dialect

__all__ = ["CREWAI"]


def read(span: Span) -> Step | None:
    step = inference.read(span)
    if step is None:
        return None
    if step.kind == "tool":
        return replace(step, tool_name=_as_called(step.tool_name or ""))
    return replace(
        step,
        agent_name=step.agent_name or span.text("graph.node.id") if step.kind == "agent" else step.agent_name,
        input_text=_task(span),
        output_text=_raw(span.first("output.value")),
    )


def _as_called(name: str) -> str:
    """The name by which the model calls a tool: CrewAI writes it in lower case and without spaces."""
    return re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_") if " " in name else name


def _task(span: Span) -> str | None:
    """What the crew or agent was given to do."""
    tasks = decode_text(span.first("crew_tasks"))
    if isinstance(tasks, list):
        return _last_description(tasks)
    result = as_object(span.first("output.value")) or {}
    return as_text(result.get("description"))


def _last_description(tasks: list[Any]) -> str | None:
    found = [
        task["description"] for task in tasks if isinstance(task, dict) and isinstance(task.get("description"), str)
    ]
    return "\n".join(found) or None


def _raw(value: Any) -> str | None:
    result = as_object(value)
    return as_text(result["raw"]) if result is not None and "raw" in result else as_text(value)


CREWAI = Dialect("crewai", read, scopes=("openinference.instrumentation.crewai",))
