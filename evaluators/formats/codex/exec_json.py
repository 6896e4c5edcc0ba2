"""Reads the output of `codex exec --json`: events of a thread, whose items are what the agent said and did.

    {"type": "thread.started", "thread_id": "t"}
    {"type": "item.completed", "item": {"id": "item_0", "type": "command_execution", "command": "ls", "exit_code": 0}}
    {"type": "turn.completed", "usage": {"input_tokens": 9, "cached_input_tokens": 7, "output_tokens": 3}}

The prompt is not part of it, and neither are times.
Source: https://developers.openai.com/codex/noninteractive; codex-rs/exec/src/exec_events.rs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ...model import (
    AgentTrace,
    CallStatus,
    JsonObject,
    LlmCall,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..field_values import count_at, object_at, text_at
from ..imported import Imported, RecordFault
from ..record import Record
from ..run_draft import RunDraft
from ..run_id import ids_of_run, make_run_id
from ..spelling import Unreadable, record, text_of
from .turn import TOKENS

__all__ = ["ExecReader", "is_event"]

_STATUSES: Final[dict[Any, CallStatus]] = {"completed": "ok", "failed": "error", "declined": "not_executed"}
_FIRST: Final = "thread."
_EVENTS: Final = ("thread.", "turn.", "item.")
_BESIDE: Final = frozenset(
    {"id", "type", "item_type", "status", "result", "output", "error", "aggregated_output", "exit_code"}
)
_TEXTS: Final[Mapping[str, type[TextPart | ReasoningPart]]] = {
    "agent_message": TextPart,
    "reasoning": ReasoningPart,
    "assistant_message": TextPart,
}


def is_event(value: object) -> bool:
    """Return whether this is a line of `codex exec --json`."""
    sort = value.get("type") if isinstance(value, dict) else None
    return isinstance(sort, str) and sort.startswith(_EVENTS)


class ExecReader:
    """The events of the current turn."""

    def __init__(self) -> None:
        self._thread_id: str | None = None
        self._place: str | None = None
        self._draft = RunDraft()
        self._calls: dict[str, str] = {}
        self._warnings: list[str] = []

    def add(self, event: Record) -> Iterator[Imported | RecordFault]:
        """Add an event; yield the run that it ends."""
        try:
            yield from self._add(record(event.value, "the line"), event.place)
        except ValueError as error:
            yield RecordFault(event.place, str(error))

    def _add(self, value: JsonObject, place: str) -> Iterator[Imported]:
        sort = value.get("type")
        if sort == "thread.started":
            yield from self.flush()
            self._thread_id = text_at(value, "thread_id")
        elif sort == "turn.started":
            yield from self.flush()
            self._place = place
        elif sort in {"item.started", "item.updated", "item.completed"}:
            self._place = self._place or place
            self._add_item(record(value.get("item"), "item"))
        elif sort == "turn.completed":
            self._place = self._place or place
            self._draft.llm_calls += _read_llm_calls(value)
            yield from self._finish({})
        elif sort in {"turn.failed", "error"}:
            self._place = self._place or place
            failure = object_at(value, "error") or value
            yield from self._finish({"error": text_at(failure, "message") or "failed", "final_response": None})

    def _add_item(self, item: JsonObject) -> None:
        sort = text_at(item, "type", "item") or text_at(item, "item_type", "item")
        if sort is None:
            raise Unreadable("item.type is missing; write that of the item, such as agent_message")
        if sort in _TEXTS:
            self._say("assistant", _TEXTS[sort](content=text_at(item, "text", "item") or ""))
        elif sort == "user_message":
            self._say("user", TextPart(content=text_at(item, "text", "item") or ""))
        elif sort == "error":
            self._warnings.append(text_at(item, "message", "item") or "")
        else:
            self._call(sort, item)

    def _say(self, role: str, part: MessagePart) -> None:
        self._draft.messages.append(Message(role=role, parts=(part,)))

    def _call(self, sort: str, item: JsonObject) -> None:
        """Add a call, or what became of it: items of tools are repeated with their id."""
        call_id = text_at(item, "id", "item") or f"call-{len(self._draft.calls)}"
        if self._draft.find_call(call_id) is None:
            name, given = _read_request(sort, item)
            call = ToolCall(name=name, id=call_id, args=given, status=None, source="message")
            self._draft.add_call(call)
            self._say("assistant", ToolCallPart(id=call_id, name=name, arguments=given))
        if item.get("status") not in _STATUSES and item.get("exit_code") is None:
            return
        result, status = _read_result(item), _read_status(item)
        call_now = self._draft.find_call(call_id)
        exit_code = {"exit_code": item["exit_code"]} if isinstance(item.get("exit_code"), int) else {}
        self._draft.complete_call(call_id, result=result, status=status, metadata=exit_code)
        if result is not None and call_now is not None and call_now.result is None:
            is_error = status == "error"
            self._say("tool", ToolCallResponsePart(id=call_id, name=call_now.name, response=result, is_error=is_error))

    def flush(self) -> Iterator[Imported]:
        """Yield the turn so far, which was not ended."""
        if self._draft.messages:
            yield from self._finish({"completeness": "partial"})

    def _finish(self, fields: dict[str, Any]) -> Iterator[Imported]:
        draft, place, warnings = self._draft, self._place or "", self._warnings
        self._draft, self._place, self._warnings = RunDraft(), None, []
        if not draft.messages and "error" not in fields:
            return
        content = repr([(message.role, message.parts) for message in draft.messages])
        run_id = make_run_id("codex", self._thread_id or "", content)
        about = {**ids_of_run(run_id), "agent_name": "codex", "session_id": self._thread_id}
        run: AgentTrace = draft.finish(**about, **fields)
        yield Imported(place, id=run.agent_trace_id, run=run, metadata={"warnings": warnings} if warnings else {})


def _read_llm_calls(value: JsonObject) -> list[LlmCall]:
    """Return the turn's exchange with the model as one call: only the sum of its requests is counted."""
    usage = object_at(value, "usage") or {}
    counts = {field: count_at(usage, key, "usage") for field, key in TOKENS.items()}
    return [LlmCall(**counts)] if any(count is not None for count in counts.values()) else []


