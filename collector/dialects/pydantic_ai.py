"""Pydantic AI (and Logfire): GenAI keys; the history of a run and its final result under keys of its own.

Before it wrote operation names, a run was the span with the name of an agent and of its model; Logfire calls it
`<agent> run`, the package itself `agent run`.

Source: pydantic-ai-slim 0.1, 0.3, 0.5, 0.8, 1.107 and 2.68 (pydantic_ai/models/instrumented.py, pydantic_ai/agent.py),
instrumentation versions 1 to 6
"""

from __future__ import annotations

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.messages import message, messages
from .shared.semconv_events import split_message_events, with_events
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_KEYS = semconv.KEYS.before(
    Keys(
        agent_name=("agent_name",),
        request_model=("gen_ai.request.model", "model_name"),
        cost_usd=("operation.cost",),
        args=("tool_arguments",),
        result=("tool_response",),
        output_text=("final_result",),
    )
)


_ALL_MESSAGES = "pydantic_ai.all_messages"
_HISTORY = (_ALL_MESSAGES, "all_messages", "all_messages_events", "final_result")


def read(span: Span) -> Step | None:
    if _is_run(span):
        step: Step | None = semconv.read_conversation_step(span, "agent", _KEYS)
    else:
        step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return replace(step, error=None, interrupt=step.tool_name) if _is_deferred(span) else step
    return _model(span, step) if step.kind == "model" else _run(span, step)


def _is_run(span: Span) -> bool:
    if span.first(semconv.OPERATION, "gen_ai.tool.name") is not None:
        return False
    is_named_so = span.name.endswith(" run") or span.first("model_name", *_HISTORY) is not None
    return _ALL_MESSAGES in span.attributes or (span.text("agent_name") is not None and is_named_so)


def _is_deferred(span: Span) -> bool:
    return span.first("pydantic_ai.tool.deferral.name") is not None


def _model(span: Span, step: Step) -> Step:
    """Read version 1 of the format: one event per message, all in one attribute or each in a log record."""
    turns, chosen = split_message_events(decode_text(span.first("events")))
    parameters = as_object(span.first("model_request_parameters")) or {}
    completed = replace(
        step,
        definitions=step.definitions or read_definitions(parameters.get("function_tools")),
        input=step.input if step.input is not None else turns or None,
        output=step.output if step.output is not None else chosen or None,
    )
    return with_events(span, completed)


def _run(span: Span, step: Step) -> Step:
    """Return a run, which begins in the history at `pydantic_ai.new_message_index`."""
    history = messages(span.first(_ALL_MESSAGES, "all_messages"))
    if history is None:
        turns, chosen = split_message_events(decode_text(span.first("all_messages_events")))
        history = (*turns, *chosen) or None
    begins = span.count("pydantic_ai.new_message_index")
    deferred = _find_deferred_tools(step.output_text)
    history_turns, new_turns = _split_turns(history or (), begins)
    return replace(
        step,
        interrupt=deferred,
        output=step.output or (_closed(new_turns, step.output_text) if deferred is None else None),
        output_text=step.output_text if deferred is None else None,
        input=_with_history(step.input, history_turns if deferred is None else (*history_turns, *new_turns)),
    )


def _split_turns(history: tuple[Message, ...], begins: int | None) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Split a history into the question and the run's messages, which begin with the model's first one.

    Where no index says which message of the history is the run's first, the user's last one is.
    """
    own = history[begins:] if begins is not None else history
    roles = [message.role if message.text is not None or message.role == "assistant" else "" for message in own]
    if begins is None and "user" in roles:
        answer = len(roles) - roles[::-1].index("user")
    else:
        answer = roles.index("assistant") if "assistant" in roles else len(roles)
    return own[:answer], own[answer:]


def _closed(gave: tuple[Message, ...], result: str | None) -> tuple[Message, ...] | None:
    """Return the run's messages with its result at the end; a result in a tool call is not a text of the model."""
    if not gave or result is None or (gave[-1].role == "assistant" and gave[-1].text == result):
        return gave or None
    return (*gave, message({"role": "assistant", "parts": [result]}))


def _find_deferred_tools(result: str | None) -> str | None:
    """Return the tools whose calls ended the run: its result is a `DeferredToolRequests`."""
    requests = as_object(result)
    if requests is None or not {"calls", "approvals"} <= requests.keys():
        return None
    listed = [requested for key in ("approvals", "calls") if isinstance(requested := requests[key], list)]
    calls = [call for requested in listed for call in map(as_object, requested) if call and "tool_name" in call]
    return ", ".join(dict.fromkeys(str(call["tool_name"]) for call in calls))


def _with_history(inputs: tuple[Message, ...] | None, history: tuple[Message, ...]) -> tuple[Message, ...] | None:
    """Return the run's own input, completed from the history if it only has instructions."""
    if inputs is not None and any(turn.role != "system" for turn in inputs):
        return inputs
    return (*(inputs or ()), *history) or None


DIALECT = Dialect(
    "pydantic_ai",
    read,
    scopes=("pydantic-ai",),
    content="InstrumentationSettings(include_content=True)",
    evidence=(
        Evidence("pydantic-ai-slim", "0.3, 1.107, 2.68", "recording"),
        Evidence("pydantic-ai-slim", "0.1, 0.5, 0.8", "source"),
    ),
)
