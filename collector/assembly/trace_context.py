"""The context that the runs of one trace share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tracegrade.evaluators.model import ToolCallResponsePart

from ..spans.span import Span
from ..spans.step import Step
from .run import Reading, Run
from .tree import Tree

__all__ = ["TraceContext"]


@dataclass(frozen=True, slots=True)
class TraceContext:
    """A trace: its spans, the steps they record, and values derived from these once for all of its runs.

    `answers` are those of tools, by call id, where the whole trace agrees on one: a run may end before it gets them.
    `around_model` and `around_tool` give for every span the nearest model call or tool call that it is within;
    `session_id` and `user_id` are those that the whole trace agrees on; `last_start_ns` is when the last of the
    outermost runs began.
    """

    tree: Tree
    readings: Mapping[str, Reading]
    is_whole: bool
    is_readable: bool
    has_one_run: bool
    answers: Mapping[str, Sequence[str | None]]
    around_model: Mapping[str, Span | None]
    around_tool: Mapping[str, Span | None]
    session_id: str | None
    user_id: str | None
    last_start_ns: int

    @classmethod
    def of(
        cls, tree: Tree, readings: Mapping[str, Reading], *, is_whole: bool, is_readable: bool, runs: Sequence[Run]
    ) -> TraceContext:
        """Return the context of a trace with these runs."""
        has_one_run = len(runs) == 1
        steps = [reading.step for reading in readings.values()]
        return cls(
            tree=tree,
            readings=readings,
            is_whole=is_whole,
            is_readable=is_readable,
            has_one_run=has_one_run,
            answers={} if has_one_run else _collect_agreed_answers(steps),
            around_model=tree.nearest(
                {span_id for span_id, reading in readings.items() if reading.step.kind == "model"}
            ),
            around_tool=tree.nearest({span_id for span_id, reading in readings.items() if reading.step.kind == "tool"}),
            session_id=_find_agreed_value(step.session_id for step in steps),
            user_id=_find_agreed_value(step.user_id for step in steps),
            last_start_ns=max((run.top.start_ns for run in runs if run.parent is None), default=0),
        )

    def find_value_around(self, span: Span, keys: Sequence[str], *, itself_only: bool = False) -> str | None:
        """Return the value under one of `keys` on `span`, else on the nearest span above it."""
        spans = (span,) if itself_only else chain((span,), self.tree.ancestors(span))
        values = (candidate.text(key) for candidate in spans for key in keys)
        return next((value for value in values if value is not None and value.strip()), None)

    def above(self, span: Span) -> Iterable[Step]:
        """Return the steps that `span` is within, the nearest first."""
        return (
            self.readings[outer.span_id].step for outer in self.tree.ancestors(span) if outer.span_id in self.readings
        )


def _collect_agreed_answers(steps: Iterable[Step]) -> dict[str, list[str | None]]:
    answers: dict[str, set[str]] = {}
    for step in steps:
        for part in (part for message in step.input or () for part in message.parts):
            if isinstance(part, ToolCallResponsePart) and part.id is not None and part.response is not None:
                answers.setdefault(part.id, set()).add(part.response)
    return {call_id: [*responses] for call_id, responses in answers.items() if len(responses) == 1}


def _find_agreed_value(values: Iterable[str | None]) -> str | None:
    recorded = {value for value in values if value is not None and value.strip()}
    return recorded.pop() if len(recorded) == 1 else None
