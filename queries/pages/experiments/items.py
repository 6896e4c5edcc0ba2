"""The items of an experiment, each with its runs and what evaluators say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.result import ExperimentResult

from ..shown import as_text

__all__ = ["STATES", "ItemRuns", "State", "list_items", "show_input"]

State: TypeAlias = Literal["failed", "no score", "no threshold", "passed"]

STATES: Final[tuple[State, ...]] = get_args(State)
"""The states of runs and items, the worst first. Of `no threshold`, there are scores, but none says whether it passed.
"""


@dataclass(frozen=True, slots=True)
class ItemRuns:
    """An item with its runs, in the order of their repeats."""

    item: DatasetItem
    runs: Sequence[ExperimentRun]

    @property
    def input(self) -> str:
        return show_input(self.item)

    @property
    def state(self) -> State:
        """The worst of the states of its runs: the item passed if all of them did."""
        states = {find_state(run) for run in self.runs}
        return next((state for state in STATES if state in states), "no score")

    @property
    def states(self) -> Mapping[int, State]:
        """The states of its runs, by repeat."""
        return {run.repeat: find_state(run) for run in self.runs}

    @property
    def failing(self) -> Mapping[int, Sequence[ScoreRecord]]:
        """The scores that did not pass, by repeat."""
        return {run.repeat: list_failing(run) for run in self.runs}


def find_state(run: ExperimentRun) -> State:
    """Return what the scores say of a run. One that ended with an error failed, and so did one that an evaluator could
    not evaluate; one of which nothing was scored did not pass."""
    if run.status == "error" or list_failing(run):
        return "failed"
    if any(score.passed for score in run.scores):
        return "passed"
    return "no threshold" if any(score.status == "scored" for score in run.scores) else "no score"


def list_failing(run: ExperimentRun) -> list[ScoreRecord]:
    """Return the scores on a run that did not pass, the lowest first, then those that could not be given."""
    failing = [score for score in run.scores if score.passed is False or score.status == "error"]
    return sorted(failing, key=lambda score: (score.status == "error", score.value or 0.0))


def list_items(result: ExperimentResult) -> list[ItemRuns]:
    """Return the items in the order of the dataset: those that failed first, then those without a score."""
    by_item: dict[str, list[ExperimentRun]] = {}
    for run in result.runs:
        by_item.setdefault(run.item.id, []).append(run)
    items = [ItemRuns(item, by_item[name]) for name, item in result.items.items()]
    return sorted(items, key=lambda each: STATES.index(each.state))


def show_input(item: DatasetItem) -> str:
    """Return the input of an item as text."""
    return as_text(item.input)
