"""The Vercel AI SDK up to version 6: everything under `ai.*`. After ai 5.0."""

from __future__ import annotations

from typing import Any

from ..export import Written, exception
from ..timeline import Message, Node
from .parts import finish_reason, to_json

__all__ = ["VercelAI"]

_REASONS = {"tool_call": "tool-calls", "content_filter": "content-filter"}


class VercelAI:
    scope = "ai"
    version = ""

    def write(self, node: Node) -> Written:
        match node.kind:
            case "model":
                operation, own = "ai.generateText.doGenerate", _model(node)
            case "tool" | "handoff":
                operation, own = "ai.toolCall", _tool(node)
            case "agent":
                operation, own = "ai.generateText", _run(node)
            case _:
                return Written(
                    "POST /api/chat", {"http.request.method": "POST", "http.route": "/api/chat"}, kind="server"
                )
        attributes = {
            "operation.name": f"{operation} {node.agent.name}",
            "resource.name": node.agent.name,
            "ai.operationId": operation,
            "ai.telemetry.functionId": node.agent.name,
            "ai.telemetry.metadata.sessionId": node.session_id,
        }
        error = node.error
        return Written(
            operation,
            attributes | own,
            status="error" if error is not None else "unset",
            status_message=error.message if error is not None else "",
            events=exception(error),
        )


def _settings(node: Node) -> dict[str, Any]:
    return {
        "ai.model.provider": f"{node.agent.provider}.chat",
        "ai.model.id": node.agent.model,
        "ai.settings.maxRetries": 2,
    }


def _usage(node: Node) -> dict[str, Any]:
    return {"ai.usage.promptTokens": node.input_tokens, "ai.usage.completionTokens": node.output_tokens}


def _run(node: Node) -> dict[str, Any]:
    attributes = _settings(node)
    if node.story.has_content:
        asked = [_content(m) for m in node.input[: node.earlier]]
        asked += [_content(m) for m in node.input[node.earlier :] if m.role == "user"]
        attributes["ai.prompt"] = to_json({"system": node.agent.system, "messages": asked})
        attributes["ai.response.text"] = node.answer
    if node.output:
        attributes["ai.response.finishReason"] = _REASONS.get(node.finish, node.finish)
    return attributes


def _model(node: Node) -> dict[str, Any]:
    attributes = _settings(node) | {
        "gen_ai.system": f"{node.agent.provider}.chat",
        "gen_ai.request.model": node.agent.model,
    }
    if node.fault is None:
        reason = _REASONS.get(node.finish, finish_reason(node))
        attributes |= _usage(node) | {
            "ai.response.finishReason": reason,
            "ai.response.id": f"chatcmpl-{node.span_id}",
            "ai.response.model": f"{node.agent.model}-2025-04-14",
            "gen_ai.response.finish_reasons": [reason],
            "gen_ai.usage.input_tokens": node.input_tokens,
            "gen_ai.usage.output_tokens": node.output_tokens,
        }
    if not node.story.has_content:
        return attributes
    system = {"role": "system", "content": node.agent.system}
    calls = [
        {"toolCallId": call_id, "toolName": call.name, "input": call.args_text}
        for message in node.output
        for call_id, call in message.calls
    ]
    return attributes | {
        "ai.prompt.messages": to_json([system, *(_content(m) for m in node.input)]),
        "ai.prompt.tools": [
            to_json(
                {"type": "function", "name": t.name, "description": t.description, "inputSchema": t.parameters or {}}
            )
            for t in node.agent.tools
        ]
        or None,
        "ai.response.text": node.answer,
        "ai.response.toolCalls": to_json(calls) if calls else None,
    }


def _content(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        output = {"type": "error-text" if message.is_error else "text", "value": message.text}
        part = {"type": "tool-result", "toolCallId": message.call_id, "toolName": message.name, "output": output}
        return {"role": "tool", "content": [part]}
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text is not None else []
    parts += [
        {"type": "tool-call", "toolCallId": call_id, "toolName": call.name, "input": call.args}
        for call_id, call in message.calls
    ]
    return {"role": message.role, "content": parts}


def _tool(node: Node) -> dict[str, Any]:
    call = node.call
    assert call is not None
    attributes: dict[str, Any] = {"ai.toolCall.name": call.ran_as or call.name, "ai.toolCall.id": node.call_id}
    if not node.story.has_content:
        return attributes
    args = call.span_args if call.span_args is not None else call.args
    is_given = call.is_answered and not call.has_failed
    return attributes | {
        "ai.toolCall.args": to_json(args) if not isinstance(args, str) else args,
        "ai.toolCall.result": to_json(call.output) if is_given else None,
    }
