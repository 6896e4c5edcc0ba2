"""Messages of LangChain in each of their forms: `dumpd`, `messages_to_dict`, `model_dump`, and chunks of a stream.

Source: langchain-core 1.8 `langchain_core/load/dump.py` and `langchain_core/messages`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ..model import JsonObject
from .spelling import Unreadable, entries, record

__all__ = ["is_message", "unwrap_messages"]

_ROLE_BY_TYPE: Final = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessageChunk": "system",
    "developer": "developer",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "tool",
    "FunctionMessageChunk": "tool",
    "chat": "chat",
    "ChatMessageChunk": "chat",
    "remove": "remove",
}
_TYPE_BY_CLASS: Final = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "function",
    "ChatMessage": "chat",
    "RemoveMessage": "remove",
}
_ESCAPED: Final = "__lc_escaped__"
_ALL: Final = "__remove_all__"
_CHUNK: Final = "AIMessageChunk"


def is_message(value: Mapping[str, Any]) -> bool:
    """Return whether an object is a message in one of LangChain's own forms."""
    if value.get("lc") is not None and value.get("type") == "constructor":
        return _class_of(value).removesuffix("Chunk").endswith("Message")
    sort = value.get("type")
    is_known = isinstance(sort, str) and sort in _ROLE_BY_TYPE
    return is_known and "role" not in value and ("data" in value or "content" in value)


def unwrap_messages(value: object, place: str) -> list[JsonObject]:
    """Return the messages as flat objects with a role, as `openai.messages` reads them; removed ones are left out.

    Raises ValueError that names `place` and the index.
    """
    messages: list[JsonObject] = []
    for index, item in enumerate(entries(value, place)):
        message = _unwrap(record(item, f"{place}[{index}]"), f"{place}[{index}]")
        if message["role"] == "remove":
            messages = [] if message.get("id") == _ALL else [kept for kept in messages if not _is_same(kept, message)]
        elif messages and _continues(messages[-1], message):
            messages[-1] = _join(messages[-1], message)
        else:
            messages.append(message)
    return [_finish(message) for message in messages]


def _class_of(value: Mapping[str, Any]) -> str:
    path = value.get("id")
    return str(path[-1]) if isinstance(path, list) and path else ""


def _unwrap(value: JsonObject, place: str) -> JsonObject:
    if value.get("lc") is not None and value.get("type") == "constructor":
        name = _class_of(value)
        fields = record(value.get("kwargs"), f"{place}.kwargs")
        sort: Any = _TYPE_BY_CLASS.get(name, name)
    elif isinstance(value.get("data"), dict):
        sort, fields = value.get("type"), value["data"]
    else:
        sort, fields = value.get("type", value.get("role")), value
    role = _ROLE_BY_TYPE.get(sort, sort) if isinstance(sort, str) else None
    if role == "chat":
        role = fields.get("role")
    if isinstance(fields.get("role"), str) and role is None:
        role = fields["role"]
    if not isinstance(role, str) or (role not in _ROLE_BY_TYPE.values() and "role" not in fields):
        shown = repr(sort) if isinstance(sort, str) else "missing"
        raise Unreadable(f"{place}.type: it is {shown}; write human, ai, system, tool, function, chat or remove")
    plain = {key: _unescape(below) for key, below in fields.items() if key not in {"type", "role"}}
    return {**plain, "role": role, "is_chunk": sort == _CHUNK}


def _unescape(value: Any) -> Any:
    """Return a value without the marks that LangChain puts around objects with a key `lc`."""
    if isinstance(value, dict):
        if value.keys() == {_ESCAPED}:
            return _unescape_entries(value[_ESCAPED])
        return _unescape_entries(value)
    return [_unescape(below) for below in value] if isinstance(value, list) else value


def _unescape_entries(value: Any) -> Any:
    return {key: _unescape(below) for key, below in value.items()} if isinstance(value, dict) else value


def _is_same(message: JsonObject, removal: JsonObject) -> bool:
    return message.get("id") is not None and message.get("id") == removal.get("id")


def _continues(former: JsonObject, chunk: JsonObject) -> bool:
    return bool(former["is_chunk"] and chunk["is_chunk"] and former.get("id") == chunk.get("id"))


def _join(former: JsonObject, chunk: JsonObject) -> JsonObject:
    """Return two chunks of a message as one."""
    joined = {**former, **{key: value for key, value in chunk.items() if value}}
    for key in ("content", "tool_call_chunks", "tool_calls", "invalid_tool_calls"):
        joined[key] = _add(former.get(key), chunk.get(key))
    return joined


def _add(former: Any, later: Any) -> Any:
    if not former or not later:
        return former or later
    if isinstance(former, str) and isinstance(later, str):
        return former + later
    return [*_list(former), *_list(later)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _finish(message: JsonObject) -> JsonObject:
    """Return the message with all its calls in `tool_calls`; `invalid` has the errors of invalid ones by id."""
    beside = message.get("additional_kwargs")
    older = beside if isinstance(beside, dict) else {}
    calls = message.get("tool_calls") or older.get("tool_calls") or []
    if message["is_chunk"] and (chunks := message.get("tool_call_chunks")):
        calls, invalid = _join_calls(chunks), list[Any]()
    else:
        invalid = _list(message.get("invalid_tool_calls") or [])
    finished = {**message, "tool_calls": [*_list(calls), *invalid] or None, "invalid": invalid}
    if finished["tool_calls"] is not None and isinstance(message.get("content"), list):
        finished["content"] = [part for part in message["content"] if not _is_call(part)]
    if finished["tool_calls"] is None and older.get("function_call") is not None:
        finished["function_call"] = older["function_call"]
    return finished


def _is_call(part: object) -> bool:
    """Return whether a part of the content repeats a tool call, as the providers' own blocks do."""
    return isinstance(part, dict) and part.get("type") in {"tool_use", "tool_call", "function_call", "input_json_delta"}


def _join_calls(chunks: Sequence[Any]) -> list[JsonObject]:
    """Return the calls of a stream: the pieces of their arguments in order, by the index of the call."""
    calls: dict[Any, JsonObject] = {}
    for chunk in _objects(chunks):
        call = calls.setdefault(chunk.get("index", len(calls)), {"name": None, "id": None, "args": ""})
        call["name"] = call["name"] or chunk.get("name")
        call["id"] = call["id"] or chunk.get("id")
        call["args"] += chunk.get("args") or ""
    return list(calls.values())


def _objects(values: Iterable[Any]) -> Iterable[JsonObject]:
    return (value for value in values if isinstance(value, dict))
