"""What the scheduled pass needs from the world. `collector.store` and `collector.workbench` fulfil these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from .model import AgentTrace
from .registry import Configured
from .verdict import Verdict

__all__ = ["Ledger", "Pass", "Workbench"]


@dataclass(frozen=True, slots=True)
class Pass:
    """One round of judging. Its id stands on every verdict it brought."""

    id: str
    started_at: datetime


class Ledger(Protocol):
    """Remembers what has been judged."""

    def due(self, evaluator: Configured, limit: int) -> Sequence[AgentTrace]:
        """AgentTraces that `evaluator` has not judged in their present revision, oldest assembly first.

        MUST NOT return again what `record` has named. SHOULD return the very same sequence to evaluators that wait
        for the same runs, so that they are judged together. MAY load the traces only when they are looked at.
        """

    def record(
        self,
        this: Pass,
        evaluators: Sequence[Configured],
        traces: Sequence[AgentTrace],
        verdicts: Sequence[Verdict],
    ) -> None:
        """Keep `verdicts` and remember that `evaluators` are through with `traces`.

        MUST do both, supersede older verdicts and fill the outbox in one transaction. `traces` is what `due` returned.
        """

    def defer(
        self, evaluator: Configured, traces: Sequence[AgentTrace], *, until: datetime, reason: str, priority: int = 1
    ) -> None:
        """Put off `traces` that `due` returned: they are due again at `until` (UTC), after what is new.

        MUST survive a restart. A new revision of a run is due at once and replaces what was put off.
        """


class Workbench(Protocol):
    """Computes verdicts, in this process or in another."""

    def evaluate(self, traces: Sequence[AgentTrace], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every trace. MUST answer for each pair; a failure is a verdict of status `error`."""
