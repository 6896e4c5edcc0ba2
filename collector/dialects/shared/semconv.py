"""Reads the GenAI semantic conventions, for every dialect that writes some of their keys.

Dialects use this module for the names of the keys (`KEYS`), the kind of a step (`kind_of`) and its content (`read`).

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

from __future__ import annotations

from typing import Any

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step, StepKind
from .answer_texts import with_answer
from .content import read_turns
from .keys import Keys, read_step
from .prompts import has_prompts, with_prompts
from .semconv_content import as_list, with_event_content, with_tool_events
from .semconv_keys import (
    DEFINITIONS,
    DETAILS,
    INPUT,
    KEYS,
    OPERATION,
    OUTPUT,
    PLATFORM_USERS,
    REMEDIES,
    SESSIONS,
    SYSTEM,
)
from .semconv_kinds import SPAN_KIND, kind_of, mark_contradiction
from .tool_messages import with_messages

__all__ = [
    "DEFINITIONS",
    "DETAILS",
    "INPUT",
    "KEYS",
    "OPERATION",
    "OUTPUT",
    "PLATFORM_USERS",
    "REMEDIES",
    "SESSIONS",
    "SPAN_KIND",
    "SYSTEM",
    "kind_of",
    "mark_contradiction",
    "read",
    "read_conversation_step",
]

_MERGED = "(merged tools)"
"""The name by Google's ADK of a span that only repeats tools that ran in parallel."""


def read(span: Span, keys: Keys = KEYS) -> Step | None:
    """Return the step that the span's `gen_ai.*` keys record; `keys` may have more of them than the conventions."""
    kind = kind_of(span)
    if kind is None:
        return None
    if kind != "tool":
        return read_conversation_step(span, kind, keys)
    span = with_tool_events(span) if span.events else span
    step = _name_tool(with_messages(read_step(span, "tool", keys), span, with_event_content(span)), span)
    return step if step.tool_name != _MERGED else None


def read_conversation_step(span: Span, kind: StepKind, keys: Keys = KEYS) -> Step:
    """Return an agent run, workflow or model call, with the conversation that its events record."""
    span_with_content = with_event_content(span)
    step = with_answer(read_step(span_with_content, kind, keys), span)
    if kind == "model" and step.output and step.finish_reasons is None:
        reasons = _finish_reasons(span_with_content.first(*keys.output))
        step = step if reasons is None else replace(step, finish_reasons=reasons)
    if kind == "model" and (step.input is None or step.output is None):
        step = with_prompts(span, step) if has_prompts(span) else step
        step = _convert_texts(step) if step.input_text is not None or step.output_text is not None else step
    if step.agent_name is not None or not (name := _agent_in_name(span)):
        return step
    return replace(step, agent_name=name)


def _convert_texts(step: Step) -> Step:
    """Return a model call with its texts as messages, unless it has others."""
    question, answer = step.input, step.output
    if question is None and step.input_text is not None:
        question = read_turns(step.input_text, "user")
    if answer is None and step.output_text is not None:
        answer = read_turns(step.output_text, "assistant")
    return replace(step, input=question, output=answer, input_text=None, output_text=None)


def _name_tool(step: Step, span: Span) -> Step:
    if step.tool_name is not None:
        return step
    return replace(step, tool_name=span.name.removeprefix("execute_tool ").removeprefix("running tool: ").strip())


def _finish_reasons(output: Any) -> tuple[str, ...] | None:
    """Return the finish reasons in the messages of an answer."""
    if isinstance(output, str) and "finish_reason" not in output:
        return None
    answers = [answer for answer in as_list(output) if isinstance(answer, dict)]
    return tuple(reason for answer in answers if isinstance(reason := answer.get("finish_reason"), str)) or None


def _agent_in_name(span: Span) -> str | None:
    """Return the agent that the name of its span has, or is where only the kind says that it is an agent's."""
    if span.text(SPAN_KIND) == "AGENT" and span.text(OPERATION) is None:
        return span.name or None
    prefix, _, name = span.name.partition(" ")
    return name.strip() or None if prefix == "invoke_agent" else None
