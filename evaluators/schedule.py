"""The scheduled pass: decides what is due and has it judged. It computes nothing itself."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from .ports import Ledger, Pass, Workbench
from .registry import Configured
from .verdict import Target

__all__ = ["BATCH", "Summary", "run_pass"]

BATCH = 500
"""How many targets one pass takes up for an evaluator; what is left is for the next one."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a pass did. `is_full`: there may be more, look again at once."""

    targets: int = 0
    verdicts: int = 0
    is_full: bool = False


def run_pass(
    ledger: Ledger,
    workbench: Workbench,
    evaluators: Sequence[Configured],
    *,
    now: Callable[[], datetime],
    limit: int = BATCH,
) -> Summary:
    """Judges what is due for each of `evaluators`, those that are equally far together."""
    judged = verdicts = 0
    is_full = False
    for targets, waiting in _due(ledger, evaluators, limit):
        this = Pass(id=uuid.uuid4().hex, started_at=now())
        found = workbench.evaluate(targets, waiting)
        ledger.record(this, waiting, targets, found)
        judged += len(targets)
        verdicts += len(found)
        is_full = is_full or len(targets) == limit
    return Summary(judged, verdicts, is_full)


def _due(
    ledger: Ledger, evaluators: Sequence[Configured], limit: int
) -> list[tuple[Sequence[Target], list[Configured]]]:
    """What is due, by the batch that several evaluators wait for."""
    groups: dict[int, tuple[Sequence[Target], list[Configured]]] = {}
    for evaluator in evaluators:
        targets = ledger.due(evaluator, limit)
        if len(targets):
            groups.setdefault(id(targets), (targets, []))[1].append(evaluator)
    return list(groups.values())
