"""What the scheduled pass needs from the world. `collector.store` and `collector.workbench` fulfil these."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from .registry import Configured
from .verdict import Target, Verdict

__all__ = ["Ledger", "Pass", "Workbench"]


@dataclass(frozen=True, slots=True)
class Pass:
    """One round of judging. Its id stands on every verdict it brought."""

    id: str
    started_at: datetime


class Ledger(Protocol):
    """Remembers what has been judged."""

    def paused(self) -> Collection[str]:
        """The names of evaluators that somebody has stopped for a while."""

    def last_passes(self) -> Mapping[str, datetime]:
        """When each evaluator was last at work, or else enrolled (UTC), by its name."""

    def due(self, evaluator: Configured, limit: int) -> Sequence[Target]:
        """What `evaluator` has not judged: AgentTraces in their present revision, oldest assembly first, or in scope
        `tool` the ToolDefinitions, each once whatever number of runs offered it.

        MUST NOT return again what `record` has named. SHOULD return the very same sequence to evaluators that wait
        for the same targets, so that they are judged together; MUST NOT to one of kind sql. MAY load them only when
        they are looked at. MUST leave out what the evaluator's `when` and `sample` do not select; that leaves no trace.
        """

    def due_by_sql(self, evaluator: Configured, targets: Sequence[Target]) -> Sequence[Verdict]:
        """Runs that `due` returned, judged by the query of an evaluator of kind sql: a verdict on each.

        The query sees them as a relation `due(target_id, agent_trace_id, trace_id, started_at, …)`. MUST answer for
        every run: where the query fails with an error that tells its author why, where it is silent with a reason.
        """

    def record(
        self,
        this: Pass,
        evaluators: Sequence[Configured],
        targets: Sequence[Target],
        verdicts: Sequence[Verdict],
    ) -> None:
        """Keep `verdicts` and remember that `evaluators` are through with `targets`.

        MUST do both, supersede older verdicts and fill the outbox in one transaction. `targets` is what `due` returned.
        """

    def defer(
        self, evaluator: Configured, targets: Sequence[Target], *, until: datetime, reason: str, priority: int = 1
    ) -> None:
        """Put off `targets` that `due` returned: they are due again at `until` (UTC), after what is new.

        MUST survive a restart. A new revision of a run is due at once and replaces what was put off.
        """


class Workbench(Protocol):
    """Computes verdicts, in this process or in another."""

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[Verdict]:
        """Every evaluator on every target. MUST answer for each pair; a failure is a verdict of status `error`."""
