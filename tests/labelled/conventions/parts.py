"""What several conventions write alike: JSON texts, tool definitions, and messages in parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..story import Call, Tool
from ..timeline import Message, Node

__all__ = ["definitions", "finish_reason", "message_parts", "to_json", "value_text"]


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def value_text(value: Any) -> str | None:
    """A text as it is, anything else as JSON; None is nothing that was recorded."""
    return value if value is None or isinstance(value, str) else to_json(value)


def definitions(tools: Sequence[Tool]) -> list[dict[str, Any]] | None:
    """The tools as the GenAI conventions define them."""
    return [
        {"type": "function", "name": tool.name, "description": tool.description}
        | ({"parameters": tool.parameters} if tool.parameters is not None else {})
        for tool in tools
    ] or None


def finish_reason(node: Node, asked: str = "tool_calls") -> str:
    """Why the model stopped, with the word that the provider has for asking."""
    return asked if node.finish == "tool_call" else node.finish


def message_parts(message: Message, *, finish: str | None = None, is_text: bool = False) -> dict[str, Any]:
    """A message in parts. `is_text`: arguments stand as the text that the model wrote."""
    parts = [part for call_id, call in message.calls if call.is_hosted for part in _hosted(call_id, call)]
    if message.role == "tool":
        parts.append({"type": "tool_call_response", "id": message.call_id, "response": message.text})
    elif message.text is not None:
        parts.append({"type": "text", "content": message.text})
    parts += [_asked(call_id, call, is_text=is_text) for call_id, call in message.calls if not call.is_hosted]
    return {"role": message.role, "parts": parts} | ({"finish_reason": finish} if finish is not None else {})


def _asked(call_id: str, call: Call, *, is_text: bool) -> dict[str, Any]:
    arguments = call.args_text if is_text else call.args
    return {"type": "tool_call", "id": call_id, "name": call.name, "arguments": arguments}


def _hosted(call_id: str, call: Call) -> list[dict[str, Any]]:
    args = call.args if not isinstance(call.args, str) else {"input": call.args}
    return [
        {"type": "server_tool_call", "id": call_id, "name": call.name, "server_tool_call": {"type": call.name, **args}},
        {
            "type": "server_tool_call_response",
            "id": call_id,
            "server_tool_call_response": {"type": call.name, "result": call.result},
        },
    ]
