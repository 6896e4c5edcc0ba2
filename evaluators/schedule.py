"""The scheduled pass: decides what is due and has it judged. It computes nothing itself."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from .model import AgentTrace
from .ports import Ledger, Pass, Workbench
from .registry import Configured

__all__ = ["BATCH", "Summary", "run_pass"]

BATCH = 500
"""How many runs one pass takes up for an evaluator; what is left is for the next one."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a pass did. `is_full`: there may be more, look again at once."""

    runs: int = 0
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
    runs = verdicts = 0
    is_full = False
    for traces, waiting in _due(ledger, evaluators, limit):
        this = Pass(id=uuid.uuid4().hex, started_at=now())
        found = workbench.evaluate(traces, waiting)
        ledger.record(this, waiting, traces, found)
        runs += len(traces)
        verdicts += len(found)
        is_full = is_full or len(traces) == limit
    return Summary(runs, verdicts, is_full)


def _due(
    ledger: Ledger, evaluators: Sequence[Configured], limit: int
) -> list[tuple[Sequence[AgentTrace], list[Configured]]]:
    """What is due, by the batch that several evaluators wait for."""
    groups: dict[int, tuple[Sequence[AgentTrace], list[Configured]]] = {}
    for evaluator in evaluators:
        traces = ledger.due(evaluator, limit)
        if len(traces):
            groups.setdefault(id(traces), (traces, []))[1].append(evaluator)
    return list(groups.values())
