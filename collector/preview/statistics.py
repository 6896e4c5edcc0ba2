"""Summarizes scores: their distribution, the pass rate, and the agreement of two sides. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.statistics import wilson

__all__ = [
    "BINS",
    "Agreement",
    "Distribution",
    "PassRate",
    "cohens_kappa",
    "count_agreement",
    "estimate_pass_rate",
    "summarize",
]

BINS: Final = 10
"""The bins of a histogram divide [0, 1); values of exactly 1 have their own bin, since most thresholds are 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRate:
    """The share of the scores with `passed` that is true, and the 95 % interval in which it lies for all such runs."""

    passed: int
    of: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The numbers of scores by status, reason, value and label.

    `histogram` counts values: BINS equal bins of [0, 1), then exactly 1. It is empty if no score has a value.
    """

    statuses: Mapping[str, int]
    skipped: Mapping[str, int]
    errors: Mapping[str, int]
    histogram: Sequence[int]
    labels: Mapping[str, int]
    pass_rate: PassRate | None
    mean: float | None
    median: float | None

    @property
    def scored(self) -> int:
        return self.statuses.get("scored", 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How often two sides passed and failed the same things. `kappa` is None if they would agree by chance alone."""

    both_passed: int
    first_alone: int
    second_alone: int
    both_failed: int

    @property
    def compared(self) -> int:
        return self.both_passed + self.first_alone + self.second_alone + self.both_failed

    @property
    def share(self) -> float | None:
        return (self.both_passed + self.both_failed) / self.compared if self.compared else None

    @property
    def kappa(self) -> float | None:
        return cohens_kappa(self.both_passed, self.first_alone, self.second_alone, self.both_failed)


def summarize(scores: Iterable[ScoreRecord]) -> Distribution:
    """Summarize any number of scores of one evaluator."""
    scores = list(scores)
    values = [score.value for score in scores if score.status == "scored" and score.value is not None]
    return Distribution(
        statuses=_count(score.status for score in scores),
        skipped=_count(score.reason or "no reason given" for score in scores if score.status == "skipped"),
        errors=_count(score.reason or "no reason given" for score in scores if score.status == "error"),
        histogram=_count_bins(values),
        labels=_count(score.label for score in scores if score.status == "scored" and score.label is not None),
        pass_rate=estimate_pass_rate(score.passed for score in scores if score.status == "scored"),
        mean=fmean(values) if values else None,
        median=median(values) if values else None,
    )


def estimate_pass_rate(passed: Iterable[bool | None]) -> PassRate | None:
    """Estimate the pass rate; None if no score has `passed`."""
    decided = [has_passed for has_passed in passed if has_passed is not None]
    if not decided:
        return None
    interval = wilson(sum(decided), len(decided))
    return PassRate(
        passed=sum(decided), of=len(decided), rate=sum(decided) / len(decided), low=interval.low, high=interval.high
    )


def count_agreement(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    """Count pairs of whether the first and the second side passed the same target."""
    counts = Counter(pairs)
    return Agreement(
        both_passed=counts[True, True],
        first_alone=counts[True, False],
        second_alone=counts[False, True],
        both_failed=counts[False, False],
    )


def cohens_kappa(both: int, first_alone: int, second_alone: int, neither: int) -> float | None:
    """Compute the agreement beyond chance, from -1 to 1, as the macro `cohens_kappa` of the store."""
    count = both + first_alone + second_alone + neither
    by_chance = (both + first_alone) * (both + second_alone) + (second_alone + neither) * (first_alone + neither)
    if count * count == by_chance:
        return None
    return (count * (both + neither) - by_chance) / (count * count - by_chance)


def _count(values: Iterable[str]) -> dict[str, int]:
    """Count the values, the most frequent first."""
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


def _count_bins(values: Sequence[float]) -> tuple[int, ...]:
    if not values:
        return ()
    counts = Counter(min(int(value * BINS), BINS) for value in values)
    return tuple(counts[index] for index in range(BINS + 1))