def _read_request(sort: str, item: JsonObject) -> tuple[str, JsonObject | None]:
    """Return the name of the tool, as in rollouts, and its arguments."""
    requests: dict[str, Callable[[], tuple[str, JsonObject | None]]] = {
        "command_execution": lambda: ("shell", _pick(item, "command")),
        "file_change": lambda: ("apply_patch", _pick(item, "changes")),
        "todo_list": lambda: ("update_plan", _pick(item, "items")),
        "web_search": lambda: ("web_search", _pick(item, "query", "action")),
        "mcp_tool_call": lambda: (
            f"mcp__{item.get('server')}__{item.get('tool')}",
            object_at(item, "arguments", "item"),
        ),
        "collab_tool_call": lambda: (str(item.get("tool", sort)), _pick(item, "prompt", "receiver_thread_ids")),
    }
    if sort in requests:
        return requests[sort]()
    return sort, {key: value for key, value in item.items() if key not in _BESIDE}


def _pick(item: JsonObject, *keys: str) -> JsonObject:
    return {key: item[key] for key in keys if item.get(key) is not None}


def _read_status(item: JsonObject) -> CallStatus:
    exit_code = item.get("exit_code")
    if item.get("error") is not None or (isinstance(exit_code, int) and exit_code != 0):
        return "not_executed" if item.get("status") == "declined" else "error"
    return _STATUSES.get(item.get("status"), "ok")


def _read_result(item: JsonObject) -> str | None:
    error = item.get("error")
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return str(error["message"])
    given = next((item[key] for key in ("aggregated_output", "output", "result") if item.get(key) is not None), None)
    return text_of(error if given is None else given)
