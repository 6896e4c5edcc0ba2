"""Compares two experiments item by item. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias

from .description import describe_comparison
from .item_scores import ItemScores, group_by_item
from .result import ExperimentResult, name_results
from .statistics import Interval, mean_interval, paired_difference_of_shares

__all__ = ["Comparison", "Difference", "EvaluatorComparison", "Flip", "compare_experiments"]

Direction: TypeAlias = Literal["better", "worse"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean over the items that both experiments have, before and after, and the 95 % interval of the change.

    Each item counts once, and is compared with itself. The interval is None for a single item.
    """

    before: float
    after: float
    items: int
    interval: Interval | None

    @property
    def change(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """An item that passes in one of the experiments and not in the other, with the repeats that passed, of how many.

    An item passes if all of its repeats do.
    """

    item_id: str
    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def direction(self) -> Direction:
        return "worse" if self.before[0] == self.before[1] else "better"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorComparison:
    """The scores of one evaluator before and after. `is_same_form`: both have its version and configuration."""

    evaluator: str
    mean: Difference | None
    pass_rate: Difference | None
    flips: tuple[Flip, ...]
    is_same_form: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What two experiments say of the items that both have with the same input and expectations.

    `only_before`, `only_after` and `changed` are the ids of the other items: those that one of them lacks, and those
    whose input or expectations differ. `broken` are shared items with an error in the later experiment only, `repaired`
    in the earlier one only. `one_sided` are evaluators that only one of them has. `datasets` are those before and
    after, if they are different ones or different versions of one. `str()` shows all of it.
    """

    before: str
    after: str
    shared: tuple[str, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    changed: tuple[str, ...]
    broken: tuple[str, ...]
    repaired: tuple[str, ...]
    evaluators: tuple[EvaluatorComparison, ...]
    one_sided: tuple[str, ...]
    datasets: tuple[str, str] | None = None

    def __str__(self) -> str:
        return describe_comparison(self)

    @property
    def has_same_items(self) -> bool:
        return not (self.only_before or self.only_after or self.changed)


def compare_experiments(before: ExperimentResult, after: ExperimentResult) -> Comparison:
    """Compare two experiments on the items that both have with the same input and expectations."""
    old, new = ({name: item.comparison_hash for name, item in result.items.items()} for result in (before, after))
    shared = tuple(item for item, content in old.items() if new.get(item) == content)
    old_errors, new_errors = ({run.item.id for run in result.errors} for result in (before, after))
    old_scores, new_scores = (group_by_item(result.runs, result.evaluator_names) for result in (before, after))
    old_forms, new_forms = before.forms, after.forms
    names = name_results([before, after])
    return Comparison(
        before=names[0],
        after=names[1],
        shared=shared,
        only_before=tuple(item for item in old if item not in new),
        only_after=tuple(item for item in new if item not in old),
        changed=tuple(item for item, content in old.items() if new.get(item, content) != content),
        broken=tuple(item for item in shared if item in new_errors - old_errors),
        repaired=tuple(item for item in shared if item in old_errors - new_errors),
        evaluators=tuple(
            _compare(
                name,
                old_scores[name],
                new_scores[name],
                shared,
                is_same_form=len({frozenset(forms[name]) for forms in (old_forms, new_forms) if name in forms}) <= 1,
            )
            for name in old_scores
            if name in new_scores
        ),
        one_sided=tuple(name for name in {**old_scores, **new_scores} if name not in old_scores.keys() & new_scores),
        datasets=_compare_datasets(before, after),
    )


def _compare_datasets(before: ExperimentResult, after: ExperimentResult) -> tuple[str, str] | None:
    """Return the datasets if they differ; None if they are the same, or if one of them is not stored."""
    if before.dataset_label is None or after.dataset_label is None or before.dataset_label == after.dataset_label:
        return None
    return before.dataset_label, after.dataset_label


def _compare(
    evaluator: str,
    before: Mapping[str, ItemScores],
    after: Mapping[str, ItemScores],
    shared: Collection[str],
    *,
    is_same_form: bool,
) -> EvaluatorComparison:
    both = {item: (before[item], after[item]) for item in shared if item in before and item in after}
    values = [(one.value, other.value) for one, other in both.values()]
    shares = [(one.pass_share, other.pass_share) for one, other in both.values()]
    known_values = [(one, other) for one, other in values if one is not None and other is not None]
    known_shares = [(one, other) for one, other in shares if one is not None and other is not None]
    return EvaluatorComparison(
        evaluator=evaluator,
        mean=_measure(known_values, mean_interval([other - one for one, other in known_values])),
        pass_rate=_measure(known_shares, paired_difference_of_shares(known_shares) if known_shares else None),
        flips=tuple(_find_flips(both)),
        is_same_form=is_same_form,
    )


def _measure(pairs: Collection[tuple[float, float]], interval: Interval | None) -> Difference | None:
    if not pairs:
        return None
    return Difference(fmean(one for one, _ in pairs), fmean(other for _, other in pairs), len(pairs), interval)


def _find_flips(both: Mapping[str, tuple[ItemScores, ItemScores]]) -> Iterator[Flip]:
    """Yield the items of which all repeats pass on one side only."""
    for item, (before, after) in both.items():
        if before.pass_share is None or after.pass_share is None:
            continue
        if (before.pass_share == 1) != (after.pass_share == 1):
            yield Flip(
                item_id=item,
                before=(before.passed, len(before.verdicts)),
                after=(after.passed, len(after.verdicts)),
            )
