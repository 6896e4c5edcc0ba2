"""What the page of a run shows, in order: the part of the conversation, faults, scores, gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ...answers.run import RunDetail
from ...read.run_keys import RunKey
from .conversation import Entry, list_entries
from .fault import Fault, find_fault
from .numbering import Numbering
from .places import PART, Place, Places, walk
from .reading import Stored
from .scores import Grades, arrange_scores

__all__ = ["PART", "Mistake", "Story"]

_SHORT: Final = 16


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that went wrong: its anchor, and what it is."""

    anchor: str
    name: str


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
        self._places = Places(self.all_entries, self._is_mistake)
        self._holders = self.grades.list_holders(numbering)

    @cached_property
    def first(self) -> int:
        """The number of the first entry on the page, from 0."""
        place = self._places.find(self.fault.anchor)
        step = self._step or (1 if place is None else place.step)
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
            Mistake(entry.anchor, _name(entry))
            for top in self.all_entries
            for entry in walk(top)
            if entry.is_error or entry.number in self.grades.notes
        ]
        failing = [Mistake(grade.anchor, grade.score.evaluator) for grade in self.grades.of_run if grade.is_failing]
        return [*errors, *failing]

    def is_around_mistake(self, entry: Entry) -> bool:
        """Return whether something went wrong in a sub-agent, so that it stands open."""
        return entry.anchor in self._places.around

    def find_place(self, anchor: str) -> Place | None:
        """Return where the part of the page with an anchor is, if it is not on every part."""
        anchor = self._holders.get(anchor, anchor)
        return self._places.find(anchor) or self._find_deep(anchor)

    def is_on_page(self, place: Place) -> bool:
        """Return whether a place is among the entries on the page."""
        return place.sub_run is None and self.first < place.step <= self.first + PART

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
        return sum(1 for top in self.all_entries for _ in walk(top)) <= _SHORT

    def _find_deep(self, anchor: str) -> Place | None:
        """Return the place of a call by a sub-agent that is too deep for this page."""
        made = (call for call in self.run.tool_calls or [] if f"call-{call.position + 1}" == anchor)
        maker = next((call.child_agent_trace_id for call in made), None)
        sub_run = next((each for each in self.run.sub_runs or [] if each.agent_trace_id == maker), None)
        return None if sub_run is None else Place(0, sub_run)

    def _is_mistake(self, entry: Entry) -> bool:
        return entry.is_error or entry.number in self.grades.notes or entry.anchor == self.fault.anchor


def _name(entry: Entry) -> str:
    if entry.call is not None:
        return f"call {entry.number}, {entry.call.name}" if entry.number else entry.call.name
    if entry.sub_run is not None:
        return entry.sub_run.agent_name or "sub-agent"
    return "model call" if entry.llm_call is not None else "the run"
