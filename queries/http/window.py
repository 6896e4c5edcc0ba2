"""The query parameters of what is counted over a period."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ConfigDict, Field

from .list_query import read_time, refuse_parameter

__all__ = ["AgentVersion", "Period", "Window"]


class Period(BaseModel):
    """Whole hours, in UTC: those that begin from `since` until `until`."""

    since: datetime
    until: datetime


class AgentVersion(BaseModel):
    """A version of an agent; null: not recorded."""

    agent: str | None
    agent_version: str | None


class Window(BaseModel):
    """A period, and the agent whose runs count."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: str = Field(default="7d", max_length=100, description="begin of the period: 7d, 12h, today, or a time (UTC)")
    until: str | None = Field(default=None, max_length=100, description="its end; default: now")
    agent: str | None = Field(default=None, description="only this agent")
    version: str | None = Field(default=None, description="only this version of the agent")
    environment: str | None = Field(default=None, description="only this environment")

    def find_period(self) -> Period:
        """Return the hours of the period. Raises Refusal if a time cannot be read, or none is between them."""
        now = datetime.now(UTC).replace(tzinfo=None)
        until = now if self.until is None else read_time("until", self.until, now)
        since = _begin_hour(read_time("since", self.since, now))
        if since >= until:
            raise refuse_parameter(
                "since", f"it is {since:%Y-%m-%dT%H:%MZ}; write a time before {until:%Y-%m-%dT%H:%MZ}"
            )
        return Period(since=since, until=until)

    def parameters(self, period: Period) -> dict[str, object]:
        """Return the values of the parameters of a report."""
        about = {"agent": self.agent, "version": self.version, "environment": self.environment}
        return {"since": period.since, "until": period.until, **about}


def _begin_hour(time: datetime) -> datetime:
    return time - timedelta(minutes=time.minute, seconds=time.second, microseconds=time.microsecond)
