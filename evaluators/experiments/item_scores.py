"""The scores of an evaluator in an experiment, by item: repeats of an item are not independent of each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from statistics import fmean

from ..definition.score_record import ScoreRecord
from .experiment_run import ExperimentRun

__all__ = ["ItemScores", "group_by_item"]


@dataclass(slots=True)
class ItemScores:
    """What the repeats of an item got of one evaluator: values, and verdicts. Others were skipped or failed.

    A run with several scores, on each of its tool calls, counts once: with their mean, and passed if all passed. A
    repeat whose task failed has no value, but did not pass.
    """

    values: list[float] = field(default_factory=list)
    verdicts: list[bool] = field(default_factory=list)
    skipped: int = 0
    errors: int = 0

    def add(self, scores: Sequence[ScoreRecord]) -> None:
        """Add the scores of one run."""
        self.skipped += any(score.status == "skipped" for score in scores)
        self.errors += any(score.status == "error" for score in scores)
        scored = [score for score in scores if score.status == "scored"]
        if values := [score.value for score in scored if score.value is not None]:
            self.values.append(fmean(values))
        if verdicts := [score.passed for score in scored if score.passed is not None]:
            self.verdicts.append(all(verdicts))

    def add_failed_run(self) -> None:
        """Add a run that the evaluator could not evaluate, since its task failed."""
        self.verdicts.append(False)

    @property
    def value(self) -> float | None:
        """The mean value; None without values."""
        return fmean(self.values) if self.values else None

    @property
    def passed(self) -> int:
        """The number of repeats that passed."""
        return sum(self.verdicts)

    @property
    def pass_share(self) -> float | None:
        """The share of repeats that passed; None without verdicts."""
        return self.passed / len(self.verdicts) if self.verdicts else None

    def pass_hat(self, k: int) -> float | None:
        """Return the chance that k repeats, drawn from all, pass together; None if there are fewer.

        It is pass^k as in tau-bench (S. Yao and others, arXiv:2406.12045).
        """
        n = len(self.verdicts)
        return comb(self.passed, k) / comb(n, k) if n >= k else None


def group_by_item(
    runs: Sequence[ExperimentRun], evaluators: Iterable[str] = ()
) -> Mapping[str, Mapping[str, ItemScores]]:
    """Return the scores by evaluator and item id: of these evaluators, and of others that scored a run.

    A run whose task failed did not pass, if the evaluator decides at all: otherwise an agent would pass the more often,
    the more often it crashes. So does run.py of tau-bench (https://github.com/sierra-research/tau-bench). It counts on
    items that the evaluator decides in other repeats, or on which all repeats failed.
    """
    grouped: dict[str, dict[str, ItemScores]] = {name: {} for name in evaluators}
    for run in runs:
        by_evaluator: dict[str, list[ScoreRecord]] = {}
        for score in run.scores:
            by_evaluator.setdefault(score.evaluator, []).append(score)
        for evaluator, scores in by_evaluator.items():
            grouped.setdefault(evaluator, {}).setdefault(run.item.id, ItemScores()).add(scores)
    failed = [run.item.id for run in runs if run.status == "error"]
    completed = {run.item.id for run in runs if run.status != "error"}
    for items in grouped.values():
        if not completed or any(item.verdicts for item in items.values()):
            _add_failed_runs(items, failed, completed)
    return grouped


def _add_failed_runs(items: dict[str, ItemScores], failed: Iterable[str], completed: Collection[str]) -> None:
    decided = {name for name, item in items.items() if item.verdicts}
    for item in failed:
        if item in decided or item not in completed:
            items.setdefault(item, ItemScores()).add_failed_run()
