"""One run of an agent, and the spans that record it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import GAPS, NO_AGENT_SPAN

__all__ = ["CALLERS", "Reading", "Run", "contains", "covering", "overlap", "plain_name"]

CALLERS = frozenset({"agent", "tool", "handoff"})
"""The kinds of steps within which another agent may run."""

_AGENTS = frozenset({"agent", "workflow"})
_LEVELS = 8


class Reading(NamedTuple):
    """A span, and the step that `dialect` read from it."""

    span: Span
    step: Step
    dialect: str


@dataclass(slots=True)
class Run:
    """One run: its top span, the steps within it in order of time, and the run it was called from.

    `own` is what the top span itself records, unless it is only a model call or a tool call.
    """

    top: Span
    own: Step | None = None
    parent: Run | None = None
    children: list[Run] = field(default_factory=list)
    steps: list[Reading] = field(default_factory=list)
    _by_kind: dict[str, list[Reading]] = field(default_factory=dict)
    marked: list[Span] = field(default_factory=list)
    """Spans within it that only give structure, and say that something failed or was interrupted."""
    missing_parent: bool = False
    has_cyclic_parents: bool = False
    """Whether steps were added whose parents form a loop, and so lead to no run."""

    @property
    def has_agent_span(self) -> bool:
        """Whether an agent or workflow recorded the run as a whole, and not a span that only stands for it."""
        if self.own is None or self.own.kind not in _AGENTS:
            return False
        stated = self.top.attributes.get(GAPS)
        return not (isinstance(stated, list) and NO_AGENT_SPAN in stated)

    @property
    def services(self) -> frozenset[str | None]:
        """The services that the agent runs in: that of its top span.

        Where this did none of the work, as the caller of a remote agent, also those of the agent's other spans.
        """
        service = self.top.service_name
        works = any(reading.span.service_name == service for kind in ("model", "tool") for reading in self.of(kind))
        return frozenset(
            {service} if works else {service, *(reading.span.service_name for reading in self.of("agent"))}
        )

    @property
    def hands_over(self) -> bool:
        """Whether this run only hands over to agents, whose calls are then its trajectory."""
        return bool(self.children) and not (self.of("model") or self.of("tool"))

    @property
    def is_near_the_top(self) -> bool:
        """Whether at most a few runs enclose this one."""
        above = self.parent
        for _ in range(_LEVELS):
            if above is None:
                return True
            above = above.parent
        return False

    @property
    def own_steps(self) -> list[Step]:
        """The steps of its agent spans, the top one first."""
        return [reading.step for reading in self.of("agent")]

    def of(self, kind: str) -> Sequence[Reading]:
        """Return its steps of one kind."""
        return self._by_kind.get(kind, ())

    def add(self, reading: Reading) -> None:
        """Append a step."""
        self.steps.append(reading)
        self._by_kind.setdefault(reading.step.kind, []).append(reading)

    def leave_out(self, span_ids: Collection[str]) -> None:
        """Remove the tool calls with these spans from its steps."""
        self._by_kind["tool"] = [reading for reading in self.of("tool") if reading.span.span_id not in span_ids]
        self.steps = [
            reading for reading in self.steps if reading.step.kind != "tool" or reading.span.span_id not in span_ids
        ]

    def replace_step(self, former: Reading, replacement: Reading) -> None:
        """Replace a step by another one of the same kind."""
        for steps in (self.steps, self._by_kind[former.step.kind]):
            steps[steps.index(former)] = replacement


def overlap(left: Span, right: Span) -> bool:
    """Return whether both spans overlap in time."""
    return left.start_ns < right.end_ns and right.start_ns < left.end_ns


def contains(top: Span, span: Span) -> bool:
    """Return whether `span` lies within the time of `top`."""
    return top.start_ns <= span.start_ns and span.end_ns <= top.end_ns


def covering(tops: Iterable[Span]) -> Callable[[Span], bool]:
    """Return a test whether a span lies within the time of any of `tops`."""
    ordered = sorted(tops, key=lambda top: top.start_ns)
    starts = [top.start_ns for top in ordered]
    last_ends = list(accumulate((top.end_ns for top in ordered), max))

    def is_covered(span: Span) -> bool:
        at = bisect_right(starts, span.start_ns)
        return at > 0 and last_ends[at - 1] >= span.end_ns

    return is_covered


def plain_name(name: str) -> str:
    """Return a name in a form that is the same for an agent and for the tool that it is offered as."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
