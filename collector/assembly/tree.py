"""The spans of one trace, by parent. Loops are cut, and missing parents are reported."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from ..spans.span import Span

__all__ = ["Tree"]


class Tree:
    """Each span once, in the order of (start_ns, span_id); of two with one id the first stays.

    `repeated` are the ids of which a second, different span arrived, `orphans` those of the spans whose
    parent is missing and could still arrive, `looping` those of the spans whose link to their parent was cut because it
    led back to them. `cut_off` is the union of both.
    """

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans, key=lambda span: (span.start_ns, span.span_id))
        self.spans: dict[str, Span] = {}
        for span in ordered:
            self.spans.setdefault(span.span_id, span)
        self.repeated = frozenset(
            span.span_id for span in ordered if (former := self.spans[span.span_id]) is not span and former != span
        )
        self.looping = frozenset(self._find_loops())
        self.orphans = frozenset(span_id for span_id, span in self.spans.items() if self.lacks_parent(span))
        self.cut_off = self.orphans | self.looping if self.looping else self.orphans
        self._nearest: dict[frozenset[str], dict[str, Span | None]] = {}
        self._parents = {span_id: self._parent(span) for span_id, span in self.spans.items()}

    def parent(self, span: Span) -> Span | None:
        """Return the parent, unless it is missing or `span` closes a loop."""
        return self._parents[span.span_id]

    def _parent(self, span: Span) -> Span | None:
        if span.parent_span_id is None or span.span_id in self.looping:
            return None
        return self.spans.get(span.parent_span_id)

    def ancestors(self, span: Span) -> Iterator[Span]:
        """Yield the parent, its parent, and so on to the top."""
        above = self.parent(span)
        while above is not None:
            yield above
            above = self.parent(above)

    def group_children(self) -> dict[str, list[Span]]:
        """Return the children of each span that has any, by its id."""
        children: dict[str, list[Span]] = {}
        for span in self.spans.values():
            above = self.parent(span)
            if above is not None:
                children.setdefault(above.span_id, []).append(span)
        return children

    def adopt(self, parents: Mapping[str, Span]) -> None:
        """Move spans, by their id, below another parent; a move that would close a loop is left out."""
        self._nearest.clear()
        for span_id, parent in parents.items():
            if all(above.span_id != span_id for above in chain((parent,), self.ancestors(parent))):
                self._parents[span_id] = parent

    def release(self, span_ids: Iterable[str]) -> None:
        """Detach spans from their parents: each becomes the top of its subtree."""
        self._nearest.clear()
        self._parents.update(dict.fromkeys(span_ids))

    def nearest(self, among: Collection[str]) -> Mapping[str, Span | None]:
        """Return for every span the first above it whose id is `among` these; each link is followed once."""
        key = frozenset(among)
        if key not in self._nearest:
            self._nearest[key] = self._find_nearest(key)
        return self._nearest[key]

    def _find_nearest(self, among: frozenset[str]) -> dict[str, Span | None]:
        nearest: dict[str, Span | None] = {}
        parents = self._parents
        for start in self.spans:
            above = parents[start]
            if above is None or above.span_id in among:
                nearest[start] = above
                continue
            if above.span_id in nearest:  # nearly always, as a parent begins before its children
                nearest[start] = nearest[above.span_id]
                continue
            path: list[str] = []
            at, above = start, None
            while at not in nearest:
                path.append(at)
                above = parents[at]
                if above is None or above.span_id in among:
                    break
                at = above.span_id
            else:
                above = nearest[at]
            nearest.update(dict.fromkeys(path, above))
        return nearest

    def lacks_parent(self, span: Span) -> bool:
        """Return whether the span names a missing parent that could still arrive; a remote one never will."""
        return span.parent_span_id is not None and not span.parent_is_remote and span.parent_span_id not in self.spans

    def missing_parent(self, span: Span) -> str | None:
        """Return the id of the missing parent that could still arrive, of the span or of the topmost span above it."""
        if not self.orphans:
            return None
        top = span if span.span_id in self.orphans else self.nearest(self.orphans)[span.span_id]
        return None if top is None else top.parent_span_id

    def is_cut_off(self, span: Span) -> bool:
        """Return whether ancestors of the span are missing or form a loop."""
        if not self.cut_off:
            return False
        return span.span_id in self.cut_off or self.nearest(self.cut_off)[span.span_id] is not None

    def _is_in_order(self) -> bool:
        """Return whether each span follows its parent, as nearly always: then there is no loop."""
        span_ids: set[str | None] = set()
        for span_id, span in self.spans.items():
            if span.parent_span_id in self.spans and span.parent_span_id not in span_ids:
                return False
            span_ids.add(span_id)
        return True

    def _find_loops(self) -> Iterator[str]:
        """Yield the first span of each loop, whose parent link is the one to cut."""
        if self._is_in_order():
            return
        settled: set[str] = set()
        for start in self.spans:
            path: dict[str, None] = {}
            at: str | None = start
            while at is not None and at in self.spans and at not in settled and at not in path:
                path[at] = None
                at = self.spans[at].parent_span_id
            if at is not None and at in path:
                members = list(path)[list(path).index(at) :]
                yield min(members, key=lambda span_id: (self.spans[span_id].start_ns, span_id))
            settled.update(path)
