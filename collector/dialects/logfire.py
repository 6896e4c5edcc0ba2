"""Logfire's own spans: of the OpenAI Agents SDK, and of the clients of OpenAI and Anthropic.

What is neither text nor number is JSON, and what was not there is the text `null`. Agents, tools and hand-offs are told
apart by the template of the span's message. (Pydantic AI makes its spans itself, whoever sends them.)

Source: logfire 5.2 (logfire/_internal/integrations/openai_agents.py, llm_providers/openai.py and anthropic.py; versions
1 and 2 of the attributes)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, decode_text, is_placeholder
from .shared import openai_agents, semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.semconv_events import split_message_events

__all__ = ["DIALECT"]

AGENTS = "logfire.openai_agents"
TEMPLATE, SPAN_TYPE = "logfire.msg_template", "logfire.span_type"
OBJECTS = ("request_data", "response_data", "response")

_KINDS: tuple[tuple[str, StepKind], ...] = (
    ("OpenAI Agents trace:", "workflow"),
    ("Agent run:", "agent"),
    ("Function:", "tool"),
    ("Responses API", "model"),
    ("Chat completion with", "model"),
    ("Handoff:", "handoff"),
)
"""The beginning of the templates; those of tasks, turns and guardrails only give structure."""

_OTHER = " API call to {url!r}"
"""The endings of templates of requests other than for a model's answer: for files, threads, assistants."""

_WHO = Keys(session_id=("gen_ai.conversation.id", "session.id", "session_id"), user_id=("user.id", "user_id"))
"""Baggage, which Logfire writes onto every span: under the conventions' names, or as people call it."""

_IDS = frozenset({"session_id", "user_id", "group_id"})

_AGENTS_MODEL = Keys(
    cost_usd=("operation.cost",),
    response_id=("response_id",),
    usage=("usage",),
    instructions=("response.instructions",),
    input_value=("raw_input", "input"),
    output_value=("response", "output"),
    definitions=("response.tools",),
)
_CLIENT_MODEL = Keys(
    cost_usd=("operation.cost",),
    request_model=("request_data.model",),
    usage=("response_data.usage",),
    instructions=("request_data.system",),
    input_value=("request_data.messages",),
    output_value=("response_data.message", "response_data.combined_chunk_content", "response_data.text"),
    definitions=("request_data.tools",),
)
_CLIENT: Mapping[StepKind, Keys] = {"model": semconv.KEYS.before(_CLIENT_MODEL).before(_WHO)}
_AGENTS: Mapping[StepKind, Keys] = {
    "workflow": _WHO.before(Keys(agent_name=("name",), session_id=("group_id",))),
    "agent": _WHO.before(Keys(agent_name=("name",))),
    "tool": _WHO.before(Keys(tool_name=("name",), args=("input",), result=("output",))),
    "handoff": _WHO.before(Keys(agent_name=("from_agent",), target=("to_agent",))),
    "model": semconv.KEYS.before(_AGENTS_MODEL).before(_WHO),
}
_ANSWERED = (
    "response_data",
    "gen_ai.response.id",
    semconv.OUTPUT,
    "gen_ai.usage.input_tokens",
)


def read(span: Span) -> Step | None:
    if span.text(SPAN_TYPE) == "pending_span":
        return None
    is_of_agents = span.scope_name == AGENTS
    opened = replace(span, attributes=_opened(span.attributes))
    kind = _kind_of_agents(opened) if is_of_agents else _kind_of_client(opened)
    if kind is None:
        return None
    step = read_step(opened, kind, (_AGENTS if is_of_agents else _CLIENT)[kind])
    return _conversation(opened, step) if kind == "model" else step


def _opened(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes without nulls, and the fields of its objects as attributes of their own."""
    opened = {
        key: value
        for key, value in attributes.items()
        if value != "null" and not (key in _IDS and is_placeholder(value))
    }
    for name in OBJECTS:
        fields = as_object(opened.get(name)) or {}
        opened.update({f"{name}.{field}": value for field, value in fields.items() if value is not None})
    return opened


def _kind_of_agents(span: Span) -> StepKind | None:
    template = span.text(TEMPLATE) or span.name
    return next((kind for start, kind in _KINDS if template.startswith(start)), None)


def _kind_of_client(span: Span) -> StepKind | None:
    """Return the kind; a streamed request has two spans, and only the later one, with its answer, counts."""
    if (span.text(TEMPLATE) or span.name).endswith(_OTHER):
        return None
    is_call = semconv.kind_of(span) == "model" or (
        span.text(semconv.OPERATION) is None and span.first("request_data.messages") is not None
    )
    is_told_later = span.status_code != "error" and span.first(*_ANSWERED) is None
    return "model" if is_call and not is_told_later else None


def _conversation(span: Span, step: Step) -> Step:
    """Return the messages, also of an input that is a text, or of one list with input and output."""
    if step.input_text is not None:
        question = read_turns(step.input_text, "user") or ()
        step = replace(step, input=(*(step.input or ()), *question) or None, input_text=None)
    if step.input is not None:
        return step
    turns, _ = split_message_events(decode_text(span.first("events")))
    is_answered = step.output is not None or span.first(*_ANSWERED) is not None
    ends = len(turns) - (_count_trailing_answers(turns) if is_answered else 0)
    return replace(step, input=turns[:ends] or None, output=step.output or turns[ends:] or None)


def _count_trailing_answers(messages: tuple[Message, ...]) -> int:
    """Return how many messages at the end are the assistant's."""
    positions = (position for position, message in enumerate(reversed(messages)) if message.role != "assistant")
    return next(positions, len(messages))


DIALECT = Dialect(
    "logfire",
    read,
    scopes=(AGENTS, "logfire.openai", "logfire.anthropic"),
    content="OPENAI_AGENTS_TRACE_INCLUDE_SENSITIVE_DATA=true",
    unrecorded=openai_agents.UNRECORDED,
    evidence=(Evidence("logfire", "5.2", "recording"),),
)
