"""How the scores of labelled runs compare with the labels, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .scoring import Result

__all__ = ["LEAST_RIGHT", "MOST_FALSE_ALARMS", "Count", "Figures", "compare"]

LEAST_RIGHT, MOST_FALSE_ALARMS = 0.95, 0.03


@dataclass(frozen=True, slots=True)
class Count:
    """One evaluator over all files. `innocent` counts the files whose label does not name it."""

    right: int
    false_alarms: int
    misses: int
    innocent: int

    @property
    def false_alarm_share(self) -> float:
        return self.false_alarms / self.innocent if self.innocent else 0.0


@dataclass(frozen=True, slots=True)
class Figures:
    """All files. `fine` are those with an empty label; of them `alarmed` got a failing score, of the bad ones
    `silent` got none."""

    files: int
    fine: int
    alarmed: int
    silent: int
    evaluators: dict[str, Count]
    wrong: tuple[Result, ...]

    @property
    def right(self) -> int:
        return self.files - len(self.wrong)

    @property
    def share(self) -> float:
        return self.right / self.files

    @property
    def is_good(self) -> bool:
        """Whether the scores are such as one would sign."""
        alarms = max((count.false_alarm_share for count in self.evaluators.values()), default=0.0)
        return self.share >= LEAST_RIGHT and alarms <= MOST_FALSE_ALARMS

    def to_json(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "files": self.files,
            "right": self.right,
            "share": round(self.share, 4),
            "fine": self.fine,
            "bad": self.files - self.fine,
            "evaluators": {
                name: {"right": count.right, "false_alarms": count.false_alarms, "misses": count.misses}
                for name, count in self.evaluators.items()
            },
            "wrong": [
                {"name": result.case.name, "expected": sorted(result.case.expected), "actual": sorted(result.actual)}
                for result in self.wrong
            ],
        }


def compare(results: Sequence[Result], evaluators: Sequence[str]) -> Figures:
    """The figures of results, with a count for each of `evaluators`."""
    fine = [result for result in results if not result.case.expected]
    return Figures(
        files=len(results),
        fine=len(fine),
        alarmed=sum(bool(result.actual) for result in fine),
        silent=sum(bool(result.case.expected) and not result.actual for result in results),
        evaluators={name: _count(results, name) for name in evaluators},
        wrong=tuple(result for result in results if not result.is_right),
    )


def _count(results: Sequence[Result], evaluator: str) -> Count:
    pairs = [(evaluator in result.case.expected, evaluator in result.actual) for result in results]
    return Count(
        right=sum(expected == actual for expected, actual in pairs),
        false_alarms=pairs.count((False, True)),
        misses=pairs.count((True, False)),
        innocent=sum(not expected for expected, _ in pairs),
    )
