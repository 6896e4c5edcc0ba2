"""What a run does not tell, or is odd about what it tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tracegrade.evaluators.model import ToolCall

from ..span import Span
from ..values import GAPS
from .runs import Run
from .tree import Tree

__all__ = ["CONFLICT", "gaps"]

CONFLICT = "tracegrade.conflicting_span"
"""Event name of the log record that stands for a span that came again with other content."""


def gaps(
    tree: Tree, run: Run, *, calls: Iterable[ToolCall], has_messages: bool, is_whole: bool = True
) -> tuple[str, ...]:
    """The gaps of a run by name, each once. `is_whole`: every span of its trace could be read."""
    spans = {run.top.span_id: run.top, **{one.span.span_id: one.span for one in run.steps}}
    found = {gap for span in spans.values() for gap in _of_span(tree, span)}
    found.update(gap for one in run.steps for gap in one.step.gaps)
    found.update(gap for call in calls for gap in _of_call(call))
    if run.missing_parent:
        found.add("missing_parent")
    if not is_whole:
        found.add("unreadable_span")
    if run.of("model") and not has_messages:
        found.add("content_not_captured")
    return tuple(sorted(found))


def _of_span(tree: Tree, span: Span) -> Iterator[str]:
    recorded = span.attributes.get(GAPS)
    if isinstance(recorded, list):
        yield from (str(gap) for gap in recorded)
    if span.span_id in tree.repeated or any(span.named(CONFLICT)):
        yield "conflicting_span"
    if span.span_id in tree.looping:
        yield "looping_parents"


def _of_call(call: ToolCall) -> Iterator[str]:
    if call.args is None and call.args_text is None:
        yield "tool_arguments_not_captured"
    if call.status == "ok" and call.result is None:
        yield "tool_results_not_captured"
