"""Reads what a tool returned: its text, and the exit code and time that are in it or in an event beside it."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from ...model import CallStatus, JsonObject
from ..spelling import text_of
from .line import text_of_content

__all__ = ["read_event", "read_output"]

_EXIT_CODE: Final = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d{1,9})\s*$", re.MULTILINE)
_WALL_TIME: Final = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)
_HEAD_CHARACTERS: Final = 400
_OUTPUT: Final = "\nOutput:"


def read_output(output: Any) -> dict[str, Any]:
    """Return the fields of a call that its output decides. The result is as the model got it."""
    success: object = None
    if isinstance(output, dict) and ("content" in output or "success" in output):
        success, output = output.get("success"), output.get("content", "")
    result = text_of_content(output) if isinstance(output, list) else text_of(output)
    text = "" if result is None else result
    exit_code, duration_ms = _read_metadata(text) or _read_head(text)
    has_failed = success is False or (exit_code is not None and exit_code != 0)
    status: CallStatus = "error" if has_failed else "ok"
    return {
        "result": text,
        "status": status,
        "duration_ms": duration_ms,
        "metadata": {} if exit_code is None else {"exit_code": exit_code},
    }


def _read_metadata(text: str) -> tuple[int | None, float | None] | None:
    """Return exit code and milliseconds of `{"output": …, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}`."""
    if not text.startswith("{") or '"metadata"' not in text:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return None
    seconds = _number(metadata.get("duration_seconds"))
    return _whole(metadata.get("exit_code")), None if seconds is None else seconds * 1000


def _read_head(text: str) -> tuple[int | None, float | None]:
    """Return exit code and milliseconds in the lines before `Output:`."""
    head, found, _ = text[:_HEAD_CHARACTERS].partition(_OUTPUT)
    if not found:
        return None, None
    code, seconds = _EXIT_CODE.search(head), _WALL_TIME.search(head)
    return None if code is None else int(code[1]), None if seconds is None else float(seconds[1]) * 1000


def read_event(payload: JsonObject) -> dict[str, Any]:
    """Return the fields of a call in the event that ended it: `exec_command_end`, `mcp_tool_call_end` and the like."""
    duration_ms = _read_duration(payload.get("duration"))
    exit_code = _whole(payload.get("exit_code"))
    fields: dict[str, Any] = {} if duration_ms is None else {"duration_ms": duration_ms}
    if exit_code is not None:
        fields["metadata"] = {"exit_code": exit_code}
    return fields


def _read_duration(value: Any) -> float | None:
    """Return milliseconds of `{"secs": 1, "nanos": 5}`, as Rust writes a duration."""
    if not isinstance(value, dict):
        return None
    seconds, nanoseconds = _number(value.get("secs")), _number(value.get("nanos"))
    return None if seconds is None else seconds * 1000 + (nanoseconds or 0) / 1e6


def _number(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < math.inf else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
