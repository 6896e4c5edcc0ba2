"""The runs of a trace, with their steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..spans.span import Span
from ..spans.step import Step
from .orphans import Orphans
from .pieces import build_span_around, join_pieces
from .run import Reading, Run
from .run_roots import find_run_roots
from .tree import Tree
from .waiting import mark_unapproved

__all__ = ["find_runs"]


def find_runs(tree: Tree, readings: Mapping[str, Reading]) -> list[Run]:
    """Return the runs of a trace in order of time, every step in exactly one of them or in none.

    A step belongs to the nearest run at or above its span; one that is cut off from its ancestors to the fitting run.
    """
    led, alone = find_run_roots(tree, readings)
    grouped = [*([span] for span in led), *join_pieces(tree, readings, led, alone)]
    grouped.sort(key=lambda pieces: (pieces[0].start_ns, pieces[0].span_id))
    runs: dict[str, Run] = {}
    run_of: dict[str, Run] = {}
    for pieces in grouped:
        run = Run(top=build_span_around(pieces), own=_find_own_step(readings, pieces))
        runs[run.top.span_id] = run
        run_of.update(dict.fromkeys((span.span_id for span in pieces), run))
    above = tree.nearest(run_of)
    for run in runs.values():
        around = above[run.top.span_id]
        if around is not None:
            run.parent = run_of[around.span_id]
            run.parent.children.append(run)
    orphans = Orphans(tree, runs)
    for span_id, reading in readings.items():
        owner = reading.span if span_id in run_of else above[span_id]
        if owner is not None:
            run_of[owner.span_id].add(reading)
        elif (fitting_run := orphans.find_fitting(reading)) is not None:
            fitting_run.add(reading)
            fitting_run.has_cyclic_parents |= orphans.is_in_loop(reading.span)
    for span_id, span in tree.spans.items():
        owner = above[span_id]
        if owner is not None and span_id not in readings and (span.error is not None or span.signal is not None):
            run_of[owner.span_id].marked.append(span)
    _add_guardrails_beside(readings, runs, above)
    for run in runs.values():
        mark_unapproved(run)
    orphans.mark_missing()
    return list(runs.values())


def _add_guardrails_beside(
    readings: Mapping[str, Reading], runs: Mapping[str, Run], above: Mapping[str, Span | None]
) -> None:
    """Add guardrails that are in no run to the only one: an application checks what it asks and gets around it."""
    tops = [run for run in runs.values() if run.parent is None]
    for span_id, reading in readings.items() if len(tops) == 1 else ():
        if reading.step.kind == "guardrail" and above[span_id] is None and reading not in tops[0].of("guardrail"):
            tops[0].add(reading)


def _find_own_step(readings: Mapping[str, Reading], pieces: Sequence[Span]) -> Step | None:
    top = readings.get(pieces[0].span_id)
    return top.step if len(pieces) == 1 and top is not None and top.step.kind not in {"model", "tool"} else None
