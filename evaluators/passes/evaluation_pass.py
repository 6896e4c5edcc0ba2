"""The scheduled pass: decides what is due and has it judged. It computes nothing itself."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from ..definition.registry import Configured
from ..definition.score_record import Target
from ..ports import Findings, Ledger, Pass, Workbench
from .schedule import Timetable

__all__ = ["BATCH", "SQL_BATCH", "Summary", "run_pass"]

BATCH: Final = 500
"""How many targets one pass takes up for an evaluator; what is left is for the next one."""

SQL_BATCH: Final = 100_000
"""The same for evaluators of kind sql, which judge all of them in one query."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a pass did. `is_full`: there may be more, look again at once."""

    targets: int = 0
    scores: int = 0
    is_full: bool = False


def run_pass(
    ledger: Ledger,
    workbench: Workbench,
    evaluators: Sequence[Configured],
    *,
    now: Callable[[], datetime],
    timetable: Timetable | None = None,
    limit: int = BATCH,
) -> Summary:
    """Judges what is due for each of `evaluators` that is not paused and whose time has come.

    Those that are equally far are asked together, those that come after others when these are done.
    """
    timetable = timetable or Timetable(ledger.last_passes())
    paused = ledger.paused()
    at_work = [one for one in evaluators if one.name not in paused and timetable.is_open(one, now())]
    judged = scores = 0
    is_full = False
    through = ledger.last_assembled()
    for wave in _waves(at_work):
        groups, has_more = _due(ledger, wave, limit, through)
        is_full = is_full or has_more
        for targets, waiting in groups:
            this = Pass(id=uuid.uuid4().hex, started_at=now())
            found = _found(ledger, workbench, this, targets, waiting)
            ledger.record(this, waiting, targets, found.scores, found.postponed)
            judged += len(targets)
            scores += len(found.scores)
    for evaluator in () if is_full else at_work:
        timetable.done(evaluator, now())
    return Summary(judged, scores, is_full)


def _waves(evaluators: Sequence[Configured]) -> Iterator[list[Configured]]:
    """The evaluators, in their order, each in a later wave than those it comes after."""
    left = list(evaluators)
    while left:
        names = {one.name for one in left}
        wave = [one for one in left if names.isdisjoint(one.after)] or left
        yield wave
        done = {one.name for one in wave}
        left = [one for one in left if one.name not in done]


def _due(
    ledger: Ledger, evaluators: Sequence[Configured], limit: int, through: int
) -> tuple[list[tuple[Sequence[Target], list[Configured]]], bool]:
    """What is due, by the batch that several evaluators wait for, and whether there may be more."""
    groups: dict[int, tuple[Sequence[Target], list[Configured]]] = {}
    is_full = False
    for evaluator in evaluators:
        due = ledger.due(evaluator, SQL_BATCH if evaluator.kind == "sql" else limit, through=through)
        is_full = is_full or due.is_full
        if len(due.targets):
            groups.setdefault(id(due.targets), (due.targets, []))[1].append(evaluator)
    return list(groups.values()), is_full


def _found(
    ledger: Ledger, workbench: Workbench, this: Pass, targets: Sequence[Target], evaluators: Sequence[Configured]
) -> Findings:
    match evaluators[0].kind:
        case "sql":
            return Findings(ledger.due_by_sql(evaluators[0], targets))
        case "llm":
            return workbench.ask(this, targets, evaluators, partial(ledger.keep, this))
        case _:
            return Findings(workbench.evaluate(targets, evaluators))
