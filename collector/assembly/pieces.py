"""Runs without a span around them: groups of spans that record one run together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..spans.frozen import replace
from ..spans.span import Span
from .loops import Loops
from .run import Reading, covering
from .tree import Tree

__all__ = ["build_span_around", "join_pieces"]


def join_pieces(
    tree: Tree, readings: Mapping[str, Reading], led: Sequence[Span], alone: Sequence[Span]
) -> list[list[Span]]:
    """Group the spans in `alone` that are pieces of one run, each run with its tool calls.

    Pieces of one run name the same missing parent, or their model calls are one loop. A tool call belongs to
    the run that names its parent, else to the one that requested it. `led` are the tops of all other runs.
    """
    if not alone:
        return []
    ids = {span.span_id for span in alone}
    above = tree.nearest({*ids, *(span.span_id for span in led)})
    tools = [
        reading
        for span_id, reading in readings.items()
        if reading.step.kind == "tool" and _is_homeless(span_id, ids, above)
    ]
    if len(alone) + len(tools) < 2:
        return [[span] for span in alone]
    loops = Loops()
    of_parent = _join_by_parent(loops, tree, readings, alone)
    for span_id, reading in readings.items():
        owner = reading.span if span_id in ids else above[span_id]
        if reading.step.kind == "model" and owner is not None and owner.span_id in ids:
            loops.add(owner.span_id, reading.step, is_bare=_is_call(readings, owner))
    joined: dict[str, list[Span]] = {}
    for span in alone:
        joined.setdefault(loops.find_first(span.span_id), []).append(span)
    is_covered = covering(led)
    for reading in tools:
        piece = of_parent.get(tree.missing_parent(reading.span) or "") or loops.find_requester(reading.step.call_id)
        if piece is not None and not is_covered(reading.span):
            joined[loops.find_first(piece)].append(reading.span)
    return [sorted(pieces, key=lambda span: (span.start_ns, span.span_id)) for pieces in joined.values()]


def build_span_around(pieces: Sequence[Span]) -> Span:
    """Return the span that stands for a run in `pieces`: the first, from its start until all pieces have ended."""
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


def _join_by_parent(loops: Loops, tree: Tree, readings: Mapping[str, Reading], alone: Sequence[Span]) -> dict[str, str]:
    """Join the spans that name the same missing parent, and return the first of them by the id of that parent.

    A workflow is not a piece, except a node of a graph: it may be a run by itself.
    """
    of_parent: dict[str, str] = {}
    for span in alone:
        parent = tree.missing_parent(span)
        step = readings[span.span_id].step if span.span_id in readings else None
        is_apart = step is not None and step.kind == "workflow" and not step.is_node
        if parent is not None and not is_apart:
            loops.join(span.span_id, of_parent.setdefault(parent, span.span_id))
    return of_parent


def _is_homeless(span_id: str, ids: set[str], above: Mapping[str, Span | None]) -> bool:
    return span_id not in ids and above[span_id] is None


def _is_call(readings: Mapping[str, Reading], span: Span) -> bool:
    return span.span_id in readings and readings[span.span_id].step.kind == "model"
