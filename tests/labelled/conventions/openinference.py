"""OpenInference: a kind for each span, messages flattened. After openinference-instrumentation-openai-agents 2.6.0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..export import Written, exception
from ..timeline import Message, Node
from .parts import definitions, finish_reason, to_json, value_text

__all__ = ["OpenInference"]


class OpenInference:
    scope = "openinference.instrumentation.openai_agents"
    version = "2.6.0"

    def write(self, node: Node) -> Written:
        attributes: dict[str, Any] = {"session.id": node.session_id}
        match node.kind:
            case "model":
                name, kind, own = "generation", "LLM", _model(node)
            case "tool":
                assert node.call is not None
                name, kind, own = node.call.ran_as or node.call.name, "TOOL", _tool(node)
            case "handoff":
                assert node.target is not None
                name, kind = f"handoff to {node.target.name}", "TOOL"
                own = {"input.value": node.agent.name, "output.value": node.target.name}
            case "agent":
                name, kind, own = node.agent.name, "AGENT", _run(node)
            case _:
                name, kind, own = f"{node.agent.name} workflow", "CHAIN", _texts(node)
        error = node.error
        has_failed = error is not None and not error.is_control_flow
        return Written(
            name,
            attributes | own | {"openinference.span.kind": kind},
            status="error" if has_failed else "ok",
            status_message=f"{error.type}: {error.message}" if error is not None and has_failed else "",
            events=exception(error),
        )


def _run(node: Node) -> dict[str, Any]:
    return {"agent.name": node.agent.name, "graph.node.id": node.agent.name} | _texts(node)


def _texts(node: Node) -> dict[str, Any]:
    if not node.story.has_content:
        return {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    asked = [m.text for m in node.input[node.earlier :] if m.role == "user"] or [
        m.text for m in node.input if m.role == "user"
    ]
    return {
        "input.value": asked[-1] if asked else None,
        "input.mime_type": "text/plain" if asked else None,
        "output.value": node.answer,
        "output.mime_type": "text/plain" if node.answer is not None else None,
    }


def _model(node: Node) -> dict[str, Any]:
    attributes: dict[str, Any] = {"llm.system": node.agent.provider, "llm.model_name": node.agent.model}
    if node.fault is None:
        attributes |= {
            "llm.token_count.prompt": node.input_tokens,
            "llm.token_count.completion": node.output_tokens,
            "llm.token_count.total": node.input_tokens + node.output_tokens,
            "llm.finish_reason": finish_reason(node),
        }
    if not node.story.has_content:
        return attributes | {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    for at, tool in enumerate(definitions(node.agent.tools) or ()):
        function = {key: value for key, value in tool.items() if key != "type"}
        attributes[f"llm.tools.{at}.tool.json_schema"] = to_json({"type": "function", "function": function})
    system = {"llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": node.agent.system}
    return (
        attributes
        | system
        | _messages("llm.input_messages", node.input, 1)
        | _messages("llm.output_messages", node.output)
    )


def _messages(prefix: str, messages: Iterable[Message], first: int = 0) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for at, message in enumerate(messages, first):
        own = f"{prefix}.{at}.message"
        attributes |= {
            f"{own}.role": message.role,
            f"{own}.content": message.text,
            f"{own}.tool_call_id": message.call_id,
        }
        for number, (call_id, call) in enumerate(message.calls):
            asked = f"{own}.tool_calls.{number}.tool_call"
            attributes |= {
                f"{asked}.id": call_id,
                f"{asked}.function.name": call.name,
                f"{asked}.function.arguments": call.args_text,
            }
    return attributes


def _tool(node: Node) -> dict[str, Any]:
    call = node.call
    assert call is not None
    schema = next((tool.parameters for tool in node.agent.tools if tool.name == call.name), None)
    attributes: dict[str, Any] = {
        "tool.name": call.ran_as or call.name,
        "tool.parameters": to_json(schema) if schema is not None else None,
    }
    if not node.story.has_content:
        return attributes | {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    result = call.output
    return attributes | {
        "input.value": value_text(call.span_args if call.span_args is not None else call.args),
        "input.mime_type": "application/json",
        "output.value": value_text(result),
        "output.mime_type": "text/plain" if isinstance(result, str) else "application/json",
    }
