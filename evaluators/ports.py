"""What the scheduled pass needs from the world. `collector.store` and `collector.workbench` fulfil these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from .model import AgentTrace
from .registry import Configured
from .verdict import Verdict

__all__ = ["Ledger", "PassSummary", "Workbench"]


class Ledger(Protocol):
    """Remembers what has been judged."""

    def due(self, evaluator: Configured, limit: int) -> Sequence[AgentTrace]:
        """AgentTraces that `evaluator` has not judged in their present revision, oldest arrival first.

        MUST return nothing twice once `record` has named it; MAY load the traces only when they are looked at.
        """

    def record(
        self, pass_id: str, evaluators: Sequence[Configured], traces: Sequence[AgentTrace], verdicts: Sequence[Verdict]
    ) -> None:
        """Keep `verdicts` and remember that `evaluators` are through with `traces`.

        MUST do both, and fill the outbox, in one transaction.
        """


class Workbench(Protocol):
    """Computes verdicts, in this process or in another."""

    def evaluate(self, traces: Sequence[AgentTrace], evaluators: Sequence[Configured]) -> Iterable[Verdict]:
        """Every evaluator on every trace. MUST answer for each pair; a failure is a verdict of status `error`."""
