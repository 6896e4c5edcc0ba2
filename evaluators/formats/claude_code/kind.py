"""Files of Claude Code: the log of a session, and the output of stream-json."""

from __future__ import annotations

from typing import Final

from ..kind import NO_CLAIM, Claim, Kind
from ..record import Record
from .line import BESIDE_RUNS
from .session import KIND_NAME, read_session

__all__ = ["KIND"]

_OF_THE_LOG: Final = ("uuid", "parentUuid", "isSidechain", "leafUuid", "userType")
_OF_THE_STREAM: Final = ("parent_tool_use_id", "num_turns", "claude_code_version", "apiKeySource")


def claim(record: Record) -> Claim:
    """Claim the lines of a session, with those that are no part of its runs."""
    value = record.value
    if record.is_csv or not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return NO_CLAIM
    sort = value["type"]
    is_of_log = "sessionId" in value and (sort in BESIDE_RUNS or any(key in value for key in _OF_THE_LOG))
    if is_of_log or (sort == "summary" and "leafUuid" in value):
        return Claim(3, "sessionId, uuid" if "uuid" in value else f"type {sort}")
    if "session_id" in value and (value.get("subtype") == "init" or any(key in value for key in _OF_THE_STREAM)):
        return Claim(3, f"session_id, type {sort}")
    return Claim(1, f"type {sort}") if sort in BESIDE_RUNS else NO_CLAIM


KIND: Final = Kind(
    KIND_NAME, "sessions of Claude Code, also its stream-json", claim, read_session, read_with=read_session
)
