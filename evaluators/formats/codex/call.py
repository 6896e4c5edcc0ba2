"""Reads the calls of tools among the items of a response."""

from __future__ import annotations

from typing import Any, Final

from ...model import CallStatus, JsonObject, ToolCall
from ..field_values import text_at
from ..spelling import Unreadable, arguments

__all__ = ["answered_call", "read_call"]

_CALL: Final = "_call"
_OUTPUT: Final = "_output"
_STATUSES: Final[dict[Any, CallStatus]] = {"completed": "ok", "failed": "error"}
_UNNAMED: Final = frozenset({"id", "type", "status", "call_id", "action", "result"})


def read_call(kind: str, payload: JsonObject) -> ToolCall | None:
    """Return the call in an item of this kind; None if it is none. Raises ValueError that names the field."""
    if not kind.endswith(_CALL):
        return None
    call_id = text_at(payload, "call_id", "payload") or text_at(payload, "id", "payload")
    if kind in {"function_call", "custom_tool_call"}:
        name = text_at(payload, "name", "payload")
        if not name:
            raise Unreadable("payload.name is missing; write that of the tool")
        given = payload.get("arguments") if kind == "function_call" else payload.get("input")
        given = arguments(given) if kind == "function_call" else given
        namespace = text_at(payload, "namespace", "payload")
        return _make_call(name, call_id, given, metadata={"namespace": namespace} if namespace else {})
    action = payload.get("action")
    if not isinstance(action, dict):  # a call that the provider ran, such as `image_generation_call`
        action = {key: value for key, value in payload.items() if key not in _UNNAMED}
    call = _make_call(kind.removesuffix(_CALL), call_id, action)
    is_own = "call_id" in payload
    return call if is_own else call.model_copy(update={"status": _STATUSES.get(payload.get("status"))})


def _make_call(name: str, call_id: str | None, given: Any, metadata: JsonObject | None = None) -> ToolCall:
    return ToolCall(
        name=name,
        id=call_id,
        args=given if isinstance(given, dict) else None,
        args_text=given if isinstance(given, str) else None,
        status=None,
        source="message",
        metadata=metadata or {},
    )


def answered_call(kind: str, payload: JsonObject) -> str | None:
    """Return the id of the call whose output an item of this kind is; None if it is none."""
    return text_at(payload, "call_id", "payload") if kind.endswith(_OUTPUT) else None
