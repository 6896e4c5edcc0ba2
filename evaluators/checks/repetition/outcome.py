"""The outcomes of calls, so that they can be compared: the same outcome again is nothing new."""

from __future__ import annotations

import re
from typing import Final

import orjson

from ...model import ToolCall
from ..failure import FailureRules
from ..failure.markup import read_xml
from .nothing import has_nothing, says_nothing

__all__ = ["finds_nothing", "is_passing_failure", "outcome_of"]

_FAILURES: Final = FailureRules()
_MOST: Final = 200_000
_MOST_MASKED: Final = 20_000
_VOLATILE: Final = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"  # times
    r"|\b\d\d:\d\d:\d\d(?:\.\d+)?\b|\b1[5-9]\d{8}(?:\d{3}|\.\d+)?\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b"  # ids of requests
    r"|\b\d+(?:\.\d+)?\s?(?:ms|milliseconds|s|sec|secs|seconds)\b"  # how long it took
    r'|"(?:timestamp|ts|time|\w+_at|\w+At|request_?id|trace_?id|elapsed\w*|duration\w*|took\w*|latency\w*)"\s*:\s*[^,}\]]+',
    re.IGNORECASE,
)
"""Parts that differ between results that are otherwise equal."""

_LONGEST_NOTHING: Final = 300


def outcome_of(call: ToolCall) -> str | None:
    """Return a text that is equal for calls with the same result or failure; None if neither was recorded.

    Times, durations and ids of requests are left out.
    """
    if call.status == "not_executed" and call.result is None:
        return "not executed"
    failure = _FAILURES.failure_of(call)
    if call.result is None and failure is None:
        return None
    text = (call.error or "") if call.result is None else call.result
    if len(text) <= _MOST_MASKED:
        text = _VOLATILE.sub("", text).strip()
    return f"{'failed' if failure else 'ok'}\n{text}"


_PASSES: Final = re.compile(
    r"\b(?:429|502|503|529)\b|too many requests|rate.?limit|throttl|overload|temporar|unavailable"
    r"|(?:try|retry) (?:again|later)|retry.after|resource_exhausted|\bbusy\b",
    re.IGNORECASE,
)
"""Limits of requests and overload. A call that waited for its timeout has lost that time, and is repeated with care."""
_LONGEST_FAILURE: Final = 2_000


def is_passing_failure(call: ToolCall) -> bool:
    """Return whether a call failed for a reason that passes by itself, such as a limit of requests."""
    text = "\n".join(filter(None, (call.error, call.result)))
    return _PASSES.search(text[:_LONGEST_FAILURE]) is not None and _FAILURES.failure_of(call) is not None


def finds_nothing(call: ToolCall) -> bool:
    """Return whether a search failed, or its result is empty or says that there is nothing.

    A failure that passes by itself says nothing about the search.
    """
    if is_passing_failure(call):
        return False
    if _FAILURES.failure_of(call) is not None:
        return True
    if call.result is None:
        return False
    text = call.result.strip()
    if len(text) <= _LONGEST_NOTHING and (not text or says_nothing(text.strip('"'))):
        return True
    if text.startswith("<"):
        return (fields := read_xml(text)) is not None and has_nothing(fields)
    return text[:1] in {"[", "{", "n"} and len(text) <= _MOST and _is_empty(text)


def _is_empty(text: str) -> bool:
    try:
        return has_nothing(orjson.loads(text))
    except ValueError:
        return False
