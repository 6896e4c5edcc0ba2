"""Spans over time: a row a span, below its parent. Of many spans, those of one name under a parent are one row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...read.story import SpanOutline

__all__ = ["FOLD_FROM", "Waterfall", "WaterfallRow", "lay_out_waterfall"]

FOLD_FROM: Final = 200
"""From how many spans on those of one name are one row."""

WIDTH: Final = 1000.0
_LEAST: Final = 3.0
_MOST_ROWS: Final = 250
_DEEPEST: Final = 12
_ERROR: Final = "error"


@dataclass(frozen=True, slots=True)
class WaterfallRow:
    """A span, or `count` spans of one name, with where the bar begins and its width. `duration_ms` is the sum."""

    span: SpanOutline
    depth: int
    x: float
    width: float
    count: int
    duration_ms: float | None
    is_error: bool


@dataclass(frozen=True, slots=True)
class Waterfall:
    """The rows; `strip` and `errors` are paths on one line of `width`: of the innermost spans, and of the failed ones
    that no failed span is below.

    `spans` is the number of spans, `left_out` how many rows are not shown.
    """

    rows: tuple[WaterfallRow, ...]
    strip: str
    errors: str
    spans: int
    failed: int
    left_out: int
    is_folded: bool
    width: float = WIDTH


@dataclass(frozen=True, slots=True)
class _Scale:
    start_ns: int
    length_ns: int

    def place(self, start_ns: int, end_ns: int) -> tuple[float, float]:
        """Return where a bar begins and how wide it is, within the chart."""
        x = (start_ns - self.start_ns) / self.length_ns * WIDTH
        width = max((end_ns - start_ns) / self.length_ns * WIDTH, _LEAST)
        x = min(max(x, 0.0), WIDTH - _LEAST)
        return round(x, 1), round(min(width, WIDTH - x), 1)


def lay_out_waterfall(spans: Sequence[SpanOutline], *, show_all: bool = False) -> Waterfall:
    """Return the chart of the spans of a trace, which are in order of their start."""
    is_folded = not show_all and len(spans) >= FOLD_FROM
    scale = _find_scale(spans)
    tree = _Tree(spans)
    rows = list(_list_rows(tree, scale, is_folded=is_folded))
    shown = rows[:_MOST_ROWS] if is_folded else rows
    innermost = [span for span in spans if span.span_id not in tree.children]
    return Waterfall(
        rows=tuple(shown),
        strip=_draw(innermost, scale),
        errors=_draw([span for span in spans if tree.is_origin_of_failure(span)], scale),
        spans=len(spans),
        failed=sum(span.status_code == _ERROR for span in spans),
        left_out=len(rows) - len(shown),
        is_folded=is_folded,
    )


class _Tree:
    """The children of each span, and which spans have a failed one below them."""

    def __init__(self, spans: Sequence[SpanOutline]) -> None:
        known = {span.span_id: span for span in spans}
        self.children: dict[str | None, list[SpanOutline]] = {}
        for span in spans:
            parent = span.parent_span_id if span.parent_span_id in known else None
            self.children.setdefault(parent, []).append(span)
        self.with_failure: set[str] = set()
        for span in spans:
            above: SpanOutline | None = span if span.status_code == _ERROR else None
            while above is not None and above.span_id not in self.with_failure:
                self.with_failure.add(above.span_id)
                above = known.get(above.parent_span_id or "")

    def is_origin_of_failure(self, span: SpanOutline) -> bool:
        """Return whether a span failed, and none below it."""
        below = self.children.get(span.span_id, [])
        return span.status_code == _ERROR and not any(child.span_id in self.with_failure for child in below)


def _list_rows(tree: _Tree, scale: _Scale, *, is_folded: bool) -> Iterator[WaterfallRow]:
    """Yield the rows, each below its parent. Spans whose parents form a circle are not below any."""
    waiting = [(group, 0) for group in reversed(_group(tree, None, is_folded=is_folded))]
    while waiting:
        group, depth = waiting.pop()
        yield _make_row(group, depth, scale)
        if len(group) == 1:
            below = _group(tree, group[0].span_id, is_folded=is_folded)
            waiting += [(each, depth + 1) for each in reversed(below)]


def _group(tree: _Tree, parent: str | None, *, is_folded: bool) -> list[list[SpanOutline]]:
    """Return the children of a span in order of time, together if they have one name and nothing failed in them."""
    children = tree.children.get(parent, [])
    if not is_folded:
        return [[child] for child in children]
    groups: dict[str, list[SpanOutline]] = {}
    for child in children:
        key = child.span_id if child.span_id in tree.with_failure else f"name:{child.name}"
        groups.setdefault(key, []).append(child)
    return list(groups.values())


def _make_row(group: Sequence[SpanOutline], depth: int, scale: _Scale) -> WaterfallRow:
    first = group[0]
    x, width = scale.place(first.start_ns, max(span.end_ns for span in group))
    known = [span.duration_ms for span in group if span.duration_ms is not None]
    return WaterfallRow(
        span=first,
        depth=min(depth, _DEEPEST),
        x=x,
        width=width,
        count=len(group),
        duration_ms=sum(known) if known else None,
        is_error=first.status_code == _ERROR,
    )


def _find_scale(spans: Sequence[SpanOutline]) -> _Scale:
    start = min((span.start_ns for span in spans), default=0)
    end = max((span.end_ns for span in spans), default=1)
    return _Scale(start, max(end - start, 1))


def _draw(spans: Sequence[SpanOutline], scale: _Scale) -> str:
    """Return a path with a line for each span; spans that look the same are drawn once."""
    lines = {scale.place(span.start_ns, span.end_ns): None for span in spans}
    return " ".join(f"M{x:.0f} 5h{width:.0f}" for x, width in lines)
