"""The annotations of the history: two people who label some runs, most of them bad ones, and now and then disagree."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Final

from tracegrade.queries.ports import Annotation

from .history import History
from .judge import JUDGE_EVALUATOR
from .schedule import PlannedRun

__all__ = ["label_runs"]

_LABELLED_SHARE: Final = 0.1
_LABELLED_SHARE_OF_BAD: Final = 0.45
_BOTH_SHARE: Final = 0.25
_DIFFERENT_SHARE: Final = 0.05
_AUTHORS: Final = ("ana", "ben")


def label_runs(history: History) -> list[Annotation]:
    """Label runs under the name of the judge. The same history has the same labels."""
    random = Random(f"labels, {history.seed}")  # noqa: S311 - nobody has to be unable to guess it
    labels: list[Annotation] = []
    for number, run in enumerate(history.runs):
        if random.random() < (_LABELLED_SHARE if run.turn.is_good else _LABELLED_SHARE_OF_BAD):
            labels.extend(_label(random, history, number, run))
    return labels


def _label(random: Random, history: History, number: int, run: PlannedRun) -> Iterator[Annotation]:
    authors = _AUTHORS if random.random() < _BOTH_SHARE else (random.choice(_AUTHORS),)
    for author in authors:
        passed = run.turn.is_good is (random.random() >= _DIFFERENT_SHARE)
        given_at = history.began(run) + timedelta(hours=random.uniform(1, 20))
        yield Annotation.model_validate(
            {
                "target": {"trace_id": history.trace_id(number)},
                "name": JUDGE_EVALUATOR,
                "author": author,
                "passed": passed,
                "explanation": None if passed else "The user did not get what was asked for.",
                "time": min(given_at, history.end),
            }
        )
