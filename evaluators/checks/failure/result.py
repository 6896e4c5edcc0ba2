"""Decodes the results of tools: JSON, the repr of a Python object, and envelopes that only contain another result."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from ...model import JsonObject, ToolCall
from ...text.foreign_text import quoted
from .fields import read_fields
from .label import ERROR_LABEL, without_label
from .markup import read_xml

__all__ = ["decode_result", "words_of_failure"]

_MOST: Final = 200_000
_MOST_OF_REPR: Final = 10_000
_LEVELS: Final = 4
_WRAPPERS: Final = (
    "result",
    "output",
    "response",
    "content",
    "text",
    "return_value",
    "value",
    "message",
    "body",
)
_KEYS_OF_PARTS: Final = frozenset(
    {"type", "text", "annotations", "_meta", "meta", "citations", "cache_control", "logprobs", "id", "index", "extras"}
)
"""The keys of a part of a message in MCP, in the APIs of Anthropic and OpenAI, and in LangChain."""
_EMPTY_ERRORS: Final = frozenset({"error", "errors", "isError", "is_error"})
_REPR: Final = re.compile(r"\s*[\[{]\s*(?:'|\{\s*')")


def decode_result(result: str) -> object:
    """Return the data of a result that is JSON or the repr of a Python object, without envelopes; else the text."""
    value: object = result
    for _ in range(_LEVELS):
        inner = _unwrapped(_parsed(value) if isinstance(value, str) else value)
        if inner is value:
            break
        value = inner
    return value


_MESSAGES: Final = (
    *("errormessage", "errordescription", "errorsummary", "faultstring", "error", "err", "exception", "fault"),
    *(
        "message",
        "detail",
        "details",
        "msg",
        "errmsg",
        "submsg",
        "errcodedes",
        "reason",
        "description",
        "title",
        "text",
    ),
    *("errors", "issue", "diagnostics", "errorresult", "failurereason", "failuremessage", "failure", "lasterror"),
    *("stderr", "remark", "note", "information", "info", "summary", "value"),
)
"""Keys of messages, in the order in which they tell most, without case and separators."""
_ENDINGS: Final = ("message", "msg", "desc", "description", "text", "reason", "error", "errors")
_MOST_WITHIN: Final = 20
_SHORTEST: Final = 2
_WITHOUT_PREFIX: Final = re.compile(
    r"\A(?:" + ERROR_LABEL.pattern + r"|<\w{1,30}>\s*|\W{0,3}(?:error (?:executing|invoking|calling) tool [\w.-]+"
    r"|tool execution (?:error|failed)|tool error|error)\s*:\s*)+",
    re.IGNORECASE,
)
"""What frameworks put before the message of a tool."""


def words_of_failure(call: ToolCall) -> str | None:
    """Return the words of a failed call by which a person knows the cause, in one line of at most 200 characters: its
    error, else the message in its result, else the first line; of a traceback the last one. None without any."""
    data = decode_result(call.error or call.result or "")
    if isinstance(data, str) and data.startswith("<"):
        data = read_xml(data) or data
    if not isinstance(data, str):
        message = _message_in(data, levels=_DEEPEST)
        return quoted(message) if message else None
    text = without_label(data, is_of_reader=False)
    if "Traceback (most recent call last)" in text[:_LONGEST_HEAD]:
        text = text.rstrip().rpartition("\n")[2]
    lines = _WITHOUT_PREFIX.sub("", text.strip()).strip().splitlines()
    return quoted(lines[0]) if lines else None


_LONGEST_HEAD: Final = 2_000
_DEEPEST: Final = 7


def _message_in(value: object, *, levels: int) -> str | None:
    """Return the message of an error in data; None if there is none."""
    if isinstance(value, str):
        return value if len(value) >= _SHORTEST else None
    if not levels:
        return None
    if isinstance(value, list):
        parts: Iterable[object] = value[:_MOST_WITHIN]
    elif isinstance(value, Mapping):
        parts = _by_what_they_tell(read_fields(dict(value)))
    else:
        return None
    return next(filter(None, (_message_in(part, levels=levels - 1) for part in parts)), None)


def _by_what_they_tell(fields: JsonObject) -> Iterator[object]:
    """Yield the fields that may be messages, those first that tell most, and then what may have messages in it."""
    names: list[str] = [name for name in _MESSAGES if name in fields]
    names += [name for name in fields if name not in names and name.endswith(_ENDINGS)]
    yield from (fields[name] for name in names)
    yield from (part for name, part in fields.items() if name not in names and isinstance(part, (dict, list)))


def _parsed(text: str) -> object:
    begins = text.lstrip()[:1]
    if begins not in {"{", "[", '"'} or len(text) > _MOST:
        return text
    try:
        return orjson.loads(text)
    except ValueError:
        return _of_repr(text) if len(text) <= _MOST_OF_REPR and _REPR.match(text) else text


def _of_repr(text: str) -> object:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _unwrapped(value: object) -> object:
    """Return the content of an envelope (MCP content, `{"result": …}`, also with an empty `error`), else the value."""
    if isinstance(value, list):
        return _text_of_parts(value)
    if not isinstance(value, dict):
        return value
    if value.get("isError") is False and isinstance(value.get("content"), list):
        return _text_of_parts(value["content"])
    keys = [key for key in value if key not in _EMPTY_ERRORS or value[key]]
    if len(keys) == 1 and keys[0] in _WRAPPERS and isinstance(value[keys[0]], (str, dict, list)):
        return value[keys[0]]
    return value


def _text_of_parts(parts: list[Any]) -> object:
    """Return the text of the parts of a message; the parts if they are data, such as found texts with their scores."""
    is_text = bool(parts) and all(isinstance(part, dict) and _is_part(part) for part in parts)
    return "\n".join(part["text"] for part in parts) if is_text else parts


def _is_part(part: Mapping[str, Any]) -> bool:
    return isinstance(part.get("text"), str) and part.keys() <= _KEYS_OF_PARTS
