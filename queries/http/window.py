"""The query parameters of what is counted over a period."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ConfigDict, Field

from tracegrade.evaluators.text.times import parse_time

from .problem import Details, InputFault
from .refusal import Refusal

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
        until = now if self.until is None else _parse("until", self.until, now)
        since = _begin_hour(_parse("since", self.since, now))
        if since >= until:
            raise _refuse("since", f"it is {since:%Y-%m-%dT%H:%MZ}; write a time before {until:%Y-%m-%dT%H:%MZ}")
        return Period(since=since, until=until)

    def parameters(self, period: Period) -> dict[str, object]:
        """Return the values of the parameters of a report."""
        about = {"agent": self.agent, "version": self.version, "environment": self.environment}
        return {"since": period.since, "until": period.until, **about}


def _begin_hour(time: datetime) -> datetime:
    return time - timedelta(minutes=time.minute, seconds=time.second, microseconds=time.microsecond)


def _parse(name: str, text: str, now: datetime) -> datetime:
    try:
        return parse_time(text, now)
    except ValueError as error:
        raise _refuse(name, str(error)) from error


def _refuse(parameter: str, detail: str) -> Refusal:
    details = Details(errors=(InputFault(parameter=parameter, detail=detail),))
    return Refusal(400, "malformed", f"{parameter}: {detail}", details=details)
