"""The times of spans, which must have some, from those of a run, which may lack them.

A call without a start begins right after the model requested it, or after the call before it. A span whose duration is
not recorded has the gap `duration_not_recorded`, so that assembly says None and not 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from tracegrade.evaluators.model import AgentTrace

__all__ = ["Moment", "Period", "arrange_starts", "find_start", "to_ns"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND_NS: Final = 1_000
_MOST_NS: Final = 2**62


class Period(NamedTuple):
    """The start and end of a span, in nanoseconds since 1970, and whether its duration is recorded."""

    start_ns: int
    end_ns: int
    is_measured: bool

    @classmethod
    def of_call(cls, start_ns: int, duration_ms: float | None, ended_at: datetime | None = None) -> Period:
        """Return the period of a call; it ends when it begins if its duration is not recorded."""
        duration_ns = _duration_ns(duration_ms)
        if duration_ns is None:
            return cls(start_ns, start_ns, is_measured=False)
        return cls._meet(start_ns, duration_ns, to_ns(ended_at))

    @classmethod
    def _meet(cls, start_ns: int, duration_ns: int, ended_ns: int | None) -> Period:
        """Return the period of this duration.

        Recorded times are cut to microseconds: both are met by a start within its microsecond, if they agree.
        """
        latest_ns = start_ns - start_ns % _MICROSECOND_NS + _MICROSECOND_NS - 1
        start_ns = start_ns if ended_ns is None else min(max(start_ns, ended_ns - duration_ns), latest_ns)
        return cls(start_ns, start_ns + duration_ns, is_measured=True)

    @classmethod
    def of_run(cls, run: AgentTrace, start_ns: int, *, last_ns: int) -> Period:
        """Return the period of a run that begins at `start_ns`, and ends at `last_ns` if that is not recorded.

        A partial run has the end 0: it goes on.
        """
        ended_ns, duration_ns = to_ns(run.ended_at), _duration_ns(run.duration_ms)
        if run.completeness == "partial":
            return cls(start_ns, 0, is_measured=False)
        if duration_ns is not None:
            return cls._meet(start_ns, duration_ns, ended_ns)
        if ended_ns is None:
            return cls(start_ns, max(last_ns, start_ns), is_measured=False)
        return cls(start_ns, max(ended_ns, start_ns), is_measured=run.started_at is not None)


class Moment(NamedTuple):
    """The start of a call; if it is not known, a time that it followed, else 0."""

    time: datetime | None
    earliest_ns: int = 0


def to_ns(time: datetime | None) -> int | None:
    """Return nanoseconds since 1970; None for a time that OTLP cannot hold. A time without a zone is in UTC."""
    if time is None:
        return None
    aware = time.replace(tzinfo=UTC) if time.tzinfo is None else time
    ns = (aware - _EPOCH) // timedelta(microseconds=1) * _MICROSECOND_NS
    return ns if 0 < ns < _MOST_NS else None


def find_start(run: AgentTrace, *, fallback_ns: int, margin_ns: int) -> int:
    """Return the start of a run: as recorded, else `margin_ns` before its earliest known time, else `fallback_ns`."""
    recorded = to_ns(run.started_at)
    if recorded is not None:
        return recorded
    ended_ns, duration_ns = to_ns(run.ended_at), _duration_ns(run.duration_ms)
    if ended_ns is not None and duration_ns is not None:
        return max(1, ended_ns - duration_ns)
    times = [call.started_at for call in run.tool_calls] + [call.started_at for call in run.llm_calls]
    times += [*(message.time for message in run.messages), run.ended_at]
    known = [ns for time in times if (ns := to_ns(time)) is not None]
    return max(1, min(known) - margin_ns) if known else fallback_ns


def arrange_starts(moments: Iterable[Moment], *, after_ns: int) -> list[int]:
    """Return the starts of calls, later than `after_ns`, in the order in which they are given.

    An unknown start is a microsecond after the one before it, or after the time that it followed. A known one stays, to
    the microsecond, also where it is earlier than the one before it.
    """
    starts: list[int] = []
    previous_ns, last_known_ns = after_ns, after_ns // _MICROSECOND_NS * _MICROSECOND_NS
    for time, earliest_ns in moments:
        known_ns = to_ns(time)
        if known_ns is None:
            starts.append(max(previous_ns, earliest_ns) + _MICROSECOND_NS)
        elif known_ns == last_known_ns:
            starts.append(previous_ns + 1)
        else:
            starts.append(max(known_ns, previous_ns + 1) if known_ns > last_known_ns else known_ns)
        last_known_ns = max(last_known_ns, known_ns or 0)
        previous_ns = max(previous_ns, starts[-1])
    return starts


def _duration_ns(duration_ms: float | None) -> int | None:
    if duration_ms is None or not math.isfinite(duration_ms) or not 0 <= duration_ms < _MOST_NS / 1e6:
        return None
    return round(duration_ms * 1e6)
