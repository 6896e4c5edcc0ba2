"""What values mean: from OTLP's AnyValue to plain Python, and from text to what it holds.

The dialects disagree on how content travels: structured, as JSON in a string, as JSON in JSON, as a Python repr,
or as a placeholder for something left out. All of that is read here and nowhere else.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import math
import re
from collections.abc import Iterable
from typing import Any, Final

import orjson
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

__all__ = [
    "GAPS",
    "LONGEST_NAME",
    "NO_AGENT_SPAN",
    "NO_DURATION",
    "REDACTED",
    "SHORTEST_LIMIT",
    "TRUNCATED",
    "UNEXPECTED",
    "UNNAMED",
    "UNREADABLE",
    "any_value",
    "as_count",
    "as_object",
    "as_session_id",
    "as_text",
    "attributes",
    "canonical",
    "decode_text",
    "find_unread_reason",
    "is_placeholder",
    "is_response_id",
    "load_json",
    "looks_truncated",
    "own_session",
    "shorten_name",
    "was_cut",
]

GAPS = "tracegrade.gaps"
"""The attribute under which a kept record names what is odd about it."""

UNNAMED = "unknown"
"""The name of a tool call whose name was not recorded."""

_MOST = 2**53
"""A count beyond this is none, and the sum of many counts still fits the store's BIGINT."""

_LAYERS = 3
"""How often JSON may be wrapped in JSON before we stop unwrapping."""

_REPR_CHARACTERS = 100_000

SHORTEST_LIMIT = 100
"""The shortest limit that exporters have for a text, in characters."""

_DEPTH = 60
"""How deep a value may be nested that is read out of text: what is read must be possible to write again."""

_BEGINS_DATA = re.compile(
    r"""\s*(?:\{|\[\s*(?:[\[{"'<(\]]|-?\d[\d.eE+-]*\s*(?:[,\]]|$)|(?:true|false|null|True|False|None)\b|\w[\w.]*\(|$))"""
)
"""How an object or a list begins, but not a text in brackets such as `[File: notes.txt]` or `[12:04] started`."""

_JSON_OPENERS = ("{", "[", '"')

