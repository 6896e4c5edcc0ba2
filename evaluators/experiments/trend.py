"""How scores develop over several experiments on the same items. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from .description import describe_trend
from .item_scores import ItemScores, group_by_item
from .result import Estimate, ExperimentResult, name_results, summarize

__all__ = ["EvaluatorTrend", "Trend", "TrendExperiment", "TrendPoint", "measure_trend"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendExperiment:
    """One of the experiments of a trend. `errors` are its runs of status `error` on the shared items.

    `dataset` has the version, as in `refunds, version 3`; None: it is not a stored one.
    """

    name: str
    experiment_id: str | None
    started_at: datetime
    dataset: str | None
    errors: int


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """The figures of one evaluator in one experiment; None without scores."""

    mean: Estimate | None
    pass_rate: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorTrend:
    """The figures of one evaluator, a point for each experiment.

    `is_same_form`: it has the same version and configuration in all experiments.
    """

    evaluator: str
    points: tuple[TrendPoint, ...]
    is_same_form: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """What several experiments, the oldest first, say of the items that all of them have with the same input and
    expectations.

    `shared` are the ids of these items; `left_out` is the number of the other ones. `str()` shows all of it.
    """

    experiments: tuple[TrendExperiment, ...]
    shared: tuple[str, ...]
    left_out: int
    evaluators: tuple[EvaluatorTrend, ...]

    def __str__(self) -> str:
        return describe_trend(self)


def measure_trend(results: Sequence[ExperimentResult]) -> Trend:
    """Measure how scores developed over results, the oldest first, on the items that all of them share.

    An item counts for an evaluator if it has scores of it in all experiments in which any item has: otherwise a mean
    would change with the items behind it. Raises ValueError for fewer than two results.
    """
    if len(results) < 2:
        raise ValueError("a trend needs at least two experiments")
    shared = _find_shared(results)
    scores = [
        group_by_item([run for run in result.runs if run.item.id in shared], result.evaluator_names)
        for result in results
    ]
    evaluators = dict.fromkeys(name for by_evaluator in scores for name in by_evaluator)
    return Trend(
        experiments=tuple(
            TrendExperiment(
                name=name,
                experiment_id=result.experiment_id,
                started_at=result.started_at,
                dataset=result.dataset_label,
                errors=sum(run.item.id in shared for run in result.errors),
            )
            for name, result in zip(name_results(results), results, strict=True)
        ),
        shared=tuple(shared),
        left_out=len({item for result in results for item in result.items} - shared.keys()),
        evaluators=tuple(
            EvaluatorTrend(
                evaluator=name,
                points=_measure(name, [by_evaluator.get(name, {}) for by_evaluator in scores]),
                is_same_form=len({frozenset(result.forms[name]) for result in results if name in result.forms}) <= 1,
            )
            for name in evaluators
        ),
    )


def _find_shared(results: Sequence[ExperimentResult]) -> Mapping[str, str]:
    """Return the hash of each item that all results have with the same input and expectations, by id.

    They are in the order of the newest.
    """
    *earlier, newest = ({name: item.comparison_hash for name, item in result.items.items()} for result in results)
    return {
        item: content for item, content in newest.items() if all(contents.get(item) == content for contents in earlier)
    }


def _measure(evaluator: str, scores: Sequence[Mapping[str, ItemScores]]) -> tuple[TrendPoint, ...]:
    """Return the points of an evaluator from its scores by item in each experiment."""
    valued = _select_common(scores, lambda item: item.value is not None)
    decided = _select_common(scores, lambda item: bool(item.verdicts))
    return tuple(
        TrendPoint(summarize(evaluator, of_value).mean, summarize(evaluator, of_verdict).pass_rate)
        for of_value, of_verdict in zip(valued, decided, strict=True)
    )


def _select_common(
    scores: Sequence[Mapping[str, ItemScores]], counts: Callable[[ItemScores], bool]
) -> Sequence[Sequence[ItemScores]]:
    """Return of each experiment the items that count in all experiments in which any item does."""
    counting = [{name for name, item in by_item.items() if counts(item)} for by_item in scores]
    common = set.intersection(*(names for names in counting if names)) if any(counting) else set[str]()
    return [
        [by_item[name] for name in by_item if name in names & common]
        for by_item, names in zip(scores, counting, strict=True)
    ]
