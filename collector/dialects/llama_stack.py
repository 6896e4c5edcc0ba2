"""Llama Stack's own telemetry: a turn of an agent, its calls of models and of tools, in the messages of its API.

Which model was called and how many tokens it took are not on these spans.

Source: llama-stack 0.2.12 (llama_stack/providers/inline/agents/meta_reference/agent_instance.py,
llama_stack/providers/inline/telemetry/meta_reference/telemetry.py)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.envelopes import content_blocks
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, decode_text
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.parts import read_arguments

__all__ = ["DIALECT"]

_KEYS = Keys(
    agent_name=("agent_name",),
    agent_id=("agent_id",),
    session_id=("session_id",),
    finish_reasons=("stop_reason",),
    tool_name=("tool_name",),
)


def read(span: Span) -> Step | None:
    if span.text("turn_id") is not None:
        return _turn(span)
    if span.name == "inference":
        answer = as_object(span.first("output"))
        return replace(
            read_step(span, "model", _KEYS),
            input=_messages(decode_text(span.first("input"))),
            output=_messages([{"role": "assistant", **answer}]) if answer else None,
        )
    return _tool(span) if span.name == "tool_execution" else None


def _turn(span: Span) -> Step:
    request = as_object(span.first("request")) or {}
    return replace(read_step(span, "agent", _KEYS), input=_messages(request.get("messages")))


def _tool(span: Span) -> Step:
    """Return a call from the message that requested it, by the tool's name and the id of the answer."""
    step = read_step(span, "tool", _KEYS)
    message, answer = as_object(span.first("input")) or {}, as_object(span.first("output")) or {}
    calls = [call for call in map(as_object, _listed(message.get("tool_calls"))) if call is not None]
    call_id = answer.get("call_id")
    own = [call for call in calls if call.get("tool_name") == step.tool_name and call_id in {None, call.get("call_id")}]
    call = own[0] if len(own) == 1 else {}
    recorded_id = call_id or call.get("call_id")
    return replace(
        step,
        call_id=recorded_id if isinstance(recorded_id, str) else None,
        args=read_arguments(call.get("arguments")),
        result=content_blocks(answer.get("content")),
    )


def _messages(value: Any) -> tuple[Message, ...] | None:
    turns = [as_object(turn) for turn in _listed(value)]
    return tuple(message({**turn, "id": turn.get("call_id")}) for turn in turns if turn is not None) or None


def _listed(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list) else ()


DIALECT = Dialect(
    "llama_stack",
    read,
    scopes=("llama_stack.*",),
    evidence=(Evidence("llama-stack", "0.2", "source"),),
)
