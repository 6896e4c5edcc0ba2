"""The plan of an experiment: what it is about to run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.dataset import Dataset
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction, refuse_other_judges
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.model import AgentTrace, JsonObject

from .task_call import Task
from .usability import refuse_unusable

__all__ = ["Pair", "Plan"]


class Pair(NamedTuple):
    """The item at a position of the dataset, and which repeat of it."""

    position: int
    item: DatasetItem
    repeat: int

    @property
    def key(self) -> tuple[str, int]:
        return self.item.id, self.repeat


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run how often, and how it is evaluated. `recorded` are runs that exist, by item and repeat, for which no
    task runs; without a `task` only these are evaluated.

    Raises ValueError or TypeError for what cannot be run.
    """

    name: str
    dataset: Dataset
    task: Task | None
    evaluators: Sequence[Configured]
    repeats: int = 1
    concurrency: int = 8
    timeout_s: float | None = 300.0
    judge: JudgeFunction | None = None
    judges: Mapping[str, Judge] = field(default_factory=dict)
    recorded: Mapping[tuple[str, int], AgentTrace] = field(default_factory=dict)
    is_new: bool = False
    author: str = "anonymous"
    metadata: JsonObject = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.dataset.items:
            raise ValueError("the dataset has no items, or none in this split with these tags")
        if not self.evaluators:
            raise ValueError("an experiment needs an evaluator, such as 'tool_trajectory'")
        for name, number in (("repeats", self.repeats), ("concurrency", self.concurrency)):
            _check_count(name, number)
        _check_timeout(self.timeout_s)
        refuse_other_judges(self.judge)
        if self.judge is not None and self.judges:
            raise TypeError("give either `judge`, a function that answers all questions, or `judges`, by their names")
        for evaluator in self.evaluators:
            refuse_unusable(evaluator, has_judge=self.judge is not None, judges=self.judges)
        for repeated in _find_repeated(item.id for item in self.dataset):
            raise ValueError(f"two items have the id {repeated!r}; give each its own")
        for repeated in _find_repeated(evaluator.name for evaluator in self.evaluators):
            raise ValueError(f"two evaluators are called {repeated!r}; give one of them another `name`")

    @property
    def pairs(self) -> Sequence[Pair]:
        """The items with their repeats: all first repeats before all second ones."""
        every = [
            Pair(position, item, repeat)
            for repeat in range(self.repeats)
            for position, item in enumerate(self.dataset.items)
        ]
        return every if self.task is not None else [pair for pair in every if pair.key in self.recorded]


def _check_count(name: str, number: object) -> None:
    """Raise TypeError or ValueError."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError(f"{name} is {number!r}; it is a whole number")
    if number < 1:
        raise ValueError(f"{name} is {number}; it is at least 1")


def _check_timeout(timeout_s: object) -> None:
    """Raise TypeError or ValueError."""
    if timeout_s is None:
        return
    if not isinstance(timeout_s, (int, float)) or isinstance(timeout_s, bool):
        raise TypeError(f"timeout_s is {timeout_s!r}; it is a number of seconds, or None for no limit")
    if not 0 < timeout_s < math.inf:
        raise ValueError(f"timeout_s is {timeout_s:g}; it is more than 0, or None for no limit")


def _find_repeated(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]
