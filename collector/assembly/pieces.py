"""Runs that no span is around: the spans which tell of one run together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..spans.frozen import replace
from ..spans.span import Span
from .loops import Loops
from .run import Read, covering
from .tree import Tree

__all__ = ["join_pieces", "span_around"]


def join_pieces(tree: Tree, read: Mapping[str, Read], led: Sequence[Span], alone: Sequence[Span]) -> list[list[Span]]:
    """The spans in `alone`, those together that are pieces of one run, each run with its tool calls.

    Pieces of one run name the same parent that is not here, or their model calls are one loop. A tool call belongs to
    the run that names its parent, else to the one that asked for it. `led` are the tops of all other runs.
    """
    if not alone:
        return []
    ids = {span.span_id for span in alone}
    above = tree.nearest({*ids, *(span.span_id for span in led)})
    tools = [one for span_id, one in read.items() if one.step.kind == "tool" and _is_homeless(span_id, ids, above)]
    if len(alone) + len(tools) < 2:
        return [[span] for span in alone]
    loops = Loops()
    of_parent = _join_by_parent(loops, tree, read, alone)
    for span_id, one in read.items():
        owner = one.span if span_id in ids else above[span_id]
        if one.step.kind == "model" and owner is not None and owner.span_id in ids:
            loops.add(owner.span_id, one.step, is_bare=_is_call(read, owner))
    joined: dict[str, list[Span]] = {}
    for span in alone:
        joined.setdefault(loops.first_of(span.span_id), []).append(span)
    is_covered = covering(led)
    for one in tools:
        piece = of_parent.get(tree.missing_parent(one.span) or "") or loops.asker_of(one.step.call_id)
        if piece is not None and not is_covered(one.span):
            joined[loops.first_of(piece)].append(one.span)
    return [sorted(pieces, key=lambda span: (span.start_ns, span.span_id)) for pieces in joined.values()]


def span_around(pieces: Sequence[Span]) -> Span:
    """The span that stands for a run in `pieces`: the first of them, from when it began until all had ended."""
    first = pieces[0]
    if len(pieces) == 1:
        return first
    end_ns = max(span.end_ns for span in pieces)
    return replace(
        first,
        end_ns=end_ns,
        duration_ms=(end_ns - first.start_ns) / 1e6,
        status_code="unset",
        status_message=None,
        events=(),
    )


def _join_by_parent(loops: Loops, tree: Tree, read: Mapping[str, Read], alone: Sequence[Span]) -> dict[str, str]:
    """Joins the spans that name the same missing parent, and gives the first of them by the id of that parent.

    A workflow is not taken for a piece of what was around it: it may be a run by itself.
    """
    of_parent: dict[str, str] = {}
    for span in alone:
        parent = tree.missing_parent(span)
        is_workflow = span.span_id in read and read[span.span_id].step.kind == "workflow"
        if parent is not None and not is_workflow:
            loops.join(span.span_id, of_parent.setdefault(parent, span.span_id))
    return of_parent


def _is_homeless(span_id: str, ids: set[str], above: Mapping[str, Span | None]) -> bool:
    return span_id not in ids and above[span_id] is None


def _is_call(read: Mapping[str, Read], span: Span) -> bool:
    return span.span_id in read and read[span.span_id].step.kind == "model"
