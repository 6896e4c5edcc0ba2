"""Reads LangChain's messages, as its callbacks serialise them into the spans of several instrumentations.

A message is `{"type": "ai", "data": {…}}`, `{"lc": 1, "kwargs": {…}}` or a plain `{"role", "content"}`; a graph's state
holds them under `messages`, a model's answer under `generations`.
Source: langchain-core 1.7 (langchain_core/load, langchain_core/messages)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message, ToolCallPart

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import as_object, decode_text
from .messages import message

__all__ = ["read_generations", "read_state", "without_middleware"]

_CLASSES = {"HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool"}
_ROLES = {
    "human": "user",
    "ai": "assistant",
    **_CLASSES,
    **{f"{name}Chunk": role for name, role in _CLASSES.items()},
}


_MIDDLEWARE = re.compile(r"\.(?:before|after)_(?:agent|model)(?:\.\w+)?$")
"""How the nodes end that LangChain 1 makes of middleware, in the name of which many instrumentations find an agent."""


def without_middleware(span: Span, step: Step) -> Step:
    """Return `step`; a node of middleware is no agent, and what it returns is no answer."""
    names = (span.name, step.agent_name or "")
    if step.kind == "agent" and any(map(_MIDDLEWARE.search, names)):
        return replace(step, kind="workflow", is_node=True, agent_name=None, output=None, output_text=None)
    is_named = step.agent_name is not None and _MIDDLEWARE.search(step.agent_name) is not None
    return replace(step, agent_name=None) if is_named else step


def read_state(value: Any) -> tuple[Message, ...] | None:
    """Return the messages in a graph's state, or in a callback's `inputs` and `outputs`; None without such a list."""
    outer = as_object(value)
    if outer is None:
        return None
    for holder in (outer, outer.get("inputs"), outer.get("outputs"), outer.get("output")):
        if isinstance(holder, dict) and isinstance(holder.get("messages"), list):
            return tuple(_messages(holder["messages"]))
    return None


def read_generations(value: Any) -> tuple[Message, ...]:
    """Return the messages in a model's answer, `{"generations": [[{"message": …}]]}`."""
    generations = (as_object(value) or {}).get("generations")
    if not isinstance(generations, list):
        return ()
    answers = [answer for batch in generations if isinstance(batch, list) for answer in batch]
    return tuple(_messages([answer.get("message") for answer in answers if isinstance(answer, dict)]))


def _messages(items: list[Any]) -> Iterator[Message]:
    for item in items:
        if isinstance(item, list) and item and isinstance(item[0], (list, dict)):
            yield from _messages(item)
        elif isinstance(item, list) and len(item) == 2:
            yield message({"role": str(item[0]), "content": item[1]})
        elif isinstance(item, dict) and not _is_written_by_graph(item):
            yield _message(item)


def _is_written_by_graph(item: dict[str, Any]) -> bool:
    """Return whether a graph wrote the message: `langgraph-supervisor` adds a call back to it, with its answer.

    No model requested that call, and no tool ran.
    """
    metadata = _fields(item).get("response_metadata")
    return isinstance(metadata, dict) and metadata.get("__is_handoff_back") is True


def _fields(item: dict[str, Any]) -> dict[str, Any]:
    return next((item[key] for key in ("data", "kwargs") if isinstance(item.get(key), dict)), item)


def _message(item: dict[str, Any]) -> Message:
    inner = _fields(item)
    role = inner.get("role") or inner.get("type") or _class_name(item) or item.get("type")
    turn = message({**inner, "role": _ROLES.get(str(role), role), "parts": None})
    return turn.model_copy(update={"parts": (*turn.parts, *_malformed(inner))})


def _class_name(item: dict[str, Any]) -> str | None:
    """Return the class of a message in LangChain for JavaScript: the last in the list under `id`."""
    path = item.get("id") if item.get("type") == "constructor" else None
    name = path[-1] if isinstance(path, list) and path else None
    return name if isinstance(name, str) else None


def _malformed(inner: dict[str, Any]) -> Iterator[ToolCallPart]:
    """Yield calls whose arguments are not JSON, which LangChain keeps under a separate name."""
    calls = decode_text(inner.get("invalid_tool_calls"))
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict) and isinstance(call.get("name"), str) and call["name"]:
            call_id, args = call.get("id"), call.get("args")
            yield ToolCallPart(
                id=call_id if isinstance(call_id, str) else None,
                name=call["name"],
                arguments=args if isinstance(args, str) else None,
            )