_ESCAPE = re.compile(
    r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escaped character of JSON: two halves of one, a half alone, or any other."""

_RESPONSE_ID = re.compile(r"(?:resp|response|chatcmpl|msg)[_-]")

_PLACEHOLDERS = (
    "<elided>",
    "<REDACTED>",
    "[REDACTED]",
    "[redacted]",
    "HIDDEN:non-empty",
    "__REDACTED__",
    "<replaced>",
    "<not serializable>",
    "[Not Serializable]",
    "<not specified>",
)
"""What instrumentations write instead of content: absent, and somebody chose so."""

_SCRUBBED = "[Scrubbed due to "
"""Logfire goes on with what it took for a secret."""

_PLACEHOLDER = re.compile(rf"\s*(?:{'|'.join(map(re.escape, _PLACEHOLDERS))})\s*\Z|{re.escape(_SCRUBBED)}")
"""A pattern, because it gives up at the first character of nearly all content, however long that is."""

NO_AGENT_SPAN = "no_agent_span"
"""The gap of a run that no span of an agent or workflow records as a whole."""

NO_DURATION = "duration_not_recorded"
"""The gap of a record that has a time because it must have one, although nobody recorded how long it took."""

REDACTED = "redacted"
TRUNCATED = "truncated"
UNREADABLE = "unreadable_content"
UNEXPECTED = "unexpected_value"
"""Why a value that is recorded tells nothing: left out on purpose, cut off, or in no form that is known."""


def attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    """Return OTLP attributes as a flat dict; of a repeated key the last value stays."""
    return {pair.key: pair.value.string_value or any_value(pair.value) for pair in pairs}


def any_value(value: AnyValue) -> Any:  # noqa: PLR0911 - one line a kind
    """Return an AnyValue in a form that JSON has: bytes become {"$bytes": base64}, NaN and infinities strings."""
    match value.WhichOneof("value"):
        case "string_value":
            return value.string_value
        case "int_value":
            return value.int_value
        case "bool_value":
            return value.bool_value
        case "double_value":
            number = value.double_value
            return number if math.isfinite(number) else _name_number(number)
        case "array_value":
            return [any_value(item) for item in value.array_value.values]
        case "kvlist_value":
            return attributes(value.kvlist_value.values)
        case "bytes_value":
            return {"$bytes": base64.b64encode(value.bytes_value).decode()}
    return None


def load_json(text: str | bytes) -> Any:
    """Parse JSON as programs send it. Raises orjson.JSONDecodeError.

    Half a surrogate pair (in a text that was cut) and bytes that are not UTF-8 become U+FFFD; NaN and infinities become
    their names. orjson refuses all of these.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        repaired = _repair_characters(text)
        is_changed, has_names = repaired != text, "NaN" in repaired or "Infinity" in repaired
        if not is_changed and not has_names:
            raise
        try:
            return json.loads(repaired, parse_constant=str) if has_names else orjson.loads(repaired)
        except (ValueError, RecursionError):
            pass
        raise


def _repair_characters(text: str | bytes) -> str:
    """Return the text with U+FFFD in place of each broken character."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[2] else escape[0], text) if "\\u" in text else text


def decode_text(value: Any, *, deepest: int = _DEPTH) -> Any:
    """Decode JSON in a string (up to three layers) or the repr of a dict or list; return other values as they are.

    What has more than `deepest` levels stays text. Bare scalars in a string stay strings: "20" and "true" are what
    somebody wrote.
    """
    for _ in range(_LAYERS):
        if not isinstance(value, str) or not _opens(value):
            return value
        try:
            decoded = load_json(value)
        except orjson.JSONDecodeError:
            return _python_repr(value, deepest)
        if _is_too_deep(value, decoded, deepest):
            return value
        value = decoded
    return value


def _opens(text: str) -> bool:
    """Return whether a text begins like JSON other than a bare scalar."""
    return text.startswith(_JSON_OPENERS) or (text[:1].isspace() and text.lstrip().startswith(_JSON_OPENERS))


def as_object(value: Any, *, deepest: int = _DEPTH) -> dict[str, Any] | None:
    """Return `value` decoded, if it is an object; None otherwise."""
    decoded = decode_text(value, deepest=deepest)
    return decoded if isinstance(decoded, dict) else None


def as_count(value: Any) -> int | None:
    """Return a count, also from text; None for an impossible one."""
    if value is None or isinstance(value, bool):
        return None
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return count if 0 <= count <= _MOST else None


def as_session_id(session_id: str | None) -> str | None:
    """Return an id without the quotes of one that was written as JSON, without unit separators, which separate ids in a
    list, and as short as a name."""
    if session_id and len(session_id) > 2 and session_id[0] == session_id[-1] == '"':
        session_id = as_text(decode_text(session_id))
    return session_id and shorten_name(session_id.replace("\x1f", "%1F"))


LONGEST_NAME: Final = 500
"""The number of characters of a name; pages, lists and links show thousands of them."""


def shorten_name(name: str) -> str:
    """Return a name, or the beginning of one that is too long and a hash of it, so that different ones stay so."""
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{name[: LONGEST_NAME - len(digest) - 1]}…{digest}"


def is_response_id(text: str | None) -> bool:
    """Return whether this is the id of one response, as providers give it to them, and not of a conversation."""
    return text is not None and _RESPONSE_ID.match(text) is not None


def own_session(session_id: str | None) -> str | None:
    """Return the session that a run recorded; None if that is only the response before."""
    return None if is_response_id(session_id) else session_id


def as_text(value: Any) -> str | None:
    """Return `value` as one string: text verbatim, anything else as compact JSON; None stays None."""
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()


def canonical(value: Any) -> str:
    """Return the same text for the same value, whatever the order of its keys."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str).decode()


def is_placeholder(value: Any) -> bool:
    """Return whether an instrumentation wrote this instead of the content."""
    return isinstance(value, str) and _PLACEHOLDER.match(value) is not None


def find_unread_reason(value: Any) -> str | None:
    """Return why a recorded value could not be read; None for an empty value."""
    if value is None or value == "":
        return None
    if is_placeholder(value):
        return REDACTED
    return TRUNCATED if looks_truncated(value) else UNREADABLE


def looks_truncated(value: Any) -> bool:
    """Return whether this began as a JSON object or list, or as the repr of one, and was cut off."""
    if not isinstance(value, str) or not _BEGINS_DATA.match(value):
        return False
    return isinstance(decode_text(value), str) and not value.rstrip().endswith(("}", "]"))


def was_cut(text: str | None) -> bool:
    """Return whether a text is long enough to have met the limit of an exporter, and looks truncated.

    What is shorter than any limit was written like this.
    """
    if text is None or len(text) < SHORTEST_LIMIT or text.endswith(("}", "]")):
        return False
    return looks_truncated(text)


def _python_repr(text: str, deepest: int) -> Any:
    """Return the dict or list of which `text` is the repr; `text` itself if it is neither, or too large to try."""
    if len(text) > _REPR_CHARACTERS or not text.lstrip().startswith(("{", "[")) or _depth(text) > deepest:
        return text
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    if not isinstance(value, (dict, list)):
        return text
    try:
        return orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
    except (TypeError, orjson.JSONEncodeError):
        return text


def _is_too_deep(text: str, value: Any, deepest: int) -> bool:
    if len(text) <= 2 * deepest or text.count("{") + text.count("[") <= deepest:
        return False
    level = [value]
    for _ in range(deepest):
        level = [inner for node in level for inner in _list_children(node) if isinstance(inner, (dict, list))]
        if not level:
            return False
    return True


def _list_children(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        if character in "{[(":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}])":
            depth -= 1
    return deepest


def _name_number(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"
