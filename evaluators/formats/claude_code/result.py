"""Reads the results of tools: the text that the model got, and what the program recorded beside it."""

from __future__ import annotations

import math
from typing import Any, Final

from ...model import CallStatus, JsonObject

__all__ = ["describe_part", "read_result_fields", "result_text"]

_REJECTED: Final = "The user doesn't want to proceed with this tool use"
_MILLISECONDS: Final = {"totalDurationMs": 1, "durationMs": 1, "durationSeconds": 1000}


def result_text(content: Any) -> str:
    """Return the content of a result as text; of images and the like only what they are."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part if isinstance(part, str) else describe_part(part) for part in parts)


def describe_part(part: Any) -> str:
    """Return the text of a block, or its type and media type in brackets."""
    if not isinstance(part, dict):
        return str(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    source = part.get("source")
    media = source.get("media_type") if isinstance(source, dict) else None
    return f"[{' '.join(str(word) for word in (part.get('type', 'unknown'), media) if word)}]"


def read_result_fields(block: JsonObject, recorded: Any) -> dict[str, Any]:
    """Return the fields of a call that the block with its result decides, and what the program recorded of it."""
    result = result_text(block.get("content"))
    status: CallStatus = "error" if block.get("is_error") is True else "ok"
    if result.startswith(_REJECTED):
        status = "not_executed"
    return {"result": result, "status": status, **_read_recorded(recorded)}


def _read_recorded(recorded: Any) -> dict[str, Any]:
    if not isinstance(recorded, dict):
        return {}
    durations = (_duration(recorded.get(key), factor) for key, factor in _MILLISECONDS.items())
    duration_ms = next((duration for duration in durations if duration is not None), None)
    facts = {key: value for key, value in recorded.items() if isinstance(value, (bool, int, float))}
    facts = {key: value for key, value in facts.items() if key not in _MILLISECONDS and math.isfinite(value)}
    return {"duration_ms": duration_ms, "metadata": facts}


def _duration(value: Any, factor: int) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value * factor) if is_number and 0 <= value < math.inf else None
