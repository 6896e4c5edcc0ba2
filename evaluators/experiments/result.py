"""The result of an experiment: its runs, and what each evaluator says of them in numbers. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Final

from ..ports import Deferred
from .description import describe_result
from .experiment_run import ExperimentRun
from .item import DatasetItem
from .item_scores import ItemScores, group_by_item
from .statistics import Interval, mean_interval, wilson

__all__ = ["Estimate", "EvaluatorResult", "ExperimentResult", "name_results", "summarize"]

_SHOWN_OF_ID: Final = 8


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over `items` items, each of which counts once, and its 95 % interval; None for a single value."""

    value: float
    items: int
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorResult:
    """The scores of one evaluator.

    `pass_hat` has pass^1, pass^2 and so on: the chance that k repeats of an item all pass. pass^1 is the pass rate.
    A run whose task failed did not pass. `skipped` and `errors`, failed evaluations, are numbers of runs.
    """

    evaluator: str
    mean: Estimate | None
    pass_hat: tuple[Estimate, ...]
    skipped: int
    errors: int

    @property
    def pass_rate(self) -> Estimate | None:
        """pass^1; None without verdicts."""
        return self.pass_hat[0] if self.pass_hat else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    """The runs of an experiment, in the order of the dataset. `str()` shows the figures.

    `ended_at` is None if it is in progress or was interrupted. `dataset` and its version are those of a stored dataset.
    `experiment_id` is that in a store. `evaluator_names` are the evaluators that were applied, in their order.
    """

    name: str
    runs: tuple[ExperimentRun, ...]
    started_at: datetime
    ended_at: datetime | None
    experiment_id: str | None = None
    dataset: str | None = None
    dataset_version: int | None = None
    evaluator_names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return describe_result(self)

    @property
    def dataset_label(self) -> str | None:
        """The dataset with its version, as in `refunds, version 3`; None: it is not a stored one."""
        return None if self.dataset is None else f"{self.dataset}, version {self.dataset_version}"

    @property
    def errors(self) -> tuple[ExperimentRun, ...]:
        """The runs of status `error`."""
        return tuple(run for run in self.runs if run.status == "error")

    @property
    def deferred(self) -> tuple[Deferred, ...]:
        """The evaluations that were deferred, each with its reason."""
        return tuple(deferred for run in self.runs for deferred in run.deferred)

    @property
    def items(self) -> Mapping[str, DatasetItem]:
        """The items by their ids, in the order of the dataset."""
        return {run.item.id: run.item for run in self.runs}

    @property
    def evaluators(self) -> tuple[EvaluatorResult, ...]:
        """The results of the evaluators that were applied, and of others that scored a run."""
        grouped = group_by_item(self.runs, self.evaluator_names)
        return tuple(summarize(name, list(items.values())) for name, items in grouped.items())

    @property
    def forms(self) -> Mapping[str, Collection[tuple[int, str]]]:
        """The version and the hash of the configuration of each evaluator; several if it changed meanwhile."""
        forms: dict[str, set[tuple[int, str]]] = {}
        for run in self.runs:
            for score in run.scores:
                forms.setdefault(score.evaluator, set()).add((score.evaluator_version, score.config_hash))
        return forms


def name_results(results: Sequence[ExperimentResult]) -> list[str]:
    """Return the names of results; if several have the same, those of a store with the beginning of their ids."""
    names = Counter(result.name for result in results)
    return [
        result.name
        if names[result.name] == 1 or result.experiment_id is None
        else f"{result.name} ({result.experiment_id[:_SHOWN_OF_ID]})"
        for result in results
    ]


def summarize(evaluator: str, items: Sequence[ItemScores]) -> EvaluatorResult:
    """Return the result of an evaluator from its scores on each item."""
    values = [value for item in items if (value := item.value) is not None]
    repeats = max((len(item.verdicts) for item in items), default=0)
    return EvaluatorResult(
        evaluator=evaluator,
        mean=_bounded(Estimate(fmean(values), len(values), mean_interval(values))) if values else None,
        pass_hat=tuple(_pass_hat(items, k) for k in range(1, repeats + 1)),
        skipped=sum(item.skipped for item in items),
        errors=sum(item.errors for item in items),
    )


def _pass_hat(items: Sequence[ItemScores], k: int) -> Estimate:
    """Return pass^k over the items with at least k verdicts."""
    shares = [share for item in items if (share := item.pass_hat(k)) is not None]
    return Estimate(fmean(shares), len(shares), wilson(sum(shares), len(shares)))


def _bounded(estimate: Estimate) -> Estimate:
    """Return the estimate with an interval that has no values which no score can have."""
    if (interval := estimate.interval) is None:
        return estimate
    return Estimate(estimate.value, estimate.items, Interval(max(interval.low, 0.0), min(interval.high, 1.0)))
