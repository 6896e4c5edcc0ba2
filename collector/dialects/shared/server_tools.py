"""Splits calls of tools that the model's provider runs itself into arguments and result.

One item tells both. The GenAI conventions have it as `{"type": "server_tool_call", "id", "name", "server_tool_call":
{"type", ...}}`; OpenAI's Responses API as an item `web_search_call`, `mcp_call` and so on, which instrumentations also
put under `server_tool_call` as it is.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-output-messages.json),
https://platform.openai.com/docs/api-reference/responses/object,
opentelemetry-instrumentation-genai-openai 1.3b0 (response_extractors.py)
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import ToolCallResponsePart

from ...spans.values import as_object, as_text

__all__ = ["HOSTED_CALLS", "split_call"]

HOSTED_CALLS = (
    "code_interpreter_call",
    "file_search_call",
    "image_generation_call",
    "mcp_call",
    "web_search_call",
)
"""The types of the items of OpenAI's Responses API for tools that always run at OpenAI."""

_RESULTS = ("output", "outputs", "results", "result")
_ABOUT = frozenset(
    {
        "approval_request_id",
        "container_id",
        "error",
        "id",
        "name",
        "partial_image_b64",
        "server_label",
        "status",
        "type",
    }
)
"""What says something of the call, and is not among its arguments."""


def split_call(item: dict[str, Any]) -> tuple[dict[str, Any], ToolCallResponsePart]:
    """Return the call, as `{"id", "name", "arguments"}`, and its answer, whose response is None if not recorded."""
    payload = as_object(item.get("server_tool_call"))
    payload = item if payload is None else payload
    name = _text(item.get("name")) or str(payload.get("type") or "").removesuffix("_call") or None
    call_id = _text(item.get("id"))
    call = {"id": call_id, "name": name, "arguments": _arguments(item, payload)}
    if "status" not in payload:
        return call, ToolCallResponsePart(id=call_id, name=name)
    failure = payload.get("error") or None
    response = next((payload[key] for key in _RESULTS if payload.get(key) is not None), failure)
    is_error = failure is not None or payload["status"] == "failed"
    return call, ToolCallResponsePart(id=call_id, name=name, response=as_text(response), is_error=is_error)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _arguments(item: dict[str, Any], payload: dict[str, Any]) -> Any:
    if payload is item and "server_tool_call" in item:
        return item["server_tool_call"]
    if "server_name" in payload:  # as Microsoft.Extensions.AI has the call of an MCP server
        return payload.get("arguments")
    if "status" not in payload:
        return {key: value for key, value in payload.items() if key not in {"id", "type"}}
    return _arguments_of_item(payload)


def _arguments_of_item(payload: dict[str, Any]) -> Any:
    """Return the arguments: MCP has `arguments`, a web search has `action`, the others have fields."""
    if "arguments" in payload:
        return payload["arguments"]
    fields = {key: value for key, value in payload.items() if key not in _ABOUT and key not in _RESULTS}
    action = as_object(fields.get("action"))
    return action if action is not None and fields.keys() == {"action"} else fields
