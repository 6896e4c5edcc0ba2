"""The items of an experiment, each with its runs and what evaluators say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.result import ExperimentResult

from ..shown import as_text

__all__ = ["ItemRuns", "list_items", "show_input"]


@dataclass(frozen=True, slots=True)
class ItemRuns:
    """An item with its runs, in the order of their repeats."""

    item: DatasetItem
    runs: Sequence[ExperimentRun]

    @property
    def input(self) -> str:
        return show_input(self.item)

    @property
    def has_failed(self) -> bool:
        """Whether a run ended with an error, or a score of one did not pass or could not be given."""
        return any(run.status == "error" or list_failing(run) for run in self.runs)

    @property
    def failing(self) -> Mapping[int, Sequence[ScoreRecord]]:
        """The scores that did not pass, by repeat."""
        return {run.repeat: list_failing(run) for run in self.runs}


def list_failing(run: ExperimentRun) -> list[ScoreRecord]:
    """Return the scores on a run that did not pass, the lowest first, then those that could not be given."""
    failing = [score for score in run.scores if score.passed is False or score.status == "error"]
    return sorted(failing, key=lambda score: (score.status == "error", score.value or 0.0))


def list_items(result: ExperimentResult) -> list[ItemRuns]:
    """Return the items in the order of the dataset, those that failed first."""
    by_item: dict[str, list[ExperimentRun]] = {}
    for run in result.runs:
        by_item.setdefault(run.item.id, []).append(run)
    items = [ItemRuns(item, by_item[name]) for name, item in result.items.items()]
    return sorted(items, key=lambda each: not each.has_failed)


def show_input(item: DatasetItem) -> str:
    """Return the input of an item as text."""
    return as_text(item.input)
