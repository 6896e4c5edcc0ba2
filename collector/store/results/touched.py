"""The runs whose outcome a transaction may have changed, and the hours whose counts it may have changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from .changed_hours import to_hour
from .changes import Changes, Row

__all__ = ["Touched", "find_touched"]


@dataclass(slots=True)
class Touched:
    """The runs whose outcome a transaction may have changed; most of them began between the times (UTC).

    `hours` are those in which outermost runs began or had begun before; those of the outermost runs around
    `agent_trace_ids` need not be among them.
    """

    agent_trace_ids: set[str] = field(default_factory=set)
    earliest: datetime | None = None
    latest: datetime | None = None
    hours: set[datetime] = field(default_factory=set)

    def add(self, agent_trace_ids: Iterable[str | None], times: Iterable[datetime | None] = ()) -> None:
        """Add runs, and the times at which they or their calls began, as far as these are known."""
        self.agent_trace_ids.update(key for key in agent_trace_ids if key is not None)
        if known := [time for time in times if time is not None]:
            self.earliest = min(*known, self.earliest or known[0])
            self.latest = max(*known, self.latest or known[0])

    def __ior__(self, other: Touched) -> Self:
        self.add(other.agent_trace_ids, (other.earliest, other.latest))
        self.hours |= other.hours
        return self


def find_touched(stored: Mapping[str, Row], changes: Changes) -> Touched:
    """Return what the changes of runs touch.

    The outcome of a new run without a failure is that of all such runs, unless sub-agents of it came before.
    """
    touched = Touched()
    roots = {run["root_agent_trace_id"] for run in stored.values()}
    written = [*changes.changed, *changes.stale]
    before = [stored[run["agent_trace_id"]] for run in written]
    faulty = [run for run in changes.new if run["error"] is not None or run["failed_calls"] is not None]
    for run in [*written, *faulty, *before, *(stored[key] for key in changes.gone)]:
        touched.add((run["agent_trace_id"], run["root_agent_trace_id"]), (run["started_at"],))
    for run in changes.new:
        if run["parent_agent_trace_id"] is not None or run["agent_trace_id"] in roots:
            touched.add((run["root_agent_trace_id"],), (run["started_at"],))
    touched.agent_trace_ids -= set(changes.gone)
    for run in [*changes.new, *written, *before, *(stored[key] for key in changes.gone)]:
        if run["parent_agent_trace_id"] is None and run["experiment_id"] is None:
            touched.hours.add(to_hour(run["started_at"]))
    return touched
