"""One line of a rollout: a time, a type, and what happened.

    {"timestamp": "…", "type": "response_item", "payload": {"type": "function_call", "call_id": "c1", …}}

The first rollouts have the payloads alone, after a line about the session.
Source: https://github.com/openai/codex, codex-rs/protocol/src/protocol.rs and models.rs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ...model import JsonObject
from ..field_values import count_at, time_at
from ..spelling import Unreadable, record

__all__ = ["BESIDE_RUNS", "KNOWN", "Line", "is_context", "read_line", "text_of_content"]

KNOWN: Final = frozenset({"session_meta", "turn_context", "response_item", "event_msg"})
BESIDE_RUNS: Final = frozenset(
    {
        "compacted",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "realtime_item",
        "retained_context",
        "security_risk_score",
        "token_usage_record",
        "world_state",
    }
)
"""The types of lines that are no part of a run."""

_ITEMS: Final = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_CONTEXT: Final = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions instructions|turn_aborted|skill"
    r"|subagent_notification|collaboration_mode|model_switch|user_shell_command|recommended_plugins)\b"
    r"|# AGENTS\.md instructions)"
)
_NO_TEXT: Final = frozenset({"input_image", "output_image", "image"})


@dataclass(frozen=True, slots=True)
class Line:
    """A line. `kind` is the type of its payload."""

    place: str
    type: str
    kind: str | None
    payload: JsonObject
    time: datetime | None = None
    ordinal: int | None = None


def read_line(value: object, place: str) -> Line | None:
    """Return a line; None if it is no part of a run. Raises ValueError that names the field."""
    item = record(value, "the line")
    if "payload" not in item:
        return _read_bare(item, place)
    sort = item.get("type")
    if not isinstance(sort, str):
        raise Unreadable("type is missing; write that of the line, such as response_item")
    if sort not in KNOWN:
        return None
    payload = record(item["payload"], "payload")
    kind = payload.get("type")
    return Line(
        place,
        sort,
        kind if isinstance(kind, str) else None,
        payload,
        time_at(item, "timestamp"),
        count_at(item, "ordinal"),
    )


def _read_bare(item: JsonObject, place: str) -> Line | None:
    """Return a line of the first rollouts."""
    kind = item.get("type")
    if isinstance(kind, str) and kind in _ITEMS:
        return Line(place, "response_item", kind, item, time_at(item, "timestamp"))
    if "id" in item and "timestamp" in item:
        return Line(place, "session_meta", None, item, time_at(item, "timestamp"))
    if "record_type" in item or isinstance(kind, str):
        return None
    raise Unreadable("payload is missing")


def is_context(text: str) -> bool:
    """Return whether the program wrote this text in the name of the user."""
    return _CONTEXT.match(text) is not None


def text_of_content(content: Any) -> str | None:
    """Return the texts in a list of parts, joined; images are named in brackets. None without any part."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not content:
        return None
    texts: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif isinstance(part, dict):
            texts.append("[image]" if part.get("type") in _NO_TEXT else f"[{part.get('type', 'unknown')}]")
    return "\n".join(texts)
