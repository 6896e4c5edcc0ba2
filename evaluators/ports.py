"""What the scheduled pass needs from the world. `collector.store` and `collector.passes` fulfil these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

from .definition.registry import Configured
from .definition.score_record import ScoreRecord, Target
from .model import JsonObject

__all__ = [
    "Agent",
    "Due",
    "Findings",
    "JudgeCache",
    "JudgeCall",
    "Keep",
    "Ledger",
    "Pass",
    "Postponed",
    "Spent",
    "Workbench",
]


@dataclass(frozen=True, slots=True)
class Pass:
    """One round of judging. Its id stands on every score it brought."""

    id: str
    started_at: datetime

    @property
    def midnight(self) -> datetime:
        """When the day of its budgets began."""
        return self.started_at.replace(hour=0, minute=0, second=0, microsecond=0)


@dataclass(frozen=True, slots=True)
class Due:
    """What an evaluator is to judge next. `is_full`: there may be more behind it, also where none of this is for it."""

    targets: Sequence[Target]
    is_full: bool = False


@dataclass(frozen=True, slots=True)
class Postponed:
    """A target that an evaluator cannot judge now though nothing is wrong with it: when to try again (UTC), and why."""

    evaluator: str
    target_id: str
    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What came of asking judges: each pair of evaluator and target is in one of the two."""

    scores: Sequence[ScoreRecord]
    postponed: Sequence[Postponed] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCall:
    """A row of `judge_calls` (see queries/docs/tables.md). Times in UTC.

    `request` and `response` are as the cache keeps them, None where `from_cache`. `status` is `ok`; `unusable`, an
    answer that is no score; `error`, no answer; or `pending`, asked in a batch whose answers are still to come; its
    `batch_id` is a mark until the batch has an id.
    """

    judge_call_id: str
    request_hash: str
    evaluator: str
    target_id: str
    pass_id: str | None = None
    judge: str
    model: str
    request: JsonObject | None = None
    response: JsonObject | None = None
    from_cache: bool = False
    status: Literal["ok", "unusable", "error", "pending"]
    error: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    batch_id: str | None = None
    started_at: datetime
    duration_ms: float | None = None


Keep: TypeAlias = Callable[[Sequence[ScoreRecord]], object]
"""Takes scores of a pass that goes on."""


class JudgeCache(Protocol):
    """Remembers what judges have answered, so that no answer is paid for twice."""

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """By request_hash the call of status `ok` that has the answer, or else the one that is `pending`, or else the
        one that is `unusable`, until its evaluator has a score on its target: then the question is asked anew."""

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Keep `calls`. MUST have committed when it returns: an answer is used only then.

        One with the judge_call_id of a `pending` call takes its place.
        """


Agent: TypeAlias = tuple[str | None, str | None]
"""A service, and an agent of it, by their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a day has cost so far, of one judge or evaluator. `pending_tokens`, both ways, and `pending_usd` are the
    most that those of its calls may take whose answers are still to come. `pending_calls` are such calls of a judge, of
    whatever day, without their `request`, of each batch the first ones. `usd_by_agent` is what a judge has cost for
    each agent whose runs and sessions it was asked about, with the most that pending calls may cost."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    pending_tokens: int = 0
    pending_usd: float = 0.0
    pending_calls: Sequence[JudgeCall] = ()
    usd_by_agent: Mapping[Agent, float] = field(default_factory=dict)


class Ledger(Protocol):
    """Remembers what has been judged."""

    def paused(self) -> Collection[str]:
        """The names of evaluators that somebody has stopped for a while."""

    def last_passes(self) -> Mapping[str, datetime]:
        """When each evaluator was last at work, or else enrolled (UTC), by its name."""

    def last_assembled(self) -> int:
        """The place of the run that was assembled last."""

    def due(self, evaluator: Configured, limit: int, *, through: int | None = None) -> Due:
        """What `evaluator` has not judged: AgentTraces in their present revision, services in turn and of each the
        oldest assembly first, or in scope `tool` the ToolDefinitions, each once whatever number of runs offered it.
        Looks at `limit` of them at a time, and at no run behind the place `through`: evaluators that ask one after the
        other are given the same runs.

        MUST NOT return again what `record` has named. SHOULD return the very same sequence to evaluators that wait
        for the same targets, so that they are judged together; MUST NOT to one of kind sql. MAY load them only when
        they are looked at. MUST leave out what the evaluator's `when`, `sample` and `else_sample` do not select; that
        leaves no trace, and says nothing of what comes behind it. MUST keep a run back until those that `after` names
        are through with its present revision.
        """

    def due_by_sql(self, evaluator: Configured, targets: Sequence[Target]) -> Sequence[ScoreRecord]:
        """Runs that `due` returned, judged by the query of an evaluator of kind sql: a score on each.

        The query sees them as a relation `due(target_id, agent_trace_id, trace_id, started_at, …)`. MUST answer for
        every run: where the query fails with an error that tells its author why, where it is silent with a reason.
        """

    def keep(self, this: Pass, scores: Sequence[ScoreRecord]) -> None:
        """Make `scores` of a pass that goes on active. MUST change nothing when `record` is told them again."""

    def record(
        self,
        this: Pass,
        evaluators: Sequence[Configured],
        targets: Sequence[Target],
        scores: Sequence[ScoreRecord],
        postponed: Sequence[Postponed] = (),
    ) -> None:
        """Keep `scores` and remember that `evaluators` are through with `targets`, but for what is `postponed`.

        MUST do all of it, supersede older scores and fill the outbox in one transaction. `targets` is what `due`
        returned. What is postponed is due again at its time.
        """

    def defer(
        self, evaluator: Configured, targets: Sequence[Target], *, until: datetime, reason: str, priority: int = 1
    ) -> None:
        """Put off `targets` that `due` returned: they are due again at `until` (UTC), after what is new.

        MUST survive a restart. A new revision of a run is due at once and replaces what was put off.
        """


class Workbench(Protocol):
    """Computes scores, in this process or in another."""

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        """Every evaluator on every target. MUST answer for each pair; a failure is a score of status `error`."""

    def ask(self, this: Pass, targets: Sequence[Target], evaluators: Sequence[Configured], keep: Keep) -> Findings:
        """Every evaluator of kind llm on every target. MUST answer for each pair, be it that it is put off.

        MAY give scores to `keep` as soon as they are there; the answer has these, too.
        """
