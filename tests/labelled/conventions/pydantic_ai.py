"""Pydantic AI: GenAI keys, the whole history and the final result on the span of the run. After 2.68.0, version 6."""

from __future__ import annotations

import hashlib
from typing import Any

from ..export import Written, exception
from ..timeline import Message, Node
from .parts import definitions, finish_reason, message_parts, to_json, value_text

__all__ = ["PydanticAI"]


class PydanticAI:
    scope = "pydantic-ai"
    version = "2.68.0"

    def write(self, node: Node) -> Written:
        match node.kind:
            case "model":
                name, own = f"chat {node.agent.model}", _model(node)
            case "tool" | "handoff":
                assert node.call is not None
                name, own = f"execute_tool {node.call.ran_as or node.call.name}", _tool(node)
            case "agent":
                name, own = f"invoke_agent {node.agent.name}", _run(node)
            case _:
                return Written("handle request", {"http.route": "/chat"}, kind="server")
        attributes = {
            "gen_ai.agent.name": node.agent.name,
            "gen_ai.agent.call.id": hashlib.sha256(f"{node.trace_id} {node.agent.name}".encode()).hexdigest()[:32],
            "gen_ai.conversation.id": node.session_id or f"conv-{node.trace_id[:16]}",
        }
        error = node.error
        return Written(
            name,
            attributes | own,
            kind="client" if node.kind == "model" else "internal",
            status="error" if error is not None else "unset",
            status_message=error.message if error is not None else "",
            events=exception(error),
        )


def _run(node: Node) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "agent_name": node.agent.name,
        "model_name": node.agent.model,
        "logfire.msg": f"{node.agent.name} run",
    }
    if not node.story.has_content:
        return attributes
    return attributes | {
        "final_result": node.answer,
        "pydantic_ai.all_messages": to_json([_parts(m) for m in node.input]),
        "pydantic_ai.new_message_index": node.earlier or None,
        "gen_ai.system_instructions": to_json([{"type": "text", "content": node.agent.system}]),
    }


def _parts(message: Message, finish: str | None = None) -> dict[str, Any]:
    """Results stand under `result`, with the name of the tool."""
    parts = message_parts(message, finish=finish, is_text=True)
    if message.role == "tool":
        own = {"type": "tool_call_response", "id": message.call_id, "name": message.name, "result": message.text}
        return parts | {"parts": [own]}
    return parts


def _model(node: Node) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": node.agent.provider,
        "gen_ai.system": node.agent.provider,
        "gen_ai.request.model": node.agent.model,
    }
    if node.fault is None:
        attributes |= {
            "gen_ai.response.model": f"{node.agent.model}-2024-07-18",
            "gen_ai.response.id": f"chatcmpl-{node.span_id}",
            "gen_ai.response.finish_reasons": [finish_reason(node, "tool_call")],
            "gen_ai.usage.input_tokens": node.input_tokens,
            "gen_ai.usage.output_tokens": node.output_tokens,
        }
    if not node.story.has_content:
        return attributes
    said = [_parts(m, finish_reason(node, "tool_call")) for m in node.output]
    offered = definitions(node.agent.tools)
    return attributes | {
        "gen_ai.system_instructions": to_json([{"type": "text", "content": node.agent.system}]),
        "gen_ai.input.messages": to_json([_parts(m) for m in node.input]),
        "gen_ai.output.messages": to_json(said) if said else None,
        "gen_ai.tool.definitions": to_json(offered) if offered else None,
    }


def _tool(node: Node) -> dict[str, Any]:
    call = node.call
    assert call is not None
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.ran_as or call.name,
        "gen_ai.tool.call.id": node.call_id,
        "logfire.msg": f"running tool: {call.name}",
        "pydantic_ai.tool.deferral.name": call.deferral,
    }
    if not node.story.has_content:
        return attributes
    return attributes | {
        "gen_ai.tool.call.arguments": value_text(call.span_args if call.span_args is not None else call.args),
        "gen_ai.tool.call.result": value_text(call.output) if call.deferral is None else None,
    }
