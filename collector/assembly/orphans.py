"""Spans whose parent is missing, or whose parents form a loop: the runs that they may belong to, and the runs that wait
for missing spans."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate, chain

from ..spans.span import Span
from .run import Reading, Run, contains
from .tree import Tree

__all__ = ["Orphans"]


class Orphans:
    """The spans of a trace that are cut off from their ancestors, and the runs of the trace."""

    def __init__(self, tree: Tree, runs: Mapping[str, Run]) -> None:
        self._tree = tree
        self._runs = runs
        self._orphans = {span_id: span for span_id, span in tree.spans.items() if span_id in tree.orphans}
        self._above = tree.nearest(tree.orphans) if self._orphans else {}
        candidates = runs.values() if tree.cut_off else ()
        self._by_start = sorted(candidates, key=lambda run: (run.top.start_ns, -run.top.end_ns, run.top.span_id))
        self._starts = [run.top.start_ns for run in self._by_start]
        self._last_ends = list(accumulate((run.top.end_ns for run in self._by_start), max))
        self._by_run_id = {run.own.run_id: run for run in reversed(self._by_start) if run.own and run.own.run_id}

    def find_fitting(self, reading: Reading) -> Run | None:
        """Return for a span that is cut off the run with the same invocation id, else the innermost run around its
        time, one of the same agent before others.

        A tool call in a loop always gets a run: no later span can show to which it belongs.
        """
        if not self._tree.is_cut_off(reading.span):
            return None
        if reading.step.run_id in self._by_run_id:
            return self._by_run_id[reading.step.run_id]
        name = reading.step.agent_name
        same_agent = (
            (run for run in self._around(reading.span) if run.own and run.own.agent_name == name) if name else ()
        )
        fitting_run = next(chain(same_agent, self._around(reading.span)), None)
        is_unplaced = fitting_run is None and reading.step.kind == "tool" and self.is_in_loop(reading.span)
        return self._last_before(reading.span) if is_unplaced else fitting_run

    def is_in_loop(self, span: Span) -> bool:
        """Return whether the parents of the span form a loop."""
        looping = self._tree.looping
        return bool(looping) and (span.span_id in looping or self._tree.nearest(looping)[span.span_id] is not None)

    def mark_missing(self) -> None:
        """Mark the runs that lack spans: those with a span within their time whose parent is missing.

        Missing spans above an agent span do not count, nor do those above a span beside the agent span. Above any other
        top span they do: the agent span may still arrive.
        """
        if not self._orphans:
            return
        above_runs = self._ids_above_runs()
        elsewhere = {
            span.parent_span_id
            for span_id, span in self._orphans.items()
            if span_id in above_runs or span_id in self._runs
        }
        first_end_from = _first_ends(span for span in self._orphans.values() if span.parent_span_id not in elsewhere)
        for run in self._runs.values():
            is_agent = run.own is not None and run.own.kind == "agent"
            is_below_lost = run.top.span_id in self._orphans or self._above.get(run.top.span_id) is not None
            is_waiting = first_end_from(run.top.start_ns) <= run.top.end_ns
            run.missing_parent = is_waiting or (is_below_lost and not is_agent)

    def _around(self, span: Span) -> Iterator[Run]:
        """Yield the runs around the time of a span, the one that began last first."""
        for at in range(bisect_right(self._starts, span.start_ns) - 1, -1, -1):
            if self._last_ends[at] < span.end_ns:
                return
            if contains(self._by_start[at].top, span):
                yield self._by_start[at]

    def _last_before(self, span: Span) -> Run | None:
        """Return the run that began last before the span, else the first of all."""
        at = bisect_right(self._starts, span.start_ns) - 1
        return self._by_start[max(at, 0)] if self._by_start else None

    def _ids_above_runs(self) -> set[str]:
        span_ids: set[str] = set()
        for run in self._runs.values():
            for above in self._tree.ancestors(run.top):
                if above.span_id in span_ids:
                    break
                span_ids.add(above.span_id)
        return span_ids


def _first_ends(spans: Iterable[Span]) -> Callable[[int], float]:
    """Return a function from a time to the first end of the spans that begin then or later."""
    ordered = sorted(spans, key=lambda span: span.start_ns)
    starts = [span.start_ns for span in ordered]
    ends: list[float] = [math.inf]
    for span in reversed(ordered):
        ends.append(min(ends[-1], span.end_ns))
    return lambda time_ns: ends[len(starts) - bisect_left(starts, time_ns)]
