"""Sessions."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from .row import Row
from .run import Run
from .score import Score

__all__ = ["Session", "SessionDetail", "SessionPage"]


class Session(Row):
    """A row of `sessions`."""

    session_id: str
    service_name: str | None
    agent_names: list[str]
    turns: int
    started_at: datetime
    ended_at: datetime | None
    tool_call_count: int | None
    error_count: int
    tokens: int | None
    cost_usd: float | None
    user_id: str | None
    agent_version: str | None
    environment: str | None
    first_input: str | None
    last_response: str | None
    busy_ms: float | None
    failing_turns: int
    scored_turns: int
    first_failing_run: str | None
    first_fault: str | None


class SessionPage(BaseModel):
    """A part of a list of sessions, those with the newest turns first."""

    model_config = ConfigDict(frozen=True)

    sessions: list[Session]
    next: str | None = Field(description="the cursor of the next part; null: there is none")


class SessionDetail(BaseModel):
    """A session with its turns. Services that use the same id have a row each."""

    model_config = ConfigDict(frozen=True)

    session_id: str
    sessions: list[Session]
    runs: list[Run] = Field(description="its turns, oldest first")
    scores: list[Score] = Field(description="active scores on the session")
    truncated: list[str] = Field(default=[], description="the parts of which only the first are here")
