"""One run of an agent, and the spans that tell of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from ..spans.span import Span
from ..spans.step import Step

__all__ = ["CALLERS", "Read", "Run", "contains", "covering", "overlap", "plain"]

CALLERS = frozenset({"agent", "tool", "handoff"})
"""The kinds of steps within which another agent may run."""

_AGENTS = frozenset({"agent", "workflow"})
_LEVELS = 8


class Read(NamedTuple):
    """A span and the step it records."""

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
    steps: list[Read] = field(default_factory=list)
    _by_kind: dict[str, list[Read]] = field(default_factory=dict)
    marked: list[Span] = field(default_factory=list)
    """Spans within it that only give structure, and say that something failed or was interrupted."""
    missing_parent: bool = False
    has_cyclic_parents: bool = False
    """Whether it took in steps whose parents lead in a circle, and so to no run."""

    @property
    def has_agent_span(self) -> bool:
        """Whether an agent or workflow recorded the run as a whole."""
        return self.own is not None and self.own.kind in _AGENTS

    @property
    def services(self) -> frozenset[str | None]:
        """The services that the agent runs in: that of its top span.

        Where this did none of the work, as the caller of a remote agent, also those of the agent's other spans.
        """
        service = self.top.service_name
        works = any(one.span.service_name == service for kind in ("model", "tool") for one in self.of(kind))
        return frozenset({service} if works else {service, *(one.span.service_name for one in self.of("agent"))})

    @property
    def hands_over(self) -> bool:
        """Whether this run only hands over to agents: what these do is its trajectory."""
        return bool(self.children) and not (self.of("model") or self.of("tool"))

    @property
    def is_near_the_top(self) -> bool:
        """Whether only a few runs are around this one."""
        above = self.parent
        for _ in range(_LEVELS):
            if above is None:
                return True
            above = above.parent
        return False

    @property
    def own_steps(self) -> list[Step]:
        """What its agent spans record, the top one first."""
        return [one.step for one in self.of("agent")]

    def of(self, kind: str) -> Sequence[Read]:
        """Its steps of one kind."""
        return self._by_kind.get(kind, ())

    def add(self, one: Read) -> None:
        """Puts a step behind the others."""
        self.steps.append(one)
        self._by_kind.setdefault(one.step.kind, []).append(one)

    def leave_out(self, span_ids: Collection[str]) -> None:
        """Takes the tool calls with these spans out of its steps."""
        self._by_kind["tool"] = [one for one in self.of("tool") if one.span.span_id not in span_ids]
        self.steps = [one for one in self.steps if one.step.kind != "tool" or one.span.span_id not in span_ids]

    def exchange(self, one: Read, by: Read) -> None:
        """Puts another step of the same kind in the place of one."""
        for steps in (self.steps, self._by_kind[one.step.kind]):
            steps[steps.index(one)] = by


def overlap(left: Span, right: Span) -> bool:
    """Whether both were going on at one time."""
    return left.start_ns < right.end_ns and right.start_ns < left.end_ns


def contains(top: Span, span: Span) -> bool:
    """Whether `span` lies within the time of `top`."""
    return top.start_ns <= span.start_ns and span.end_ns <= top.end_ns


def covering(tops: Iterable[Span]) -> Callable[[Span], bool]:
    """Whether a span lies within the time of any of `tops`."""
    ordered = sorted(tops, key=lambda top: top.start_ns)
    starts = [top.start_ns for top in ordered]
    last_ends = list(accumulate((top.end_ns for top in ordered), max))

    def is_covered(span: Span) -> bool:
        at = bisect_right(starts, span.start_ns)
        return at > 0 and last_ends[at - 1] >= span.end_ns

    return is_covered


def plain(name: str) -> str:
    """The same for an agent and for the tool that it is offered as."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
