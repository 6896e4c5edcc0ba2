"""Koog, the agent framework of JetBrains: GenAI keys, with JSON in results and a few names of its own.

Roles are the names of an enum, and a message that asks for a tool has the role of the tool. Up to 0.5 messages are
events, in which the model's answer is the assistant's last message and a call a choice; tools have their arguments
and results as `input.value` and `output.value`. Content is `HIDDEN:non-empty` unless it is asked for.

Source: https://github.com/JetBrains/koog (agents/agents-features/agents-features-opentelemetry: SpanAttributes.kt,
EventBodyFields.kt, AssistantMessageEvent.kt, ChoiceEvent.kt, SpanExt.kt, inferenceSpan.kt, invokeAgentSpan.kt,
executeToolSpan.kt), 0.3 to 0.7; the same files and GenAIAttributes.kt at 121110f8 and e9006c7d, of 1.0
"""

from __future__ import annotations

from itertools import takewhile

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.semconv_events import with_events

__all__ = ["DIALECT"]

_KEYS = semconv.KEYS.before(
    Keys(instructions=("system_instructions",), args=("input.value",), result=("output.value",)),
)


def speaks(span: Span) -> bool:
    """Return whether the span is Koog's own: its adapters for Langfuse and Weave write messages as OpenLLMetry."""
    return "gen_ai.prompt.0.role" not in span.attributes


def read(span: Span) -> Step | None:
    step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return replace(step, result=as_text(decode_text(step.result)))
    step = with_events(span, step)
    return _split_answer(step) if step.kind == "model" and step.output is None else step


def _split_answer(step: Step) -> Step:
    """Split off the answer: the assistant's messages at the end."""
    turns = step.input or ()
    answer = tuple(reversed([*takewhile(_is_assistant, reversed(turns))]))
    return replace(step, input=turns[: len(turns) - len(answer)] or None, output=answer) if answer else step


def _is_assistant(message: Message) -> bool:
    return message.role == "assistant"


DIALECT = Dialect(
    "koog",
    read,
    scopes=("ai.koog",),
    keys=("koog.*",),
    speaks=speaks,
    content="install(OpenTelemetry) { setVerbose(true) }",
    evidence=(Evidence("ai.koog:agents-features-opentelemetry", "0.3 to 1.0", "source"),),
)
