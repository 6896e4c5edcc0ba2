"""What the page of a run shows, in order: the part of the conversation, faults, scores, gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...answers.run import RunDetail
from ...read.run_keys import RunKey
from .conversation import Entry, list_entries
from .fault import Fault, find_fault
from .numbering import Numbering
from .reading import Stored
from .scores import Grades, arrange_scores

__all__ = ["PART", "Mistake", "Story"]

PART: Final = 60
"""The most entries of a conversation, and of a sub-agent in it, that are on the page at once."""

_SHORT: Final = 16


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that went wrong: its anchor, what it is, and the number of the entry that it is in, from 1; None: it is
    on every part of the page."""

    anchor: str
    name: str
    step: int | None


class Story:
    """A stored run, arranged for reading. `step` is the number of the entry that the reader wants; None: the first
    fault."""

    def __init__(self, stored: Stored, step: int | None) -> None:
        self.stored = stored
        self.run: RunDetail = stored.run
        numbering = Numbering(stored.run)
        self.all_entries: Sequence[Entry] = list_entries(stored.run, stored.tree, numbering)
        self.fault: Fault = find_fault(stored.run, numbering)
        self.grades: Grades = arrange_scores(stored.run, stored.judge_calls, numbering)
        self._step = step

    @cached_property
    def first(self) -> int:
        """The number of the first entry on the page, from 0."""
        step = self._step or self._find_step(self.fault.anchor) or 1
        last = max(len(self.all_entries) - 1, 0)
        return min(max(step - 1, 0), last) // PART * PART

    @property
    def entries(self) -> Sequence[Entry]:
        """The entries on the page."""
        return self.all_entries[self.first : self.first + PART]

    @cached_property
    def mistakes(self) -> list[Mistake]:
        """All errors in order of time, then the failing scores of the run."""
        errors = [
            Mistake(entry.anchor, _name(entry), step)
            for step, top in enumerate(self.all_entries, 1)
            for entry in _walk(top)
            if entry.is_error or entry.number in self.grades.notes
        ]
        failing = [
            Mistake(grade.anchor, grade.score.evaluator, None) for grade in self.grades.of_run if grade.is_failing
        ]
        return [*errors, *failing]

    @property
    def turn(self) -> tuple[int, int, RunKey | None, RunKey | None] | None:
        """The number of the run among the turns of its session, how many there are, and those before and after it."""
        turns = self.stored.turns
        ids = [turn.agent_trace_id for turn in turns]
        if self.run.agent_trace_id not in ids:
            return None
        index = ids.index(self.run.agent_trace_id)
        before = turns[index - 1] if index else None
        return index + 1, len(turns), before, turns[index + 1] if index + 1 < len(turns) else None

    @property
    def gaps(self) -> list[str]:
        """What was not recorded, also what is no gap of the run alone."""
        has_models = any(self.stored.tree.llm_calls.values())
        others: Mapping[str, bool] = {
            "model_calls_not_captured": not has_models,
            "session_not_captured": self.run.session_id is None,
        }
        return [*self.run.gaps, *(name for name, is_missing in others.items() if is_missing)]

    @cached_property
    def is_short(self) -> bool:
        """Whether sub-agents stand open, since all of it fits on a screen or two."""
        return sum(1 for top in self.all_entries for _ in _walk(top)) <= _SHORT

    def _find_step(self, anchor: str | None) -> int | None:
        """Return the number of the entry with an anchor, or of the one that it is in."""
        return next(
            (
                step
                for step, top in enumerate(self.all_entries, 1)
                if anchor is not None and any(entry.anchor == anchor for entry in _walk(top))
            ),
            None,
        )


def _walk(entry: Entry) -> Iterator[Entry]:
    yield entry
    for inner in entry.entries:
        yield from _walk(inner)


def _name(entry: Entry) -> str:
    if entry.call is not None:
        return f"call {entry.number}, {entry.call.name}" if entry.number else entry.call.name
    if entry.sub_run is not None:
        return entry.sub_run.agent_name or "sub-agent"
    return "model call" if entry.llm_call is not None else "the run"
