"""The GenAI semantic conventions as they stand: messages, arguments and results in attributes of the spans.

After opentelemetry-instrumentation-genai-langchain 1.3b0.
"""

from __future__ import annotations

from typing import Any

from ..export import Written
from ..timeline import Node
from .parts import definitions, finish_reason, message_parts, to_json, value_text

__all__ = ["GenAI"]


class GenAI:
    scope = "opentelemetry.instrumentation.genai.langchain"
    version = "1.3b0"

    def write(self, node: Node) -> Written:
        attributes = {"gen_ai.conversation.id": node.session_id}
        match node.kind:
            case "model":
                name, own = f"chat {node.agent.model}", _model(node)
            case "tool":
                name, own = f"execute_tool {_tool_name(node)}", _tool(node)
            case "handoff":
                name, own = f"execute_tool {_tool_name(node)}", _tool(node) | _transfer(node)
            case _:
                operation = "invoke_agent" if node.kind == "agent" else "invoke_workflow"
                name, own = f"{operation} {node.agent.name}", _run(node, operation)
        error = node.error
        if error is not None:
            own["error.type"] = error.type
        return Written(
            name,
            attributes | own,
            kind="client" if node.kind == "model" else "internal",
            status="error" if error is not None else "unset",
            status_message=error.message if error is not None else "",
        )


def _run(node: Node, operation: str) -> dict[str, Any]:
    attributes: dict[str, Any] = {"gen_ai.operation.name": operation}
    if operation == "invoke_agent":
        attributes["gen_ai.agent.name"] = node.agent.name
    if not node.story.has_content:
        return attributes
    asked = [message_parts(m) for m in node.input[node.earlier :] if m.role == "user"]
    said = [message_parts(m, finish=node.finish) for m in node.output if m.text is not None]
    return attributes | {
        "gen_ai.input.messages": to_json(asked or [message_parts(m) for m in node.input if m.role == "user"]),
        "gen_ai.output.messages": to_json(said) if said else None,
    }


def _model(node: Node) -> dict[str, Any]:
    answered: dict[str, Any] = {}
    if node.fault is None:
        answered = {
            "gen_ai.response.finish_reasons": [finish_reason(node)],
            "gen_ai.response.model": f"{node.agent.model}-2025-04-14",
            "gen_ai.response.id": f"chatcmpl-{node.span_id}",
            "gen_ai.usage.input_tokens": node.input_tokens,
            "gen_ai.usage.output_tokens": node.output_tokens,
        }
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": node.agent.provider,
        "gen_ai.request.model": node.agent.model,
        **answered,
    }
    if not node.story.has_content:
        return attributes
    system = [{"type": "text", "content": node.agent.system}]
    offered = definitions(node.agent.tools)
    said = [message_parts(m, finish=finish_reason(node, "tool_call")) for m in node.output]
    return attributes | {
        "gen_ai.system_instructions": to_json(system),
        "gen_ai.input.messages": to_json([message_parts(m) for m in node.input]),
        "gen_ai.output.messages": to_json(said) if said else None,
        "gen_ai.tool.definitions": to_json(offered) if offered else None,
    }


def _tool_name(node: Node) -> str:
    assert node.call is not None
    return node.call.ran_as or node.call.name


def _tool(node: Node) -> dict[str, Any]:
    call = node.call
    assert call is not None
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": _tool_name(node),
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": node.call_id,
        "gen_ai.agent.name": node.agent.name,
    }
    if not node.story.has_content:
        return attributes
    args = call.span_args if call.span_args is not None else call.args
    is_given = not call.has_failed
    return attributes | {
        "gen_ai.tool.call.arguments": value_text(args),
        "gen_ai.tool.call.result": value_text(call.output) if is_given else None,
    }


def _transfer(node: Node) -> dict[str, Any]:
    target = node.target.name if node.target is not None else None
    return {"gen_ai.transfer.mode": "pass_control", "gen_ai.transfer.target.name": target}
