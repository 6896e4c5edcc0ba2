"""Spans whose parent is not here, or that lead in a circle: whose run they may be part of, and which runs wait for what
is missing."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, chain

from ..spans.span import Span
from .run import Read, Run, contains
from .tree import Tree

__all__ = ["Lost"]


class Lost:
    """The spans of a trace that are cut off from their ancestors, against its runs."""

    def __init__(self, tree: Tree, found: Mapping[str, Run]) -> None:
        self._tree = tree
        self._found = found
        self._orphans = {span_id: span for span_id, span in tree.spans.items() if span_id in tree.orphans}
        self._above = tree.nearest(tree.orphans) if self._orphans else {}
        asked_for = found.values() if tree.cut_off else ()
        self._by_start = sorted(asked_for, key=lambda run: (run.top.start_ns, -run.top.end_ns, run.top.span_id))
        self._starts = [run.top.start_ns for run in self._by_start]
        self._last_ends = list(accumulate((run.top.end_ns for run in self._by_start), max))
        self._by_run_id = {run.own.run_id: run for run in reversed(self._by_start) if run.own and run.own.run_id}

    def fitting(self, one: Read) -> Run | None:
        """For a span that is cut off: the run that says it is the same invocation, else the innermost one around its
        time, one of the same agent before others.

        A tool call in a circle has a place even so: nothing that may come will tell its run.
        """
        if not self._tree.is_cut_off(one.span):
            return None
        if one.step.run_id in self._by_run_id:
            return self._by_run_id[one.step.run_id]
        name = one.step.agent_name
        named = (run for run in self._around(one.span) if run.own and run.own.agent_name == name) if name else ()
        fitting = next(chain(named, self._around(one.span)), None)
        is_left = fitting is None and one.step.kind == "tool" and self.is_in_circle(one.span)
        return self._last_before(one.span) if is_left else fitting

    def is_in_circle(self, span: Span) -> bool:
        """Whether the parents of the span lead back to one of them."""
        looping = self._tree.looping
        return bool(looping) and (span.span_id in looping or self._tree.nearest(looping)[span.span_id] is not None)

    def mark_missing(self) -> None:
        """A run lacks something when a span within its time names a parent that is not here.

        What lies above an agent span is never waited for, nor is it for a span that stands beside the agent span.
        Above any other top it is: the agent span may still come.
        """
        if not self._orphans:
            return
        above_runs = self._above_runs()
        elsewhere = {
            span.parent_span_id
            for span_id, span in self._orphans.items()
            if span_id in above_runs or span_id in self._found
        }
        first_end_from = _first_ends(span for span in self._orphans.values() if span.parent_span_id not in elsewhere)
        for run in self._found.values():
            is_agent = run.own is not None and run.own.kind == "agent"
            is_below_lost = run.top.span_id in self._orphans or self._above.get(run.top.span_id) is not None
            is_waiting = first_end_from(run.top.start_ns) <= run.top.end_ns
            run.missing_parent = is_waiting or (is_below_lost and not is_agent)

    def _around(self, span: Span) -> Iterator[Run]:
        """The runs around the time of a span, the one that began last first."""
        for at in range(bisect_right(self._starts, span.start_ns) - 1, -1, -1):
            if self._last_ends[at] < span.end_ns:
                return
            if contains(self._by_start[at].top, span):
                yield self._by_start[at]

    def _last_before(self, span: Span) -> Run | None:
        """The run that began last before the span, else the first of all."""
        at = bisect_right(self._starts, span.start_ns) - 1
        return self._by_start[max(at, 0)] if self._by_start else None

    def _above_runs(self) -> set[str]:
        seen: set[str] = set()
        for run in self._found.values():
            for above in self._tree.ancestors(run.top):
                if above.span_id in seen:
                    break
                seen.add(above.span_id)
        return seen


def _first_ends(spans: Iterable[Span]) -> Callable[[int], float]:
    """For a time: when the first of those spans ends that begin then or later."""
    ordered = sorted(spans, key=lambda span: span.start_ns)
    starts = [span.start_ns for span in ordered]
    ends: list[float] = [math.inf]
    for span in reversed(ordered):
        ends.append(min(ends[-1], span.end_ns))
    return lambda time_ns: ends[len(starts) - bisect_left(starts, time_ns)]
