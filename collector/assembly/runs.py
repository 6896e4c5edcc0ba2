"""The runs of a trace, and which steps belong to which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..spans.span import Span
from ..spans.step import Step
from .orphans import Lost
from .pieces import join_pieces, span_around
from .run import Read, Run
from .run_roots import tops
from .tree import Tree
from .waiting import mark_unapproved

__all__ = ["runs"]


def runs(tree: Tree, read: Mapping[str, Read]) -> list[Run]:
    """The runs of a trace in order of time, every step in exactly one of them or in none.

    A step belongs to the nearest run at or above its span; one that is cut off from its ancestors to the run it fits.
    """
    led, alone = tops(tree, read)
    grouped = [*([span] for span in led), *join_pieces(tree, read, led, alone)]
    grouped.sort(key=lambda pieces: (pieces[0].start_ns, pieces[0].span_id))
    found: dict[str, Run] = {}
    run_of: dict[str, Run] = {}
    for pieces in grouped:
        run = Run(top=span_around(pieces), own=_recorded(read, pieces))
        found[run.top.span_id] = run
        run_of.update(dict.fromkeys((span.span_id for span in pieces), run))
    above = tree.nearest(run_of)
    for run in found.values():
        around = above[run.top.span_id]
        if around is not None:
            run.parent = run_of[around.span_id]
            run.parent.children.append(run)
    lost = Lost(tree, found)
    for span_id, one in read.items():
        owner = one.span if span_id in run_of else above[span_id]
        if owner is not None:
            run_of[owner.span_id].add(one)
        elif (fitting := lost.fitting(one)) is not None:
            fitting.add(one)
            fitting.has_cyclic_parents |= lost.is_in_circle(one.span)
    for span_id, span in tree.spans.items():
        owner = above[span_id]
        if owner is not None and span_id not in read and (span.error is not None or span.signal is not None):
            run_of[owner.span_id].marked.append(span)
    for run in found.values():
        mark_unapproved(run)
    lost.mark_missing()
    return list(found.values())


def _recorded(read: Mapping[str, Read], pieces: Sequence[Span]) -> Step | None:
    top = read.get(pieces[0].span_id)
    return top.step if len(pieces) == 1 and top is not None and top.step.kind not in {"model", "tool"} else None
