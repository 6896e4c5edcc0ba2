"""What a call asked for, by its arguments: a file, or something about errors, whose content may mention errors."""

from __future__ import annotations

import re
from typing import Final

from ...model import ToolCall
from .tool_kind import command_of

__all__ = ["asks_for_errors", "asks_for_file"]

_FILE: Final = re.compile(r"\.(?:json|jsonl|ya?ml|log|txt|ndjson|har|out|md|html?|csv)\b", re.IGNORECASE)
_ERRORS: Final = re.compile(
    r"error|exception|fail|traceback|\blogs?\b|\.log\b|\.out\b|crash|fehler|störung|erreur|panne|échec|\berros?\b|falha|\bfall[ao]s?\b|故障|障害|エラー|错误|\b[45]\d\d\b",
    re.IGNORECASE,
)

_SHORTEST: Final = 4


def asks_for_file(call: ToolCall) -> bool:
    """Return whether the call reads a file, whose content may be anything."""
    return (
        any(isinstance(value, str) and _FILE.search(value) for value in (call.args or {}).values())
        or _FILE.search(command_of(call) or "") is not None
    )


def asks_for_errors(call: ToolCall) -> bool:
    """Return whether the arguments mention errors, or the result begins with one of them, such as the code of an error:
    a result about errors is then what was asked for."""
    texts = [value for value in (call.args or {}).values() if isinstance(value, str)]
    begins = (call.result or "").lstrip()
    return any(_ERRORS.search(text) or (len(text) >= _SHORTEST and begins.startswith(text)) for text in texts)
