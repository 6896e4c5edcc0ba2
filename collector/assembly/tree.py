"""The spans of one trace, by parent. A loop among them is cut, a parent that is not there is said to be missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain

from ..spans.span import Span

__all__ = ["Tree"]


class Tree:
    """Each span once, in the order of (start_ns, span_id); of two with one id the first stays.

    `repeated` are the ids under which a second span came that was not the same, `orphans` those of the spans whose
    parent is not here and could still come, `looping` those of the spans whose link to their parent was cut because it
    led back to them. `cut_off` are both.
    """

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans, key=lambda span: (span.start_ns, span.span_id))
        self.spans: dict[str, Span] = {}
        for span in ordered:
            self.spans.setdefault(span.span_id, span)
        self.repeated = frozenset(
            span.span_id for span in ordered if (known := self.spans[span.span_id]) is not span and known != span
        )
        self.looping = frozenset(self._loops())
        self.orphans = frozenset(span_id for span_id, span in self.spans.items() if self.lacks_parent(span))
        self.cut_off = self.orphans | self.looping if self.looping else self.orphans
        self._nearest: dict[frozenset[str], dict[str, Span | None]] = {}
        self._parents = {span_id: self._parent(span) for span_id, span in self.spans.items()}

    def parent(self, span: Span) -> Span | None:
        """The parent, when it is here and `span` does not close a loop."""
        return self._parents[span.span_id]

    def _parent(self, span: Span) -> Span | None:
        if span.parent_span_id is None or span.span_id in self.looping:
            return None
        return self.spans.get(span.parent_span_id)

    def ancestors(self, span: Span) -> Iterator[Span]:
        """The parent, its parent, and so on to the top."""
        above = self.parent(span)
        while above is not None:
            yield above
            above = self.parent(above)

    def below(self) -> dict[str, list[Span]]:
        """The spans below each span that has any, by its id."""
        found: dict[str, list[Span]] = {}
        for span in self.spans.values():
            above = self.parent(span)
            if above is not None:
                found.setdefault(above.span_id, []).append(span)
        return found

    def adopt(self, parents: Mapping[str, Span]) -> None:
        """Puts spans below another one than they name, by their id; one that would stand above itself stays."""
        self._nearest.clear()
        for span_id, parent in parents.items():
            if all(above.span_id != span_id for above in chain((parent,), self.ancestors(parent))):
                self._parents[span_id] = parent

    def release(self, span_ids: Iterable[str]) -> None:
        """Takes spans out from under their parents: each is the top of what is below it."""
        self._nearest.clear()
        self._parents.update(dict.fromkeys(span_ids))

    def nearest(self, among: Collection[str]) -> Mapping[str, Span | None]:
        """For every span the first above it whose id is `among` these; each link is followed once."""
        key = frozenset(among)
        if key not in self._nearest:
            self._nearest[key] = self._nearest_of(key)
        return self._nearest[key]

    def _nearest_of(self, among: frozenset[str]) -> dict[str, Span | None]:
        found: dict[str, Span | None] = {}
        parents = self._parents
        for start in self.spans:
            above = parents[start]
            if above is None or above.span_id in among:
                found[start] = above
                continue
            if above.span_id in found:  # nearly always: what began first stands above
                found[start] = found[above.span_id]
                continue
            path: list[str] = []
            at, above = start, None
            while at not in found:
                path.append(at)
                above = parents[at]
                if above is None or above.span_id in among:
                    break
                at = above.span_id
            else:
                above = found[at]
            found.update(dict.fromkeys(path, above))
        return found

    def lacks_parent(self, span: Span) -> bool:
        """Whether a parent was named that is not here and could still come: one elsewhere (remote) never will."""
        return span.parent_span_id is not None and not span.parent_is_remote and span.parent_span_id not in self.spans

    def missing_parent(self, span: Span) -> str | None:
        """The id of the parent that is not here and could still come, of the span or of the topmost span above it."""
        if not self.orphans:
            return None
        top = span if span.span_id in self.orphans else self.nearest(self.orphans)[span.span_id]
        return None if top is None else top.parent_span_id

    def is_cut_off(self, span: Span) -> bool:
        """Whether it is not known what is above the span, or above the topmost span above it."""
        if not self.cut_off:
            return False
        return span.span_id in self.cut_off or self.nearest(self.cut_off)[span.span_id] is not None

    def _is_in_order(self) -> bool:
        """Whether each span stands behind its parent, as nearly always: then no link leads back."""
        seen: set[str | None] = set()
        for span_id, span in self.spans.items():
            if span.parent_span_id in self.spans and span.parent_span_id not in seen:
                return False
            seen.add(span_id)
        return True

    def _loops(self) -> Iterator[str]:
        """The first span of each loop, whose parent link is the one to cut."""
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
