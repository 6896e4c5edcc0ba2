"""The scheduled pass: finds what is due and has it evaluated. It computes no scores itself."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, Generic

from ..definition.registry import Configured, EvaluatorKind
from ..ports import ClaimT, Due, Evaluated, EvaluationPass, Ledger, TargetsT, Workbench
from .schedule import Timetable

__all__ = ["BATCH", "SQL_BATCH", "Summary", "run_pass"]

BATCH: Final = 500
"""How many targets a pass takes for an evaluator; further ones are left to the next pass."""

SQL_BATCH: Final = 100_000
"""The same for evaluators of kind sql, which evaluate all of them in one query."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a pass did. `is_full`: more may be due now."""

    targets: int = 0
    scores: int = 0
    is_full: bool = False


@dataclass(frozen=True, slots=True)
class _Group(Generic[ClaimT, TargetsT]):
    """Evaluators of one kind for which the same targets are due."""

    due: Due[ClaimT, TargetsT]
    kind: EvaluatorKind
    evaluators: list[Configured]


def run_pass(
    ledger: Ledger[ClaimT, TargetsT],
    workbench: Workbench[TargetsT],
    evaluators: Sequence[Configured],
    *,
    now: Callable[[], datetime],
    timetable: Timetable | None = None,
    limit: int = BATCH,
) -> Summary:
    """Evaluate what is due for each of `evaluators` that is not paused and whose scheduled time has come.

    Evaluators with the same targets run together; those that come after others run when these are finished.
    """
    timetable = timetable or Timetable(ledger.last_passes())
    paused = ledger.paused()
    active = [evaluator for evaluator in evaluators if evaluator.name not in paused]
    active = [evaluator for evaluator in active if timetable.is_due(evaluator, now())]
    target_count = score_count = 0
    is_full = False
    through = ledger.last_assembled()
    for wave in _split_waves(active):
        groups, has_more = _claim_targets(ledger, wave, limit, through)
        is_full = is_full or has_more
        for group in groups:
            evaluation_pass = EvaluationPass(id=uuid.uuid4().hex, started_at=now())
            evaluated = _evaluate_group(ledger, workbench, evaluation_pass, group)
            ledger.record(evaluation_pass, group.evaluators, group.due, evaluated)
            target_count += len(group.due.targets)
            score_count += len(evaluated.scores)
    for evaluator in () if is_full else active:
        timetable.mark_done(evaluator, now())
    return Summary(target_count, score_count, is_full)


def _split_waves(evaluators: Sequence[Configured]) -> Iterator[list[Configured]]:
    """Yield the evaluators in their order, each in a later wave than those it comes after."""
    remaining = list(evaluators)
    while remaining:
        names = {evaluator.name for evaluator in remaining}
        wave = [evaluator for evaluator in remaining if names.isdisjoint(evaluator.after)] or remaining
        yield wave
        done = {evaluator.name for evaluator in wave}
        remaining = [evaluator for evaluator in remaining if evaluator.name not in done]


def _claim_targets(
    ledger: Ledger[ClaimT, TargetsT], evaluators: Sequence[Configured], limit: int, through: int
) -> tuple[list[_Group[ClaimT, TargetsT]], bool]:
    """Return the evaluators for which something is due, grouped by kind and claim, and whether more may be due."""
    groups: dict[tuple[EvaluatorKind, ClaimT], _Group[ClaimT, TargetsT]] = {}
    is_full = False
    for evaluator in evaluators:
        due = ledger.due(evaluator, SQL_BATCH if evaluator.kind == "sql" else limit, through=through)
        is_full = is_full or due.is_full
        if len(due.targets):
            group = groups.setdefault((evaluator.kind, due.claim), _Group(due, evaluator.kind, []))
            group.evaluators.append(evaluator)
    return list(groups.values()), is_full


def _evaluate_group(
    ledger: Ledger[ClaimT, TargetsT],
    workbench: Workbench[TargetsT],
    evaluation_pass: EvaluationPass,
    group: _Group[ClaimT, TargetsT],
) -> Evaluated:
    if group.kind == "llm":
        on_scores = partial(ledger.activate, evaluation_pass)
        return workbench.ask(evaluation_pass, group.due.targets, group.evaluators, on_scores)
    return Evaluated(workbench.evaluate(group.due.targets, group.evaluators))
