"""The GenAI conventions up to 1.36: spans with names and ids, and one log record a message, with a body."""

from __future__ import annotations

from typing import Any

from ..export import Log, Written, exception
from ..timeline import Message, Node
from .parts import finish_reason

__all__ = ["GenAIEvents"]


class GenAIEvents:
    scope = "opentelemetry.instrumentation.openai_v2"
    version = "2.1b0"

    def write(self, node: Node) -> Written:
        attributes: dict[str, Any] = {"gen_ai.system": node.agent.provider, "gen_ai.conversation.id": node.session_id}
        logs: list[Log] = []
        match node.kind:
            case "model":
                name, own, logs = f"chat {node.agent.model}", _model(node), _messages(node)
            case "tool" | "handoff":
                assert node.call is not None
                name = f"execute_tool {node.call.ran_as or node.call.name}"
                own = {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": node.call.ran_as or node.call.name,
                    "gen_ai.tool.call.id": node.call_id,
                }
            case _:
                operation = "invoke_agent" if node.kind == "agent" else "invoke_workflow"
                name, own = f"{operation} {node.agent.name}", {"gen_ai.operation.name": operation}
                own |= {"gen_ai.agent.name": node.agent.name} if node.kind == "agent" else {}
        error = node.error
        if error is not None:
            own["error.type"] = error.type
        return Written(
            name,
            attributes | own,
            kind="client" if node.kind == "model" else "internal",
            status="error" if error is not None else "unset",
            status_message=error.message if error is not None else "",
            events=exception(error),
            logs=logs,
        )


def _model(node: Node) -> dict[str, Any]:
    attributes: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": node.agent.model}
    if node.fault is None:
        attributes |= {
            "gen_ai.response.model": f"{node.agent.model}-2025-04-14",
            "gen_ai.response.id": f"chatcmpl-{node.span_id}",
            "gen_ai.response.finish_reasons": [finish_reason(node)],
            "gen_ai.usage.input_tokens": node.input_tokens,
            "gen_ai.usage.output_tokens": node.output_tokens,
        }
    return attributes


def _messages(node: Node) -> list[Log]:
    of = {"gen_ai.system": node.agent.provider}
    has_content = node.story.has_content
    logs = [Log("gen_ai.system.message", {"content": node.agent.system} if has_content else {}, of)]
    logs += [Log(f"gen_ai.{m.role}.message", _body(m, has_content=has_content), of) for m in node.input]
    for message in node.output:
        choice = {
            "index": 0,
            "finish_reason": finish_reason(node),
            "message": {"role": "assistant", **_body(message, has_content=has_content)},
        }
        logs.append(Log("gen_ai.choice", choice, of, at_end=True))
    return logs


def _body(message: Message, *, has_content: bool) -> dict[str, Any]:
    body: dict[str, Any] = {"content": message.text} if has_content and message.text is not None else {}
    if message.call_id is not None:
        body["id"] = message.call_id
    if message.calls:
        body["tool_calls"] = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": call.name} | ({"arguments": call.args_text} if has_content else {}),
            }
            for call_id, call in message.calls
        ]
    return body
