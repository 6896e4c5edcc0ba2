"""The runs of a trace, and which steps belong to which."""

from __future__ import annotations

from collections.abc import Mapping

from ..step import Step
from .lost import Lost
from .run import Read, Run
from .tops import tops
from .tree import Tree
from .waiting import mark_unapproved

__all__ = ["runs"]


def runs(tree: Tree, read: Mapping[str, Read]) -> list[Run]:
    """The runs of a trace in order of time, every step in exactly one of them or in none.

    A step belongs to the nearest run at or above its span; one that is cut off from its ancestors to the run it fits.
    """
    found = {span.span_id: Run(top=span, own=_recorded(read.get(span.span_id))) for span in tops(tree, read)}
    above = tree.nearest(found)
    for run in found.values():
        around = above[run.top.span_id]
        if around is not None:
            run.parent = found[around.span_id]
            run.parent.children.append(run)
    lost = Lost(tree, found)
    for span_id, one in read.items():
        owner = one.span if span_id in found else above[span_id]
        at = found[owner.span_id] if owner is not None else lost.fitting(one)
        if at is not None:
            at.steps.append(one)
    for span_id, span in tree.spans.items():
        owner = above[span_id]
        if owner is not None and span_id not in read and (span.error is not None or span.signal is not None):
            found[owner.span_id].marked.append(span)
    for run in found.values():
        mark_unapproved(run)
    lost.mark_missing()
    return list(found.values())


def _recorded(top: Read | None) -> Step | None:
    return top.step if top is not None and top.step.kind not in {"model", "tool"} else None
