"""Exceptions that steer a run: instrumentations mark spans with them as failed, although nothing went wrong.

Source: langgraph 1.2 (langgraph/errors.py), pydantic-ai-slim 2.68 (pydantic_ai/exceptions.py), strands-agents
(strands/interrupt.py), @genkit-ai/ai 1.42 (lib/tool.js), agent-framework-core (agent_framework/exceptions.py),
llama-index-workflows (WaitingForEvent), CrewAI flows (HumanFeedbackPending), haystack (BreakpointException), and MCP's
error code for a URL elicitation (https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .values import as_object, decode_text

__all__ = ["Signal", "is_command", "question_of", "question_of_graph", "signal_in"]

_STEERS = frozenset(
    {
        "Command",
        "GeneratorExit",
        "GraphBubbleUp",
        "GraphDrained",
        "MiddlewareTermination",
        "ParentCommand",
        "SkipModelRequest",
        "SkipToolExecution",
        "SkipToolValidation",
    }
)
"""The run goes on elsewhere, or whoever read its stream stopped reading."""

_WAITS = frozenset(
    {
        "-32042",
        "ApprovalRequired",
        "BreakpointException",
        "CallDeferred",
        "GraphInterrupt",
        "HITLBreakpointException",
        "HumanFeedbackPending",
        "InterruptError",
        "InterruptException",
        "NodeInterrupt",
        "ToolInterruptError",
        "UrlElicitationRequiredError",
        "UserInputRequiredException",
        "WaitingForEvent",
    }
)
"""The run stops until a person, or a system outside of it, has answered."""

_COMMAND = frozenset({"goto", "graph", "resume", "update"})
"""The fields of LangGraph's `Command`."""

_QUALIFIED = re.compile(r"[\w.$:<>-]*?(-?\w+)$")
_REPR = re.compile(r"\s*([A-Za-z]\w*)\(")
_INTERRUPTS = re.compile(r"\s*\(?\[?Interrupt\(")
_VALUE = re.compile(r"Interrupt\(value=(.*?)(?:, (?:id|interrupt_id|resumable|ns|when)=|\)*,?\)?$)", re.DOTALL)
_THROWN = re.compile(rf"^({'|'.join(sorted({*_WAITS, *_STEERS} - {'Command'}))})(?:: |\s*$)", re.MULTILINE)
"""How an exception of JavaScript begins within a message: LangGraph writes what it carries before it."""
_RAISED = "Interrupt raised: "
"""How the message of Strands' interrupt begins in JavaScript; its name follows."""
_ANY = "Exception"
"""The type that LangSmith gives every exception; the message begins with the repr of the real one."""
_KEY = "__interrupt__"
_LONGEST, _LONGEST_REPR = 2_000, 20_000
_ASKS = ("question", "message", "description", "prompt", "query", "text", "reason")
_ACTIONS = ("action_requests", "action_request", "actionRequests", "actionRequest")
_NAMES = ("name", "action", "tool_name", "toolName", "tool")


@dataclass(frozen=True, slots=True)
class Signal:
    """What an exception meant. `question` is what it asks, where it says so."""

    waits: bool
    question: str | None = None


def signal_in(type_name: str | None, message: str | None) -> Signal | None:
    """Return the signal of an exception of this type, or of an error with this message alone; None for a failure."""
    name = _class_name(type_name) if type_name else None
    if name == _ANY and message is not None:
        name = _constructor(message)
    if name is None and message is not None:
        name = "GraphInterrupt" if _INTERRUPTS.match(message) else _constructor(message) or _find_exception(message)
    if name in _WAITS:
        return Signal(waits=True, question=_question_in(message))
    return Signal(waits=False) if name in _STEERS else None


def _question_in(message: str | None) -> str | None:
    """Return the question in LangGraph's `(Interrupt(value=…, id=…),)`: a text, or the names of tools to approve.

    LangGraph for JavaScript writes a JSON list of `{id, value}` before the name of its exception.
    """
    carried = decode_text(_THROWN.split(message[:_LONGEST_REPR], maxsplit=1)[0].strip()) if message else None
    if message and message.startswith(_RAISED):
        return message.removeprefix(_RAISED)[:_LONGEST] or None
    if isinstance(carried, list):
        return _joined(map(_question, carried))
    values = _VALUE.findall(message[:_LONGEST_REPR]) if message else ()
    return _joined(question_of(_literal(value)) for value in values)


def question_of_graph(output: Any) -> str | None:
    """Return the question in a graph's output under `__interrupt__`; "" for an interrupt without one."""
    if not isinstance(output, str) or _KEY not in output:
        return None
    value = (as_object(output) or {}).get(_KEY)
    interrupts = value if isinstance(value, list) else [value] if value else []
    if not interrupts:
        return None
    return next((text for interrupt in interrupts if (text := _question(interrupt))), "")


def is_command(text: str) -> bool:
    """Return whether a graph's input is LangGraph's `Command`, as after an interrupt, and not a question.

    LangChain's tracer puts an input that has no messages under `input`.
    """
    if not text.startswith(("{", "Command(")):
        return False
    fields = as_object(text) or {}
    inner = fields["input"] if fields.keys() == {"input"} and isinstance(fields["input"], dict) else fields
    return text.startswith("Command(") or inner.keys() == _COMMAND


def _question(interrupt: Any) -> str | None:
    if isinstance(interrupt, dict) and "value" in interrupt:
        return question_of(interrupt["value"])
    return _question_in(interrupt) if isinstance(interrupt, str) else None


def question_of(value: Any) -> str | None:
    """Return the question in a value of LangGraph's users or LangChain's middleware: a text, or names of tools."""
    if isinstance(value, list) and value:
        return _joined(question_of(item) for item in value)
    if not isinstance(value, dict):
        return str(value)[:_LONGEST] if value not in (None, "", [], {}, True, False) else None
    for key in _ACTIONS:
        actions = value.get(key)
        if actions:
            return _joined(_action(action) for action in (actions if isinstance(actions, list) else [actions]))
    texts = (value.get(key) for key in _ASKS)
    return next((text[:_LONGEST] for text in texts if isinstance(text, str) and text), None) or _action(value)


def _action(action: Any) -> str | None:
    if not isinstance(action, dict):
        return action if isinstance(action, str) else None
    return next((name for key in _NAMES if isinstance(name := action.get(key), str) and name), None)


def _joined(texts: Iterable[str | None]) -> str | None:
    return ", ".join(dict.fromkeys(text for text in texts if text)) or None


def _literal(text: str) -> Any:
    """Return a quoted text without its quotes, a dict or list decoded, anything else as written."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "'\"":
        return stripped[1:-1]
    return decode_text(stripped)


def _class_name(type_name: str) -> str:
    """Return the name of a class without its modules."""
    matched = _QUALIFIED.match(type_name.strip())
    return matched[1] if matched else type_name


def _find_exception(message: str) -> str | None:
    """Return the exception that a line of a message begins with."""
    found = _THROWN.search(message[:_LONGEST_REPR])
    return found[1] if found else None


def _constructor(message: str) -> str | None:
    """Return the class in a message that is the repr of an exception."""
    matched = _REPR.match(message)
    return matched[1] if matched else None
