"""Removes what frameworks wrap around a tool's arguments and results.

Each function knows one envelope and leaves everything else as it is; a dialect calls those that its framework writes.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

import orjson

from .values import as_object, as_text, decode_text

__all__ = [
    "Result",
    "call_arguments",
    "content_blocks",
    "langchain_arguments",
    "mcp_error",
    "parse_printed",
    "parse_printed_message",
    "result_text",
    "tool_message",
]

_PRINTED = re.compile(
    r"content=(?P<content>.*?) (?:name='[^']*' )?(?:id='[^']*' )?tool_call_id='(?P<call_id>[^']*)'(?P<rest>.*)",
    re.DOTALL,
)
_ANSWERED = frozenset({"name", "tool_call_id", "content"})
_COMMAND = frozenset({"goto", "graph", "resume", "update"})
"""The fields of LangGraph's `Command`, by which a tool changes the state of its graph."""


_FLAGS = frozenset({"isError", "is_error"})
_RESPONSE = frozenset(
    {"content", "id", "is_interrupted", "is_last", "metadata", "name", "output", "state", "stream", "type"}
)
"""The fields of AgentScope's ToolResponse (agentscope 1.0, tool/_response.py)."""
_OF_TEXT = frozenset({"type", "text", "annotations", "meta", "_meta", "id", "created_at", "finished_at"})
"""The fields of a text in MCP content, and those that AgentScope 2 adds."""
_STRUCTURES = ("structuredContent", "structured_content")
"""The fields of MCP's results, as on the wire and in Python."""
_ENVELOPES = ('"text"', '"tool_call_id"', *(f'"{name}"' for name in _STRUCTURES))


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's result, with call id and error from its envelope."""

    text: str | None
    call_id: str | None = None
    error: str | None = None


def tool_message(value: Any) -> Result:
    """Read LangChain's ToolMessage: `{"type": "tool", …}`, or its fields in `data` or `{"output": {"kwargs": {…}}}`.

    A tool that returns LangGraph's `Command` answers with the last ToolMessage in its update.
    """
    outer = as_object(value)
    inner = _message_fields(outer) if outer else None
    if outer is not None and outer.keys() == {"output"} and isinstance(printed := outer["output"], str):
        return parse_printed_message(printed) or Result(result_text(value))
    if inner is None or "content" not in inner:
        return Result(result_text(value))
    content = result_text(inner["content"])
    call_id = inner.get("tool_call_id")
    return Result(
        content,
        call_id=call_id if isinstance(call_id, str) else None,
        error=(content or "error") if inner.get("status") == "error" else None,
    )


def parse_printed_message(text: str) -> Result | None:
    """Parse the `str` of LangChain's ToolMessage, `content='…' name='…' tool_call_id='…'`; None for other texts."""
    match = _PRINTED.fullmatch(text) if text.startswith("content=") else None
    if match is None:
        return None
    content = _content_of(match["content"])
    failed = (content or "error") if " status='error'" in match["rest"] else None
    return Result(content, call_id=match["call_id"], error=failed)


def content_blocks(value: Any) -> str | None:
    """Join the texts in a list of Bedrock or MCP content blocks: `[{"text": …}]`, `[{"json": …}]`."""
    blocks = decode_text(value)
    if isinstance(blocks, dict) and isinstance(blocks.get("content"), list) and not _is_error(blocks):
        if _structure_of(blocks) is not None:
            return _with_structure(content_blocks(blocks["content"]) if blocks["content"] else None, blocks)
        blocks = blocks["content"]
    if not isinstance(blocks, list) or not blocks:
        return as_text(value)
    texts = [_block(block) for block in blocks]
    return as_text(value) if None in texts else "\n".join(text for text in texts if text is not None)


def result_text(value: Any) -> str | None:
    """Return a tool's result as text: the text in MCP content, anything else as it is.

    MCP content is `{"type": "text", "text": …}`, a list of these, or `{"content": […], "isError": …}`. One that is an
    error keeps its envelope, which alone says so. A `structuredContent` that the text does not repeat follows it.
    Azure's tracer of LangChain writes `{"name", "tool_call_id",
    "content"}`.
    """
    if isinstance(value, str) and not any(name in value for name in _ENVELOPES):
        return value
    decoded = decode_text(value)
    if isinstance(decoded, dict) and decoded.keys() == _ANSWERED:
        value = decoded = decoded["content"]
    if isinstance(decoded, dict) and not _is_error(decoded):
        if _structure_of(decoded) is not None and isinstance(decoded.get("content"), list):
            return _with_structure(result_text(decoded["content"]) if decoded["content"] else None, decoded)
        decoded = decoded.get("content") if not _FLAGS.isdisjoint(decoded) or _is_response(decoded) else decoded
    blocks = decoded if isinstance(decoded, list) else [decoded]
    texts = [block["text"] for block in blocks if _is_mcp_text(block)]
    return "\n".join(texts) if blocks and len(texts) == len(blocks) else as_text(value)


