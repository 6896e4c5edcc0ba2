"""Haystack, as OpenInference records it: messages as the repr of Haystack's own classes.

Source: openinference-instrumentation-haystack 0.1 (https://github.com/Arize-ai/openinference)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object
from .shared import openinference
from .shared.chat_message import chat_message
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

_ENUM = re.compile(r"<\w+(?:\.\w+)?: ('[^']*')>")
_MAX_CHARACTERS = 1_000_000


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None or step.kind not in {"agent", "workflow"}:
        return step
    inputs, outputs = as_object(span.first("input.value")) or {}, as_object(span.first("output.value")) or {}
    return replace(
        step,
        kind="agent" if span.name.startswith("Agent") else step.kind,
        agent_name=step.agent_name or _component(outputs),
        input=_messages(inputs),
        output=_messages(outputs),
        input_text=None,
        output_text=None,
    )


def _component(state: dict[str, Any]) -> str | None:
    """Return the pipeline's component that holds the conversation, which is the name of an agent in Haystack."""
    components = [name for name, fields in state.items() if isinstance(fields, dict) and "messages" in fields]
    return components[0] if len(components) == 1 else None


def _messages(state: dict[str, Any]) -> tuple[Message, ...] | None:
    return tuple(_find_messages(state)) or None


def _find_messages(state: Any) -> Iterator[Message]:
    if not isinstance(state, dict):
        return
    messages = state.get("messages")
    if isinstance(messages, list):
        yield from (message for text in messages if (message := _message(text)) is not None)
        return
    for value in state.values():
        yield from _find_messages(value)


def _message(text: Any) -> Message | None:
    """Read `ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='…')], …)` as a message."""
    return chat_message(_call(text)) if isinstance(text, str) else None


def _call(text: str) -> dict[str, Any] | None:
    """Return the keyword arguments of a repr that is a call, with calls inside it; nothing is executed."""
    if len(text) > _MAX_CHARACTERS:
        return None
    try:
        tree = ast.parse(_ENUM.sub(r"\1", text), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    value = _value(tree.body)
    return value if isinstance(value, dict) else None


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Call():
            return {keyword.arg: _value(keyword.value) for keyword in node.keywords if keyword.arg}
        case ast.List() | ast.Tuple():
            return [_value(item) for item in node.elts]
        case ast.Dict():
            keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
            return {str(key): _value(value) for key, value in zip(keys, node.values, strict=True)}
        case ast.Constant():
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
    return None


DIALECT = Dialect(
    "haystack",
    read,
    scopes=("openinference.instrumentation.haystack",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-haystack", "0.1", "recording"),),
)
