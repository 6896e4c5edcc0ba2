"""How a run ended: the error that ended it, or the question that it waits for somebody to answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracegrade.evaluators.model import AgentTrace, ToolCall

from ..spans.failure import choose_more_specific
from ..spans.span import Span
from .input_output import closing_text
from .run import Run
from .trace_context import TraceContext
from .tree import Tree
from .waiting import find_calls_left_open

__all__ = ["Ending", "find_ending"]

_WORK = frozenset({"handoff", "model", "retrieval", "tool"})
_UNSPECIFIED = "an answer"
"""The interrupt of a run that waits without saying for what."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The error that a run ended with, and the question that it waits for; both are None if it did neither."""

    error: str | None = None
    interrupt: str | None = None


@dataclass(frozen=True, slots=True)
class _Event:
    """A span that failed or was interrupted, and the text of the failure or question."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class _Progress:
    """The last work that a run began, and the last of its model calls or sub-agents to end without an error."""

    tree: Tree
    last_started: Span | None
    last_succeeded: Span | None

    @classmethod
    def of(cls, tree: Tree, run: Run, below: Sequence[AgentTrace]) -> _Progress:
        started = [reading.span for reading in run.steps if reading.step.kind in _WORK and reading.span is not run.top]
        succeeded = [reading.span for reading in run.of("model") if reading.step.error is None]
        for child, trace in zip(run.children, below, strict=True):
            started.append(child.top)
            if trace.error is None:
                succeeded.append(child.top)
        return cls(
            tree=tree,
            last_started=max(started, key=lambda span: (span.start_ns, span.end_ns), default=None),
            last_succeeded=max(succeeded, key=lambda span: span.end_ns, default=None),
        )

    def began_after(self, span: Span) -> bool:
        """Return whether any work began after `span` had ended."""
        last = self.last_started
        return last is not None and last is not span and last.start_ns >= span.end_ns

    def survived(self, span: Span) -> bool:
        """Return whether the run continued after the failure of `span`, or beside it and for longer."""
        last = self.last_succeeded
        is_outlived = last is not None and last.end_ns > span.end_ns and not self._is_within(span, last)
        return is_outlived or self.began_after(span)

    def ended_within(self, span: Span) -> bool:
        """Return whether the last work was done within `span`, or none was done at all."""
        return self.last_started is None or self._is_within(self.last_started, span)

    def _is_within(self, inner: Span, outer: Span) -> bool:
        return any(above is outer for above in self.tree.ancestors(inner))


def find_ending(context: TraceContext, run: Run, *, calls: Sequence[ToolCall], below: Sequence[AgentTrace]) -> Ending:
    """Return the ending of a run that made these `calls`; `below` are its sub-agents in the order of `run.children`.

    A run ended in an error when its own span says so, or when a failure within it, or of a workflow around it, was
    the last thing that happened and no answer came after. A failure that the run survived is not its error.
    """
    progress = _Progress.of(context.tree, run, below)
    error = (run.own.error if run.own else None) or run.top.error
    if error is not None:
        return Ending(error=choose_more_specific(error, _causes(run, progress, below)))
    interrupt = _interrupt(run, progress, calls=calls, below=below)
    if interrupt is not None:
        return Ending(interrupt=interrupt)
    if not run.top.end_ns or (run.own is not None and closing_text(run.own)):
        return Ending()
    return Ending(error=_last_failure(context, run, progress, below))


def _last_failure(context: TraceContext, run: Run, progress: _Progress, below: Sequence[AgentTrace]) -> str | None:
    """Return the failure that ended the run: that of the outermost span, with the text of the innermost."""
    outer = [event.text for event in _failures_around_work(run) if _is_end(progress, event)]
    if run.parent is None and run.top.start_ns == context.last_start_ns:
        outer = [*(step.error for step in context.above(run.top) if step.error), *_failures_above(context, run), *outer]
    causes = [*outer[1:], *_causes(run, progress, below)]
    return choose_more_specific(outer[0], causes) if outer else next(iter(causes), None)


def _failures_above(context: TraceContext, run: Run) -> Iterator[str]:
    """Yield the failures of the program's own spans around the run, such as the one that ADK has around an agent."""
    for span in context.tree.ancestors(run.top):
        is_own = span.kind in {None, "internal"} and span.service_name == run.top.service_name
        if is_own and span.span_id not in context.readings and span.error is not None:
            yield span.error


def _is_end(progress: _Progress, event: _Event) -> bool:
    return progress.ended_within(event.span) and not progress.survived(event.span)


def _failures_around_work(run: Run) -> Iterator[_Event]:
    """Yield turns, nodes and workflows of the run that failed, the outermost first."""
    steps = ((reading.span, reading.step.error) for reading in run.steps if reading.step.kind in {"agent", "workflow"})
    marked = ((span, span.error) for span in run.marked)
    failed = [_Event(span, text) for span, text in (*steps, *marked) if text is not None and span is not run.top]
    yield from sorted(failed, key=lambda event: (event.span.start_ns, -event.span.end_ns))


def _causes(run: Run, progress: _Progress, below: Sequence[AgentTrace]) -> list[str]:
    """Return the failures at the end of the run: of model calls, sub-agents, then tools.

    If no model call is recorded, the model may have received the failure of a tool and answered.
    """
    failed = [
        _Event(reading.span, text)
        for reading in run.of("model")
        if (text := reading.step.error) and reading.span is not run.top
    ]
    failed += [_Event(child.top, trace.error) for child, trace in zip(run.children, below, strict=True) if trace.error]
    if run.of("model"):
        failed += [_Event(reading.span, text) for reading in run.of("tool") if (text := reading.step.error)]
    return [event.text for event in failed if not progress.survived(event.span)]


def _interrupt(run: Run, progress: _Progress, *, calls: Sequence[ToolCall], below: Sequence[AgentTrace]) -> str | None:
    """Return the question that the run waits for, if nothing began after it was interrupted."""
    events = [event for event in _interrupts(run, below) if not progress.began_after(event.span)]
    unexecuted_tools = [*find_calls_left_open(run, calls)]
    if not events and not unexecuted_tools:
        return None
    unanswered = ", ".join(
        dict.fromkeys(unexecuted_tools or [call.name for call in calls if call.status in {"not_executed", None}])
    )
    return next((event.text for event in events if event.text), unanswered) or _UNSPECIFIED


def _interrupts(run: Run, below: Sequence[AgentTrace]) -> Iterator[_Event]:
    for reading in run.steps:
        if reading.step.interrupt is not None:
            yield _Event(reading.span, reading.step.interrupt)
    for span in run.marked:
        if span.signal is not None and span.signal.waits:
            yield _Event(span, span.signal.question or "")
    for child, trace in zip(run.children, below, strict=True):
        if trace.interrupt is not None:
            yield _Event(child.top, trace.interrupt)
