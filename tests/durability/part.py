"""A part of the harness: what it tries again and again for its share of the minutes, and what it counts."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeAlias

__all__ = ["MUST_BE_ZERO", "Counts", "Found", "Part", "Trial"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What was done, and below it what must not have come of it."""

    kills: int = field(default=0, metadata={"title": "kills"})
    orders: int = field(default=0, metadata={"title": "arrival orders"})
    disks_filled: int = field(default=0, metadata={"title": "disks filled"})
    spans: int = field(default=0, metadata={"title": "spans acknowledged"})
    runs: int = field(default=0, metadata={"title": "runs assembled"})
    scores: int = field(default=0, metadata={"title": "scores active"})
    questions: int = field(default=0, metadata={"title": "questions to the judge"})
    lost: int = field(default=0, metadata={"title": "spans and logs lost", "zero": True})
    doubled: int = field(default=0, metadata={"title": "spans and logs doubled", "zero": True})
    runs_differing: int = field(default=0, metadata={"title": "runs unlike a clean import", "zero": True})
    scores_missing: int = field(default=0, metadata={"title": "scores missing", "zero": True})
    scores_other: int = field(default=0, metadata={"title": "scores that no import gives", "zero": True})
    active_twice: int = field(default=0, metadata={"title": "scores active twice", "zero": True})
    asked_twice: int = field(default=0, metadata={"title": "questions asked twice", "zero": True})
    audit_findings: int = field(default=0, metadata={"title": "findings of the ledger audit", "zero": True})

    def __add__(self, other: Counts) -> Counts:
        return Counts(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(Counts)})

    @property
    def faults(self) -> int:
        """The sum of what must be zero."""
        return sum(getattr(self, name) for name in MUST_BE_ZERO)


MUST_BE_ZERO: Sequence[str] = tuple(one.name for one in fields(Counts) if one.metadata.get("zero"))


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one trial: the counts, and a sentence for each fault, with what is needed to see it again."""

    counts: Counts
    faults: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of a part: everything in it that is left to chance is drawn from `chance`, so that the seed repeats the
    plan. `folder` is empty and its own; it should be over by `ends_at`, on the clock `time.monotonic`."""

    number: int
    chance: random.Random
    folder: Path
    ends_at: float
    log: Callable[[str], None]

    @property
    def seconds_left(self) -> float:
        return self.ends_at - time.monotonic()


Run: TypeAlias = Callable[[Trial], Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """`run` makes one trial. Of the minutes the part gets as much as its `share` is of all shares. It is told where a
    module of this folder has it as `PART`."""

    name: str
    summary: str
    share: float
    run: Run
