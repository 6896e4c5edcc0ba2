"""One line of a session, of whichever form.

A session's log has `sessionId`, `uuid`, `isSidechain` and `toolUseResult`; stream-json has `session_id`,
`parent_tool_use_id` and `tool_use_result` instead. There is no published schema of the log.
Sources: https://code.claude.com/docs/en/headless; the parsers of harbor 0.26.0, claude-code-log 1.7.0 and agentv.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ...model import JsonObject
from ..field_values import text_at, time_at
from ..spelling import Unreadable, first, record

__all__ = ["BESIDE_RUNS", "Line", "read_line"]

BESIDE_RUNS: Final = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "custom-title",
        "file-history-snapshot",
        "keep_alive",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "rate_limit_event",
        "stream_event",
        "summary",
        "tag",
    }
)
"""The types of lines that are no part of a run."""

_MESSAGES: Final = frozenset({"assistant", "user"})
_USED: Final = _MESSAGES | {"attachment", "result", "system"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line. `thread` says which sub-agent it is of: by the agent's id or by the call that started it, as recorded.

    `message` is the message of lines of the types `assistant` and `user`.
    """

    place: str
    type: str
    value: JsonObject
    message: JsonObject
    uuid: str | None = None
    session_id: str | None = None
    time: datetime | None = None
    is_sidechain: bool = False
    thread: str | None = None

    @property
    def blocks(self) -> list[JsonObject]:
        """The content of its message as blocks."""
        content = self.message.get("content")
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []

    @property
    def text(self) -> str | None:
        """The text of its message, None without any."""
        texts = [block["text"] for block in self.blocks if block.get("type") == "text" and _has_text(block)]
        return "\n".join(texts) if texts else None

    @property
    def tool_use_result(self) -> Any:
        """What the program knows of the result of a tool, beside what it told the model."""
        return first(self.value, ("toolUseResult", "tool_use_result"))


def read_line(value: object, place: str) -> Line | None:
    """Return a line; None if it is no part of a run. Raises ValueError that names the field."""
    item = record(value, "the line")
    sort = item.get("type")
    if not isinstance(sort, str):
        raise Unreadable("type is missing; write that of the line, such as user or assistant")
    if sort not in _USED:
        return None
    message = record(item.get("message"), "message") if sort in _MESSAGES else {}
    if sort in _MESSAGES and not isinstance(message.get("content"), (str, list, type(None))):
        raise Unreadable("message.content is neither text nor a list of blocks")
    parent_call = text_at(item, "parent_tool_use_id")
    is_sidechain = item.get("isSidechain") is True or parent_call is not None
    return Line(
        place,
        sort,
        item,
        message,
        uuid=text_at(item, "uuid"),
        session_id=text_at(item, "sessionId") or text_at(item, "session_id"),
        time=time_at(item, "timestamp"),
        is_sidechain=is_sidechain,
        thread=(parent_call or text_at(item, "agentId")) if is_sidechain else None,
    )


def _has_text(block: JsonObject) -> bool:
    return isinstance(block.get("text"), str) and bool(block["text"])
