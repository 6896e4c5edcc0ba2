"""OpenLLMetry (Traceloop): GenAI messages between `traceloop.*` spans. After its openai-agents 0.62.4."""

from __future__ import annotations

from typing import Any

from ..export import Written, exception
from ..timeline import Node
from .parts import definitions, finish_reason, message_parts, to_json, value_text

__all__ = ["OpenLLMetry"]


class OpenLLMetry:
    scope = "opentelemetry.instrumentation.openai_agents"
    version = "0.62.4"

    def write(self, node: Node) -> Written:
        attributes: dict[str, Any] = {
            "gen_ai.provider.name": node.agent.provider,
            "traceloop.association.properties.session_id": node.session_id,
        }
        match node.kind:
            case "model":
                name, own = "openai.response", _model(node)
            case "tool":
                assert node.call is not None
                name, own = f"{node.call.ran_as or node.call.name}.tool", _tool(node)
            case "handoff":
                assert node.target is not None
                name, own = f"{node.agent.name} → {node.target.name}.handoff", _handoff(node, node.target.name)
            case "agent":
                name, own = f"{node.agent.name}.agent", _run(node)
            case _:
                name = "Agent Workflow"
                own = {"traceloop.span.kind": "workflow", "traceloop.workflow.name": "Agent Workflow"}
        error = node.error
        return Written(
            name,
            attributes | own,
            kind="client" if node.kind == "model" else "internal",
            status="error" if error is not None else "ok",
            status_message=f"{error.type}: {error.message}" if error is not None else "",
            events=exception(error),
        )


def _run(node: Node) -> dict[str, Any]:
    return {
        "traceloop.span.kind": "agent",
        "gen_ai.agent.name": node.agent.name,
        "gen_ai.operation.name": "invoke_agent",
    }


def _handoff(node: Node, target: str) -> dict[str, Any]:
    return {
        "traceloop.span.kind": "handoff",
        "gen_ai.handoff.from_agent": node.agent.name,
        "gen_ai.handoff.to_agent": target,
    }


def _model(node: Node) -> dict[str, Any]:
    attributes: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": node.agent.model}
    if node.fault is None:
        attributes |= {
            "gen_ai.response.model": f"{node.agent.model}-2025-04-14",
            "gen_ai.response.id": f"resp_{node.span_id}",
            "gen_ai.response.finish_reasons": [finish_reason(node, "tool_call")],
            "gen_ai.usage.input_tokens": node.input_tokens,
            "gen_ai.usage.output_tokens": node.output_tokens,
            "gen_ai.usage.total_tokens": node.input_tokens + node.output_tokens,
        }
    if not node.story.has_content:
        return attributes
    system = {"role": "system", "parts": [{"type": "text", "content": node.agent.system}]}
    said = [message_parts(m, finish=finish_reason(node, "tool_call")) for m in node.output]
    offered = [
        {"type": "function", "function": {key: value for key, value in tool.items() if key != "type"}}
        for tool in definitions(node.agent.tools) or ()
    ]
    return attributes | {
        "gen_ai.input.messages": to_json([system, *(message_parts(m) for m in node.input)]),
        "gen_ai.output.messages": to_json(said) if said else None,
        "gen_ai.tool.definitions": to_json(offered) if offered else None,
    }


def _tool(node: Node) -> dict[str, Any]:
    call = node.call
    assert call is not None
    attributes: dict[str, Any] = {
        "traceloop.span.kind": "tool",
        "gen_ai.tool.name": call.ran_as or call.name,
        "gen_ai.tool.type": "function",
        "gen_ai.operation.name": "execute_tool",
    }
    if not node.story.has_content:
        return attributes
    return attributes | {
        "gen_ai.tool.call.arguments": value_text(call.span_args if call.span_args is not None else call.args),
        "gen_ai.tool.call.result": value_text(call.output),
    }