def mcp_error(value: Any) -> str | None:
    """Return the text of an MCP result that is marked as an error; None for every other value.

    Such a result is `{"content": [...], "isError": true}`, and "error" stands for one without text.
    Source: https://modelcontextprotocol.io/specification/2025-06-18/server/tools (error handling)
    """
    if isinstance(value, str) and not any(flag in value for flag in (*_FLAGS, '"state"')):
        return None
    fields = as_object(value)
    if fields is None or not _is_error(fields):
        return None
    content = fields.get("content", fields.get("output"))
    if not isinstance(content, list) and not _is_response(fields):
        return None
    text = result_text(content) if content else None
    return _with_structure(text, fields) or "error"


def _is_error(result: dict[str, Any]) -> bool:
    return any(result.get(flag) is True for flag in _FLAGS) or _is_response(result, state="error")


def _is_response(result: dict[str, Any], *, state: str | None = None) -> bool:
    """Return whether this is the response of a tool in AgentScope, in this state."""
    has_content = "content" in result or "output" in result or result.keys() == {"state"}
    is_one = "state" in result and has_content and result.keys() <= _RESPONSE
    return is_one and (state is None or result["state"] == state)


def _structure_of(result: dict[str, Any]) -> Any:
    return next((result[key] for key in _STRUCTURES if result.get(key) is not None), None)


def _with_structure(text: str | None, result: dict[str, Any]) -> str | None:
    """Return the text of an MCP result and the structure beside it, which servers need not repeat as text."""
    structure = _structure_of(result)
    if structure is None or (text and _says(decode_text(text), structure)):
        return text
    return "\n".join(part for part in (text, as_text(structure)) if part)


def _says(text: Any, structure: Any) -> bool:
    """Return whether a text repeats a structure; FastMCP wraps values that are no objects as `{"result": …}`."""
    is_wrapped = isinstance(structure, dict) and structure.keys() == {"result"}
    value = structure["result"] if is_wrapped else structure
    return text in (value, structure, as_text(value))


def parse_printed(text: str | None) -> str | None:
    """Return a result that was written with Python's `str`: the repr of a dict or list as JSON."""
    if text is None or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return as_text(decode_text(text))
    return text


def langchain_arguments(value: Any) -> tuple[Any, str | None]:
    """Return arguments and call id from a LangChain callback's `{"input_str", "inputs", "kwargs"}`."""
    envelope = as_object(value)
    if envelope is None or "input_str" not in envelope:
        return value, None
    inputs = envelope.get("inputs")
    kwargs = envelope.get("kwargs")
    call_id = kwargs.get("tool_call_id") if isinstance(kwargs, dict) else None
    args = inputs if isinstance(inputs, dict) else decode_text(envelope["input_str"])
    return args, call_id if isinstance(call_id, str) else None


def call_arguments(value: Any) -> Any:
    """Return keyword arguments from `{"args": […], "kwargs": {…}}`; positional ones become arg0, arg1 and so on."""
    envelope = as_object(value)
    if envelope is None or not isinstance(envelope.get("kwargs"), dict) or "args" not in envelope:
        return value
    positional = envelope["args"] if isinstance(envelope["args"], list) else []
    return {**{f"arg{position}": item for position, item in enumerate(positional)}, **envelope["kwargs"]}


def _message_fields(outer: dict[str, Any]) -> dict[str, Any] | None:
    if outer.get("type") == "tool" and isinstance(outer.get("data"), dict):
        return dict(outer["data"])
    output = outer.get("output", outer)
    if isinstance(output, dict) and output.keys() == _COMMAND:
        return _fields_of_update(output["update"])
    if isinstance(output, dict) and output.get("lc") and isinstance(output.get("kwargs"), dict):
        return dict(output["kwargs"])
    if isinstance(output, dict) and output.get("type") == "tool" and "tool_call_id" in output:
        return dict(output)
    return None


def _fields_of_update(update: Any) -> dict[str, Any] | None:
    """Return the fields of the last ToolMessage among the messages that a `Command` adds to the state."""
    messages = update.get("messages") if isinstance(update, dict) else None
    for item in reversed(messages) if isinstance(messages, list) else ():
        fields = _message_fields(item) if isinstance(item, dict) else None
        if fields is not None and "tool_call_id" in fields:
            return fields
    return None


def _content_of(literal: str) -> str | None:
    """Return the content of a message; the printed text if it is not a Python literal."""
    try:
        return result_text(ast.literal_eval(literal))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return literal


def _is_mcp_text(block: Any) -> bool:
    return (
        isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
        and block.keys() <= _OF_TEXT
    )


def _block(block: Any) -> str | None:
    if not isinstance(block, dict):
        return None
    if isinstance(block.get("text"), str):
        return str(block["text"])
    return as_text(block["json"]) if "json" in block else None
