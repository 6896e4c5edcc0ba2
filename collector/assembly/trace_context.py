"""What the runs of one trace have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from tracegrade.evaluators.model import ToolCallResponsePart

from ..spans.span import Span
from ..spans.step import Step
from .run import Read, Run
from .tree import Tree

__all__ = ["Whole"]


@dataclass(frozen=True, slots=True)
class Whole:
    """A trace: its spans, the steps they record, and what follows from these once for all of its runs.

    `answers` are those of tools, by call id, where the whole trace agrees on one: a run may end before it hears them.
    `around_model` and `around_tool` give for every span the nearest model call or tool call that it is within;
    `session_id` and `user_id` are those that the whole trace agrees on; `last_start_ns` is when the last of the
    outermost runs began.
    """

    tree: Tree
    read: Mapping[str, Read]
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
        cls, tree: Tree, read: Mapping[str, Read], *, is_whole: bool, is_readable: bool, found: Sequence[Run]
    ) -> Whole:
        """The whole of a trace in which these runs were found."""
        has_one_run = len(found) == 1
        steps = [one.step for one in read.values()]
        return cls(
            tree=tree,
            read=read,
            is_whole=is_whole,
            is_readable=is_readable,
            has_one_run=has_one_run,
            answers={} if has_one_run else _answers(steps),
            around_model=tree.nearest({span_id for span_id, one in read.items() if one.step.kind == "model"}),
            around_tool=tree.nearest({span_id for span_id, one in read.items() if one.step.kind == "tool"}),
            session_id=_agreed(step.session_id for step in steps),
            user_id=_agreed(step.user_id for step in steps),
            last_start_ns=max((run.top.start_ns for run in found if run.parent is None), default=0),
        )

    def said_around(self, span: Span, keys: Sequence[str], *, itself_only: bool = False) -> str | None:
        """What `span` or the nearest above it that says so has under one of `keys`, whoever wrote them."""
        around = (span,) if itself_only else chain((span,), self.tree.ancestors(span))
        said = (at.text(key) for at in around for key in keys)
        return next((one for one in said if one is not None and one.strip()), None)

    def above(self, span: Span) -> Iterable[Step]:
        """The steps that `span` is within, the nearest first."""
        return (self.read[at.span_id].step for at in self.tree.ancestors(span) if at.span_id in self.read)


def _answers(steps: Iterable[Step]) -> dict[str, list[str | None]]:
    found: dict[str, set[str]] = {}
    for step in steps:
        for part in (part for message in step.input or () for part in message.parts):
            if isinstance(part, ToolCallResponsePart) and part.id is not None and part.response is not None:
                found.setdefault(part.id, set()).add(part.response)
    return {call_id: [*given] for call_id, given in found.items() if len(given) == 1}


def _agreed(values: Iterable[str | None]) -> str | None:
    said = {value for value in values if value is not None and value.strip()}
    return said.pop() if len(said) == 1 else None
